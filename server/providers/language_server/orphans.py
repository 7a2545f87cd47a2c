"""That a child process ends when we do, however we end."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def goes_with_us() -> Callable[[], None] | None:
    """What a child runs before its program, so that Linux kills it with us (prctl(2), PR_SET_PDEATHSIG); None elsewhere.

    This is for what gives us no time to say goodbye: SIGKILL, a crash. All that it needs is looked up here, in the parent, because after a
    fork nothing may be waited for that another thread holds. The signal goes to the process itself, not to those that it started.
    """
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()
    kill = int(signal.SIGKILL)

    def told() -> None:
        prctl(_PR_SET_PDEATHSIG, kill, 0, 0, 0)
        if os.getppid() != parent:  # we went before it was told
            os._exit(1)

    return told
