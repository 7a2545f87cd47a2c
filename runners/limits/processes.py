"""How many processes and threads this user may have, and what it looks like when there can be no more."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from runners.errors import NoProcesses

_P = ParamSpec("_P")
_T = TypeVar("_T")

_REFUSED = re.compile(
    r"[Cc]annot fork|(?:fork|clone|namespace|unshare|thread).*Resource temporarily unavailable|can't start new thread"
)
"""What shells, util-linux, bwrap and Python write where the kernel starts no process (EAGAIN)."""


def none_left(said: str = "") -> NoProcesses:
    """Return the error that says which limit is reached; `said` is what could not be done."""
    allowed, used = resource.getrlimit(resource.RLIMIT_NPROC)[0], _used()
    limit = (
        "the machine, or the control group of this session, allows no more"
        if allowed == resource.RLIM_INFINITY or used < allowed // 2
        else f"this user may have {allowed} processes and threads at once, and has {used}: raise that limit (ulimit -u)"
    )
    return NoProcesses(f"no process could be started to run tests: {limit}{f' ({said})' if said else ''}")


def is_refused(error: BaseException) -> bool:
    """Say whether an error is the kernel's refusal to start a process or a thread."""
    if isinstance(error, OSError):
        return error.errno == errno.EAGAIN
    return isinstance(error, RuntimeError) and _REFUSED.search(str(error)) is not None


async def in_thread(function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Do work with files in a thread; where no thread can be started, do it at once in this one: what then needs a process says why."""
    try:
        return await asyncio.to_thread(function, *arguments, **named)
    except RuntimeError as error:
        if not is_refused(error):
            raise
        return function(*arguments, **named)


def says_refused(text: str) -> bool:
    """Say whether a sandbox wrote, before its command began, that a process could not be started."""
    return _REFUSED.search(text) is not None


def _used() -> int:
    """Return how many processes and threads this user has, as far as they can be seen."""
    own, found = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == own:
                found += sum(1 for _ in (process / "task").iterdir())
    return found
