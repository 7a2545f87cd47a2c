"""Whether tapes are what they say, however long they are: each line by its schema, and every event by playing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from replay.documents import played
from replay.errors import TapeError
from replay.lines import Torn
from replay.tape import Edit, Event, Open, Stream, find, stream

Progress: TypeAlias = Callable[[int, int], None]
"""Told (bytes done, bytes of all files) from time to time, and at the end of each file."""
_EVERY = 10_000


class Checked(msgspec.Struct, frozen=True):
    """What is on a tape that holds.

    `documents` counts those that were opened, `changes` the edit events, `checkpoints` those that matched; `kinds` says how
    many events there are of each kind; `duration` is how long the tape plays, in ms on the virtual clock. `torn` says that
    a last line was left out which was cut off.
    """

    source: str
    id: str
    events: int
    documents: int
    changes: int
    checkpoints: int
    kinds: dict[str, int]
    duration: float
    torn: bool = False


class Fault(msgspec.Struct, frozen=True):
    """The first thing that is wrong with a file; `line` is 0 where the file as a whole is meant."""

    source: str
    line: int
    reason: str

    def __str__(self) -> str:
        return str(TapeError(self.source, self.line, self.reason))


class Checks(msgspec.Struct, frozen=True):
    """What came of checking many files."""

    tapes: tuple[Checked, ...]
    faults: tuple[Fault, ...]


class Pace:
    """How long a tape plays, found event by event: `replay.clock.virtual_times` without the list."""

    def __init__(self) -> None:
        self.now = 0.0
        self._stamp: float | None = None
        self._paced = 0.0

    def take(self, event: Event) -> None:
        """Go on to an event."""
        if isinstance(event, Edit):
            self._paced += max(0.0, event.t - (self._stamp or 0.0))
            self.now, self._stamp = self._paced, event.t
        else:
            self.now = max(self.now, self._paced + event.t - (self._stamp or 0.0))


def check(path: Path, *, torn: Torn = "refuse", progress: Callable[[int], None] | None = None) -> Checked:
    """Check a tape of any length; memory is taken for its documents alone.

    `progress` is told the bytes of the file (compressed, if it is) that are done.

    Raises:
        TapeError: its first fault.

    """
    with stream(path, torn=torn) as tape:
        return _checked(path, tape, progress or _silent)


def check_many(paths: Sequence[Path], *, torn: Torn = "refuse", progress: Progress | None = None) -> Checks:
    """Check files, and the tapes in folders; each that has a fault is told with its first, and the others go on."""
    files, faults = _found(paths)
    sizes = [file.stat().st_size for file in files]
    tapes, done, whole = [], 0, sum(sizes)
    for file, size in zip(files, sizes, strict=True):
        try:
            tapes.append(check(file, torn=torn, progress=_from(done, whole, progress)))
        except TapeError as error:
            faults.append(_fault(error))
        done += size
        if progress is not None:
            progress(done, whole)
    return Checks(tuple(tapes), tuple(faults))


def _checked(path: Path, tape: Stream, progress: Callable[[int], None]) -> Checked:
    kinds: Counter[type[Event]] = Counter()
    opened: set[int] = set()
    pace, checkpoints = Pace(), 0
    for number, event, documents in played(str(path), tape.events):
        kinds[type(event)] += 1
        pace.take(event)
        if isinstance(event, Open):
            opened.add(event.doc)
        if number % _EVERY == 0:
            progress(tape.lines.bytes_read())
        checkpoints = documents.checked
    return Checked(
        source=str(path),
        id=tape.header.id,
        events=kinds.total(),
        documents=len(opened),
        changes=kinds[Edit],
        checkpoints=checkpoints,
        kinds={kind.__name__.lower(): count for kind, count in kinds.most_common()},
        duration=pace.now,
        torn=tape.lines.torn,
    )


def _found(paths: Sequence[Path]) -> tuple[list[Path], list[Fault]]:
    files: list[Path] = []
    faults = []
    for path in paths:
        try:
            files += find([path])
        except TapeError as error:
            faults.append(_fault(error))
    return files, faults


def _from(done: int, whole: int, progress: Progress | None) -> Callable[[int], None]:
    """Progress within one file as progress in all of them."""
    return _silent if progress is None else lambda here: progress(done + here, whole)


def _fault(error: TapeError) -> Fault:
    return Fault(error.source, error.line, error.reason)


def _silent(done: int) -> None:
    pass
