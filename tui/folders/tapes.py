"""The tapes in a folder, against what was there the last time: which are to be replayed, and which are broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from replay.errors import TapeError
from replay.tapes.tape import Edit, read

_Stamp: TypeAlias = tuple[int, int, int]
"""Inode, size and time of the last change (ns) of a file."""


@dataclass(frozen=True, slots=True)
class TapeReady:
    """A tape is new, has grown, or is to be replayed again."""

    path: Path


@dataclass(frozen=True, slots=True)
class TapeBroken:
    """A tape cannot be replayed, and nobody seems to be writing it."""

    path: Path
    reason: str


@dataclass(slots=True)
class _Known:
    stamp: _Stamp
    failed: str = ""
    """Why it could not be read as it is; named when it still cannot the next time."""
    is_done: bool = False
    """Whether it was given out, or named, as it is."""


@dataclass(slots=True)
class TapeFolder:
    """Looks at a folder, which need not be there. A tape whose last line is being written is played up to that line.

    What cannot be read is first waited for: only if it is the same, and as unreadable, the next time, it is broken. A tape without an edit is waited for.
    """

    folder: Path
    _known: dict[Path, _Known] = field(default_factory=dict)

    def look(self) -> list[TapeReady | TapeBroken]:
        """What has changed since the last time."""
        stamps = dict(self._stamps())
        self._known = {path: known for path, known in self._known.items() if path in stamps}
        return [change for path, stamp in stamps.items() if (change := self._changed(path, stamp))]

    def again(self) -> None:
        """Give every tape out once more: it is to be replayed in another way."""
        self._known.clear()

    def _stamps(self) -> Iterator[tuple[Path, _Stamp]]:
        for path in sorted([*self.folder.glob("*.tape.jsonl"), *self.folder.glob("*.tape.jsonl.gz")]):
            try:
                found = path.stat()
            except OSError:  # removed since
                continue
            yield path, (found.st_ino, found.st_size, found.st_mtime_ns)

    def _changed(self, path: Path, stamp: _Stamp) -> TapeReady | TapeBroken | None:
        known = self._known.get(path)
        if known is None or known.stamp != stamp:
            known = self._known[path] = _Known(stamp)
        elif known.is_done:
            return None
        return self._read(path, known)

    def _read(self, path: Path, known: _Known) -> TapeReady | TapeBroken | None:
        if not known.stamp[1]:
            return None
        try:
            tape = read(path, torn="drop")
        except TapeError as error:
            if known.failed:
                known.is_done = True
                return TapeBroken(path, known.failed)
            known.failed = str(error)
            return None
        known.is_done = True
        has_edits = any(isinstance(event, Edit) for event in tape.events)
        return TapeReady(path) if has_edits else None
