"""Ends a child process when this process ends, for whatever reason."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent(sign: signal.Signals = signal.SIGKILL) -> Callable[[], None] | None:
    """A function that the child runs before its program, so that Linux sends it a signal when we end (prctl(2), PR_SET_PDEATHSIG).

    It covers SIGKILL and crashes, after which we cannot send `exit`. The parent looks up everything that it needs, because after a fork
    a lock may be held by a thread that does not exist in the child. The signal does not reach processes that the child started. None on
    other systems.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()
    number = int(sign)

    def set_signal() -> None:
        prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:  # we ended before the signal was set
            os._exit(1)

    return set_signal
