"""Whether tapes are what they say, however long they are: each line by its schema, and every event by playing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from replay.documents import played
from replay.lines import Torn
from replay.tape import Edit, Event, Open, Stream, stream

_EVERY = 10_000


class Checked(msgspec.Struct, frozen=True):
    """What is on a tape that holds.

    `documents` counts those that were opened, `changes` the edit events, `checkpoints` those that matched; `kinds` says how
    many events there are of each kind. `torn` says that a last line was left out which was cut off.
    """

    source: str
    id: str
    events: int
    documents: int
    changes: int
    checkpoints: int
    kinds: dict[str, int]
    torn: bool = False


def check(path: Path, *, torn: Torn = "refuse", progress: Callable[[int], None] | None = None) -> Checked:
    """Check a tape of any length; memory is taken for its documents alone.

    `progress` is told the bytes of the file (compressed, if it is) that are done.

    Raises:
        TapeError: its first fault.

    """
    with stream(path, torn=torn) as tape:
        return _checked(path, tape, progress or _silent)


def _checked(path: Path, tape: Stream, progress: Callable[[int], None]) -> Checked:
    kinds: Counter[type[Event]] = Counter()
    opened: set[int] = set()
    checkpoints = 0
    for number, event, documents in played(str(path), tape.events):
        kinds[type(event)] += 1
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
        torn=tape.lines.torn,
    )


def _silent(done: int) -> None:
    pass
