"""What stood at a moment, and what the judge made of its suggestion, found out again from the tape: for a person who looks at a verdict."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from replay.judge.edit_grafts import edit_graft
from replay.judge.fitting import Fit, fit
from replay.judge.grafts import Hole, graft, hole_of
from replay.play.player_instructions import Spot
from replay.records import NextEdit, Record, Suggestion, Untestable
from replay.tapes.clock import virtual_times
from replay.tapes.tape import Edit, Event, Tape, walk
from replay.tapes.timeline import Timeline
from syntax.text import cut, index_of, length, minimal


@dataclass(frozen=True, slots=True)
class Retraced:
    """The finished document, its part that the suggestion stands in for, and the graft that was tested."""

    hole: Hole
    graft: str
    """The finished document with the suggestion in the hole; without a suggestion, with nothing there."""
    others: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Of an edit suggestion, the further documents that it changes: path → the finished text, and that of the graft."""

    @property
    def finished(self) -> str:
        """The finished document."""
        return self.hole.final


@dataclass(frozen=True, slots=True)
class Key:
    """An event of the tape near a moment. `at` is in ms of virtual time; `text` is what an edit inserts, `removed` how much it deletes."""

    at: float
    kind: str
    """The reason of an edit, or the name of another event."""
    text: str = ""
    removed: int = 0


class TracedTape:
    """A tape, for questions about moments that a run in judge mode had on it."""

    def __init__(self, tape: Tape) -> None:
        self.timeline = Timeline(tape)
        self._times = virtual_times(self.timeline.tape.events)

    def retrace(self, record: Record) -> Retraced | Untestable:
        """Return the hole and the graft of a record, or why its moment has no hole."""
        return self._retraced(record, self._documents(record.moment.event))

    def retrace_all(self, records: Iterable[Record]) -> Iterator[tuple[Record, Retraced | Untestable]]:
        """Give each record with what `retrace` returns of it, in the order of events: the tape is played once for all of them."""
        waiting = deque(sorted(records, key=lambda record: record.moment.event))
        for index, _, documents in walk(self.timeline.tape):
            while waiting and waiting[0].moment.event <= index:
                record = waiting.popleft()
                yield record, self._retraced(record, documents.finished())
        for record in waiting:  # behind the last event
            yield record, self._retraced(record, self.timeline.final)

    def _retraced(self, record: Record, documents: Mapping[str, str]) -> Retraced | Untestable:
        moment = record.moment
        if moment.next_edit is not None:
            return self._retraced_edit(record, moment.next_edit, documents)
        text = documents.get(moment.path, "")
        spot = Spot(moment, cut(text, 0, moment.offset), cut(text, moment.offset, length(text)))
        hole = hole_of(self.timeline, moment, spot.before, spot.after)
        if isinstance(hole, str):
            return hole
        offered = record.suggestion or (record.missed.suggestion if record.missed else None)
        offered = offered or Suggestion(text="", start=moment.offset, end=moment.offset, latency=0.0)
        fitted = Fit(hole, hole) if moment.stop != "auto" else fit(self.timeline, hole, spot, offered)
        return Retraced(fitted.hole, graft(fitted.hole, offered, moment, spot.before, spot.after))

    def _retraced_edit(
        self, record: Record, next_edit: NextEdit, documents: Mapping[str, str]
    ) -> Retraced | Untestable:
        """The graft of an edit suggestion. Its hole is what the person's next edit changed where the suggestion stands in for it."""
        if next_edit.kind == "silence":
            return "silence"
        changes = record.suggestion.changes if record.suggestion else ()
        found = edit_graft(self.timeline, record.moment, documents, changes)
        if found is None:
            return "rewritten"
        if found.is_broken(self.timeline.final):
            return "unparsable"
        both = {path: (self.finished(path), text) for path, text in found.grafted.items()}
        path, (finished, text) = next(iter(both.items()))
        start, end, _ = minimal(finished, (0, length(finished), found.emptied.get(path, finished)))
        hole = Hole(path, finished, index_of(finished, start), index_of(finished, end))
        return Retraced(hole, text, {other: texts for other, texts in both.items() if other != path})

    def finished(self, path: str) -> str:
        """Return the text of a document in the end; empty if the tape has none of that path."""
        return self.timeline.final.get(path, "")

    def keys(self, event: int, before: int, after: int) -> tuple[list[Key], list[Key]]:
        """Return the last `before` edits before an event and the first `after` ones from it on."""
        events = self.timeline.tape.events
        earlier = (self._key(index) for index in range(event - 1, -1, -1) if isinstance(events[index], Edit))
        later = (self._key(index) for index in range(event, len(events)) if isinstance(events[index], Edit))
        return [*islice(earlier, before)][::-1], [*islice(later, after)]

    def time(self, event: int) -> float:
        """Return when an event happens, in ms of virtual time; the end of the tape has no event."""
        return self._times[event] if event < len(self._times) else (self._times[-1] if self._times else 0.0)

    def _key(self, index: int) -> Key:
        event: Event = self.timeline.tape.events[index]
        assert isinstance(event, Edit)
        text = "".join(new for _, _, new in event.changes)
        return Key(
            self._times[index], event.reason or "edit", text, sum(end - start for start, end, _ in event.changes)
        )

    def document(self, path: str, event: int) -> str:
        """Return the text of a document as it stands before an event; empty if it is not open then."""
        return self._documents(event).get(path, "")

    def _documents(self, event: int) -> Mapping[str, str]:
        """Path → text of the documents before an event, which may be behind the last."""
        for index, _, documents in walk(self.timeline.tape):
            if index == event:
                return documents.finished()
        return self.timeline.final
