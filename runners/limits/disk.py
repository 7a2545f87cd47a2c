"""How much room a project takes, and whether the machine has any left for it."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from runners.errors import SandboxFailed
from runners.limits.processes import in_thread
from runners.protocol import PROJECT, Completed, Job

LOOKS_S = (0.05, 0.25)
"""The shortest and the longest time between two looks at a project that runs."""

_SHARE = 0.05
_FULL = 1 << 20
_LITTLE = 16 << 20
_BLOCK = 4096
_MUCH = 4


@dataclass(slots=True)
class FreeSpace:
    """The bytes that could be written beside a project when a run began, and the fewest that were seen since.

    `reserved`: the run may use what the file system keeps for root.
    """

    folder: Path
    reserved: bool
    before: int
    lowest: int

    @classmethod
    def of(cls, folder: Path, *, reserved: bool | None = None) -> Self:
        """Look at the room beside a folder where a run is to begin; by default it is whose we are."""
        reserved = os.geteuid() == 0 if reserved is None else reserved
        before = free_bytes(folder, reserved=reserved)
        return cls(folder, reserved, before, before)

    def look(self) -> None:
        """Take note of what is left."""
        self.lowest = min(self.lowest, free_bytes(self.folder, reserved=self.reserved))

    def was_short(self, allowed: int) -> bool:
        """Say whether a run that may write `allowed` bytes may have met the end of the disk, whatever it says itself.

        Almost nothing was left; or there is less than it may write, and half of that has gone meanwhile: between two looks
        the rest may have gone too, and come back.
        """
        return self.lowest < min(allowed, max(_LITTLE, self.before // 2))


async def wait_until_too_large(folder: Path, allowed: int, room: FreeSpace | None = None) -> None:
    """Return once the folder holds more than `allowed` bytes, or files without a name that lie in it do.

    Raises `SandboxFailed` if its file system is full before. It looks as often as takes a twentieth of a processor: a small
    folder can outgrow the limit by less. What is left each time is noted in `room`.
    """
    pause_s = shortest_s = LOOKS_S[0]
    before = _room(folder)
    while True:
        await asyncio.sleep(pause_s)
        began = time.perf_counter()
        if await in_thread(_exceeds_in_all, folder, allowed, before):
            return
        if room:
            room.look()
        check_free_space(folder)
        pause_s = min(max(shortest_s, (time.perf_counter() - began) / _SHARE), LOOKS_S[1])


async def with_size_limit(done: Completed, job: Job) -> Completed:
    """Return how a job ended, with the limit of its project's size if it was quicker than who looked after it."""
    if done.limit or not await in_thread(exceeds, job.project, job.limits.disk_mb << 20):
        return done
    return replace(done, limit="disk")


def exceeds(folder: Path, allowed: int) -> bool:
    """Say whether the folder, where nothing runs any more, holds more than `allowed` bytes; an empty file counts as one block.

    Folders nested so deeply that they have no path any more count as more than anything. Into those that may not be looked
    into it looks all the same, if they are ours.
    """
    size, closed = _measured(folder, allowed)
    for place in closed:
        if size > allowed:
            return True
        with suppress(OSError):
            mode = stat.S_IMODE(os.lstat(place).st_mode)
            place.chmod(0o700)
            try:
                inner, more = _measured(place, allowed - size)
            finally:
                place.chmod(mode)
            size += inner
            closed += more
    return size > allowed


def _exceeds_in_all(folder: Path, allowed: int, room: int) -> bool:
    """Say whether a folder where something runs is too large; `room` is what its file system had before.

    Only when that has lost much, one looks for files that have no name and are open. A loss beyond the limit counts as the
    run's where nothing else can: the disk is full, or folders of the run may not be looked into.
    """
    size, closed = _measured(folder, allowed)
    shrunk_by = room - _room(folder)
    if size <= allowed and shrunk_by > allowed // _MUCH:
        size += _nameless(folder)
    return size > allowed or (shrunk_by > allowed and (bool(closed) or free_bytes(folder) < _FULL))


def _measured(folder: Path, allowed: float) -> tuple[float, list[Path]]:
    """Return the bytes in a folder (infinite if it is too deep; no more are counted beyond `allowed`), and what is closed to us."""
    errors: list[OSError] = []
    size = 0
    try:
        for root, _, files in os.walk(folder, onerror=errors.append):
            size += _BLOCK
            for file in files:
                with suppress(OSError):
                    size += max(_BLOCK, os.lstat(os.path.join(root, file)).st_blocks * 512)  # noqa: PTH118 - a hot loop
            if size > allowed:
                break
    except RecursionError:
        return math.inf, []
    if any(error.errno == errno.ENAMETOOLONG for error in errors):
        return math.inf, []
    return size, [Path(error.filename) for error in errors if error.errno == errno.EACCES]


def _nameless(folder: Path) -> int:
    """Return the bytes in files that were unlinked and that processes which see the folder as their project have open."""
    own = folder.stat()
    found: dict[int, int] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is not ours to look at
            seen = (process / f"root{PROJECT}").stat()
            if (seen.st_dev, seen.st_ino) == (own.st_dev, own.st_ino):
                found |= _unlinked(process / "fd", own.st_dev)
    return sum(found.values())


def _unlinked(handles: Path, device: int) -> dict[int, int]:
    found = {}
    for handle in handles.iterdir():
        with suppress(OSError):
            about = handle.stat()
            if about.st_dev == device and not about.st_nlink:
                found[about.st_ino] = about.st_blocks * 512
    return found


def _room(folder: Path) -> int:
    about = os.statvfs(folder)
    return about.f_bfree * about.f_frsize


def check_free_space(folder: Path) -> None:
    """Raise `SandboxFailed` if the file system of a folder is full: whatever fails then is not the program's fault."""
    if free_bytes(folder) < _FULL:
        raise SandboxFailed(
            f"the file system of {folder} is full: make room, or set TMPDIR (of a cache: GHOSTTAPE_CACHE) to a folder on another one"
        )


def free_bytes(folder: Path, *, reserved: bool | None = None) -> int:
    """Return how many bytes can still be written there; 0 where no more files can be made.

    `reserved`: by someone who may use what is kept for root; by default, by us.
    """
    reserved = os.geteuid() == 0 if reserved is None else reserved
    about = os.statvfs(folder)
    if about.f_files and not (about.f_ffree if reserved else about.f_favail):
        return 0
    return (about.f_bfree if reserved else about.f_bavail) * about.f_frsize
