"""Noticing that something in a folder may have changed: the system says so (watchdog); and once a second it is looked at in any case.

The system's word is quicker, but ends with the folder. Looking finds a folder that was removed and came back, and works where the system cannot say
anything: on a file system of another machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

LOOK_EVERY_S = 1.0
_SETTLE_S = 0.1
"""Several changes come together: they are looked at once."""


class _Handler(FileSystemEventHandler):
    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in {"created", "modified", "moved", "deleted", "closed"}:
            self._notice()


@dataclass(slots=True)
class Noticing:
    """Waits for changes in folders, some of which may not be there (yet, or any more). Close it in the end."""

    folders: tuple[Path, ...]
    _observer: BaseObserver | None = None
    _inodes: tuple[int, ...] = ()
    _happened: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        """Wait until something may have changed, for `LOOK_EVERY_S` at the most."""
        self._observe()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._happened.wait(), LOOK_EVERY_S)
            await asyncio.sleep(_SETTLE_S)
        self._happened.clear()

    def close(self) -> None:
        """Stop."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None

    def _observe(self) -> None:
        """Have the system watch the folders that are there now, if these are others than before."""
        inodes = tuple(map(_inode, self.folders))
        if inodes == self._inodes:
            return
        self.close()
        self._inodes = inodes
        loop, observer = asyncio.get_running_loop(), Observer()

        def notice() -> None:
            loop.call_soon_threadsafe(self._happened.set)

        observer.start()  # without folders: one that is gone would end it
        self._observer = observer
        for folder in {folder for folder, inode in zip(self.folders, inodes, strict=True) if inode}:
            with suppress(OSError):  # no more watches, or gone again: then it is only looked at
                observer.schedule(_Handler(notice), str(folder))


def _inode(folder: Path) -> int:
    try:
        return folder.stat().st_ino
    except OSError:
        return 0
