"""Checks of tapes of any length: each line against its schema, and each event by applying it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from replay.importers.suggestion_endings import EndingCounter, SuggestionEndings
from replay.tapes.line_files import Torn
from replay.tapes.tape import Edit, Event, Open, Stream, played, stream

_EVERY = 10_000


class Checked(msgspec.Struct, frozen=True):
    """The content of a valid tape."""

    source: str
    id: str
    events: int
    documents: int
    """Documents that were opened."""
    changes: int
    """Edit events."""
    checkpoints: int
    """Checkpoints that matched."""
    kinds: dict[str, int]
    """Kind of event → number of events."""
    suggestions: SuggestionEndings
    """How the suggestions on it ended."""
    torn: bool = False
    """Whether the last line was cut off and left out."""


def check(path: Path, *, torn: Torn = "refuse", progress: Callable[[int], None] | None = None) -> Checked:
    """Check a tape of any length; only its documents are kept in memory.

    `progress` is called with the bytes of the file (as it is on disk) that were checked.

    Raises:
        TapeError: its first fault.

    """
    with stream(path, torn=torn) as tape:
        return _checked(path, tape, progress or (lambda _: None))


def _checked(path: Path, tape: Stream, progress: Callable[[int], None]) -> Checked:
    kinds: Counter[type[Event]] = Counter()
    opened: set[int] = set()
    checkpoints, endings = 0, EndingCounter()
    for number, event, documents in played(str(path), tape.events):
        kinds[type(event)] += 1
        endings.take(event)
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
        suggestions=endings.finished(),
        torn=tape.lines.torn,
    )
