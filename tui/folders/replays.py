"""Replaying the tapes of a folder as they appear or grow: a process each, as `ghosttape replay` starts it."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from replay.editor.command import server_command
from replay.run.folders import RUNS
from server.wire.parent_death import die_with_parent
from tui.errors import ConfigurationError
from tui.folders.tapes import TapeBroken, TapeFolder

SETTINGS = Path("ghosttape.toml")
_ENDS_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class ReplayBegan:
    """A tape is replayed into a folder."""

    tape: Path
    run: Path


@dataclass(frozen=True, slots=True)
class ReplayEnded:
    """A replay is over. `summary` is its JSON document, or None; then `reason` says why there is none."""

    tape: Path
    run: Path
    summary: dict[str, Any] | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """`ghosttape.toml` has changed: every tape is replayed again."""


WatchEvent: TypeAlias = ReplayBegan | ReplayEnded | TapeBroken | SettingsChanged


@dataclass(slots=True)
class FolderReplays:
    """Watches a folder until it is cancelled, which ends the replays too; they also end if this process is killed. `words` are options of `ghosttape replay`; `notify` is told what happens.

    A tape is replayed again when it has grown and its replay has ended; then the earlier run of it is removed, if this watch made it.
    """

    folder: Path
    words: Sequence[str]
    notify: Callable[[WatchEvent], None]
    settings: Path = SETTINGS
    _tapes: TapeFolder = field(init=False)
    _tasks: dict[Path, asyncio.Task[None]] = field(default_factory=dict)
    _due: set[Path] = field(default_factory=set)
    _runs: dict[Path, Path] = field(default_factory=dict)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 1))

    def __post_init__(self) -> None:
        self._tapes = TapeFolder(self.folder)

    async def run(self) -> None:
        """Watch and replay.

        Raises:
            ConfigurationError: an option is not usable, as `ghosttape replay` says.

        """
        await self._check()
        noticing = Noticing((self.folder, self.settings.absolute().parent))
        known = _stamp(self.settings)
        try:
            while True:
                if (now := _stamp(self.settings)) != known:
                    known = now
                    self._tapes.again()
                    self.notify(SettingsChanged())
                await self._look()
                await noticing.wait()
        finally:
            noticing.close()
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _check(self) -> None:
        """Try the options on a tape that is not there: then `ghosttape replay` must miss nothing but the tape."""
        missing, folder = self.folder / f".{secrets.token_hex(8)}.tape.jsonl", _run_folder(Path("none"))
        ended = await self._played(missing, folder)
        if missing.name not in ended.reason:
            raise ConfigurationError(ended.reason)

    async def _look(self) -> None:
        for path, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[path]
                task.result()
        for change in await asyncio.to_thread(self._tapes.look):
            if isinstance(change, TapeBroken):
                self.notify(change)
            else:
                self._due.add(change.path)
        for path in sorted(self._due - self._tasks.keys()):
            self._due.discard(path)
            self._tasks[path] = asyncio.create_task(self._replay(path))

    async def _replay(self, tape: Path) -> None:
        async with self._slots:
            folder = _run_folder(tape)
            self.notify(ReplayBegan(tape, folder))
            ended = await self._played(tape, folder)
        earlier = self._runs.get(tape)
        self._runs[tape] = folder
        if earlier is not None and ended.summary is not None:
            shutil.rmtree(earlier, ignore_errors=True)
        self.notify(ended)

    def _command(self, tape: Path, folder: Path) -> list[str]:
        """The replay of one tape. Its path is absolute, since one that begins with `-` would be an option."""
        script = server_command()[0]
        own = ["--drop-torn", "--plain", "--json", "--out", str(folder)]
        return [script, "replay", str(tape.absolute()), *self.words, *own]

    async def _played(self, tape: Path, folder: Path) -> ReplayEnded:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *self._command(tape, folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM),
        )
        try:
            out, err = await process.communicate()
        except asyncio.CancelledError:
            await _end(process)
            raise
        return _ended(tape, folder, process.returncode or 0, out, err.decode("utf-8", "replace").strip())


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a replay as Ctrl-C does: it keeps what is finished. One that does not end is killed, with all that it started."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.communicate(), _ENDS_WITHIN_S)
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _ended(tape: Path, folder: Path, status: int, out: bytes, said: str) -> ReplayEnded:
    try:
        return ReplayEnded(tape, folder, msgspec.json.decode(out, type=dict[str, Any]))
    except msgspec.DecodeError:
        return ReplayEnded(tape, folder, None, _reason(said) or f"status {status}")


def _reason(said: str) -> str:
    """What a replay said last of why it ended: its own line, the text in the box of a wrong option, or else its last line."""
    own = re.findall(r"^ghosttape: (?!warning: )(.*)$", said, re.MULTILINE)
    boxed = re.findall(r"^│ (.*?) *│$", said.partition("╭─ Error")[2], re.MULTILINE)
    return own[-1] if own else " ".join(boxed) or said.rpartition("\n")[2]


def _run_folder(tape: Path) -> Path:
    """A folder for a run of this tape: `.ghosttape/runs/20260131-120000-watch-session-3f9a`. Nothing in a name leads out of the folder of runs."""
    name = re.sub(r"[^\w-]+", "-", tape.name.partition(".")[0], flags=re.ASCII)[:60]
    return RUNS / f"{time.strftime('%Y%m%d-%H%M%S')}-watch-{name}-{secrets.token_hex(2)}"


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


# Noticing that something in a folder may have changed: the system says so (watchdog); and once a second it
# is looked at in any case.
#
# The system's word is quicker, but ends with the folder. Looking finds a folder that was removed and came back, and works where the system cannot say
# anything: on a file system of another machine.

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
