"""Wait for child processes by their open files (pidfd), without a thread for each.

Python 3.12 does so itself. Before, asyncio starts a thread for each process; one that cannot be started leaves a process
that nobody waits for.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import TracebackType
from typing import Any, Self

_Base = asyncio.AbstractChildWatcher if sys.version_info < (3, 12) else object


class PidfdWatcher(_Base):  # type: ignore[valid-type,misc]
    """A watcher of asyncio that works in any loop of any thread."""

    def add_child_handler(self, pid: int, callback: Callable[..., Any], *args: Any) -> None:
        """Call back with the process and its exit code once it has ended."""
        loop, handle = asyncio.get_running_loop(), os.pidfd_open(pid)
        loop.add_reader(handle, self._ended, loop, handle, pid, callback, args)

    def _ended(
        self,
        loop: asyncio.AbstractEventLoop,
        handle: int,
        pid: int,
        callback: Callable[..., Any],
        args: tuple[Any, ...],
    ) -> None:
        loop.remove_reader(handle)
        os.close(handle)
        code = 255  # what asyncio takes where somebody else has waited for it
        with suppress(ChildProcessError):
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        callback(pid, code, *args)

    def remove_child_handler(self, pid: int) -> bool:
        """Say that handlers stay until their process has ended."""
        return False

    def attach_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Do nothing: each handler belongs to the loop that runs when it is added."""

    def is_active(self) -> bool:
        """Say that it is ready."""
        return True

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


@cache
def install() -> None:
    """Make asyncio use it, where this Python does not do so itself and the kernel can (Linux 5.3)."""
    if sys.version_info < (3, 12):
        with suppress(OSError, AttributeError):
            os.close(os.pidfd_open(os.getpid()))
            asyncio.set_child_watcher(PidfdWatcher())
