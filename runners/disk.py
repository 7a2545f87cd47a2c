"""How much room a project takes, and whether the machine has any left for it."""

from __future__ import annotations

import asyncio
import errno
import os
from contextlib import suppress
from pathlib import Path

from runners.errors import SandboxFailed

_EVERY_S = 0.25
_FULL = 1 << 20
_BLOCK = 4096


async def outgrown(folder: Path, allowed: int) -> None:
    """Return once the folder holds more than `allowed` bytes. Raises `SandboxFailed` if its file system is full before."""
    while True:
        await asyncio.sleep(_EVERY_S)
        if await asyncio.to_thread(exceeds, folder, allowed):
            return
        check_room(folder)


def exceeds(folder: Path, allowed: int) -> bool:
    """Say whether the folder holds more than `allowed` bytes; an empty file counts as one block.

    Folders nested so deeply that they have no path any more count as more than anything.
    """
    unreachable: list[OSError] = []
    left = allowed
    try:
        for root, _, files in os.walk(folder, onerror=unreachable.append):
            left -= _BLOCK
            for file in files:
                with suppress(OSError):
                    left -= max(_BLOCK, os.lstat(os.path.join(root, file)).st_blocks * 512)  # noqa: PTH118 - a hot loop
            if left < 0:
                return True
    except RecursionError:
        return True
    return any(error.errno == errno.ENAMETOOLONG for error in unreachable)


def check_room(folder: Path) -> None:
    """Raise `SandboxFailed` if the file system of a folder is full: whatever fails then is not the program's fault."""
    if free(folder) < _FULL:
        raise SandboxFailed(f"the file system of {folder} is full: make room, or set TMPDIR to a folder on another one")


def free(folder: Path) -> int:
    """Return how many bytes we can still write there; 0 where no more files can be made."""
    about = os.statvfs(folder)
    if about.f_files and not (about.f_ffree if os.geteuid() == 0 else about.f_favail):
        return 0
    return (about.f_bfree if os.geteuid() == 0 else about.f_bavail) * about.f_frsize
