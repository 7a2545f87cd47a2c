"""What stands in the editor while a tape plays: documents, cursors, focus. In drive mode what was accepted stays in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from replay.play.drive.driven_documents import Pages
from replay.play.drive.rebase import Rebased, RecordedPlace
from replay.play.player_instructions import ChangeCause, DidChange, Spot
from replay.play.policies.pacing import Situation
from replay.records import Effort, Moment, NextEdit, Trigger, Within
from replay.tapes.tape import Close, Documents, Edit, Event, Open, Select
from replay.tapes.timeline import Timeline
from syntax.text import Change, cut, index_of, length, position_at, splice
from syntax.wanted import Stop

_WORD = re.compile(r"\w", re.ASCII)
WINDOW = (4000, 2000)
"""How many characters before and after the cursor a moment keeps for display."""
ESCAPE = 1
"""Keys of putting a suggestion away."""


class Stage:
    """The editor's state. All offsets are of the actual documents; in judge mode those are the recorded ones."""

    def __init__(self, timeline: Timeline, *, drive: bool, sample: int = 0) -> None:
        self.timeline, self.drive, self._sample = timeline, drive, sample
        self.documents = Documents(timeline.tape.source)
        self.pages = Pages()
        self.cursors = self.pages.cursors
        self.several: dict[int, int] = {}
        self.versions: dict[int, int] = {}
        self.focus: int | None = None
        self._turns: Counter[tuple[object, ...]] = Counter()
        self.effort = Effort()

    def text(self, doc: int) -> str:
        """What a document holds."""
        return self.pages.rebased[doc].actual if self.pages.is_ahead(doc) else self.documents.texts[doc]

    @property
    def open_texts(self) -> dict[str, str]:
        """Path → text of the documents that are open."""
        return {self.path(doc): self.text(doc) for doc in self.documents.shown}

    def path(self, doc: int) -> str:
        """The path of a document."""
        return self.documents.paths[doc]

    def doc(self, path: str) -> int:
        """The document of a path."""
        return next(doc for doc, known in self.documents.paths.items() if known == path)

    def is_as_recorded(self, doc: int) -> bool:
        """Whether a document is what it was on the tape here."""
        return not self.pages.is_ahead(doc)

    def is_needless(self, index: int, doc: int) -> bool:
        """Whether a recorded edit writes what was accepted already."""
        return self.pages.is_ahead(doc) and any(index in ahead.covered for ahead in self.pages.rebased[doc].aheads)

    # Events of the tape

    def apply(self, index: int, event: Event) -> None:
        """Take an event in that changes no text."""
        self.documents.apply(index + 2, event)
        if isinstance(event, Open):
            self.versions[event.doc], self.cursors[event.doc] = 1, (0, 0)
            if self.drive:
                self.pages.rebased[event.doc] = Rebased(event.text)
        elif isinstance(event, Close):
            self.pages.rebased.pop(event.doc, None)

    def selected(self, event: Select) -> tuple[int, int]:
        """Where a selection is in the actual document."""
        self.several[event.doc] = len(event.ranges)
        return self.pages.selected(event)

    def change(self, index: int, event: Edit, *, escape: bool) -> Iterator[DidChange]:
        """Make a recorded edit, as far as it is needed."""
        by_hand, doc = self.timeline.is_by_hand(index), event.doc
        before = self.text(doc)
        done = self.pages.take(index, event, by_hand=by_hand)
        self.documents.apply(index + 2, event)
        real = bool(done) and done[-1].by_tape
        self._spend(tape=by_hand, typed=by_hand and real, dropped=by_hand and not real)
        self._spend(rejections=ESCAPE if escape and real else 0)
        for step in done:
            self._spend(mending=step.mending, conflicts=step.conflict)
            keys = step.mending + (by_hand + escape * ESCAPE if step.by_tape else 0)
            yield self._changed(doc, before, step.changes, "tape" if step.by_tape else "mend", keys)
            before = splice(before, step.changes)

    def _spend(self, **keys: int) -> None:
        """Count what the session took."""
        known = msgspec.structs.asdict(self.effort)
        self.effort = Effort(**known | {name: known[name] + number for name, number in keys.items()})

    def _changed(self, doc: int, before: str, changes: Sequence[Change], cause: ChangeCause, keys: int) -> DidChange:
        self.versions[doc] += 1
        self.cursors[doc] = _cursor_after(changes)
        self.several[doc] = len(changes)
        return DidChange(self.path(doc), self.versions[doc], before, tuple(changes), cause, keys)

    # What the tape does not say

    def accept(self, index: int, doc: int, change: Change, keys: int) -> tuple[list[DidChange], bool]:
        """Put an accepted text in, take away again what of it the person never wrote; and whether anything of it stays.

        `keys` is what accepting it took.
        """
        before = self.text(doc)
        kept = self.pages.rebased[doc].accept(self.timeline, self.path(doc), index, change)
        self._spend(accepts=keys)
        steps = [self._changed(doc, before, [change], "accept", keys)]
        if kept.deleted:
            self._spend(deletions=kept.keys)
            steps.append(self._changed(doc, splice(before, [change]), kept.deleted, "delete", kept.keys))
        self.cursors[doc] = (kept.cursor, kept.cursor)
        return steps, kept.characters > 0

    def mend(self, docs: Iterable[int]) -> Iterator[DidChange]:
        """Make documents as recorded, by typing what differs."""
        for doc in docs:
            before = self.text(doc)
            for step in self.pages.rebased[doc].mend() if doc in self.pages.rebased else []:
                self._spend(mending=step.mending, conflicts=1)
                yield self._changed(doc, before, step.changes, "mend", step.mending)
                before = splice(before, step.changes)

    def situation(self, now: float, doc: int, event: Edit | None, *, moved: bool = False) -> Situation:
        """The change that was just made as a policy sees it; without an event, an accept or a move."""
        text = self.text(doc)
        cursor = min(self.cursors[doc][0], length(text))
        at = index_of(text, cursor)
        changes = event.changes if event else ()
        return Situation(
            now=now,
            path=self.path(doc),
            line=text.count("\n", 0, at),
            left=text[text.rfind("\n", 0, at) + 1 : at],
            right=text[at:].split("\n", 1)[0].rstrip("\r"),
            before=cursor,
            after=length(text) - cursor,
            wordless=not _WORD.search(text, at),
            typed=min(changes, default=(0, 0, ""))[2],
            reason=event.reason if event else None if moved else "accept",
            focused=self.focus is None or self.focus == doc,
            cursors=max(self.several.get(doc, 1), len(changes)),
            changed=event is None or any(new or start < end for start, end, new in changes),
            moved=moved,
        )

    def moment(
        self,
        now: float,
        index: int,
        doc: int,
        *,
        offset: int | None = None,
        stop: Stop = "auto",
        kind: str = "",
        scenario: str = "",
        within: tuple[Within, ...] = (),
        trigger: Trigger = "automatic",
        request: int | None = None,
        selected: Change | None = None,
        next_edit: NextEdit | None = None,
    ) -> Moment:
        """The moment just before event `index`, at a virtual time."""
        text = self.text(doc)
        where = min(self.cursors[doc][0] if offset is None else offset, length(text))
        line, character = position_at(text, where)
        place = (index, self.path(doc), where, stop, kind, scenario)
        self._turns[place] += 1
        return Moment(
            tape=self.timeline.tape.header.id,
            event=index,
            path=self.path(doc),
            language=self.documents.languages[doc],
            offset=where,
            line=line,
            character=character,
            t=now,
            stop=stop,
            kind=kind,
            scenario=scenario,
            before=cut(text, 0, where)[-WINDOW[0] :],
            after=cut(text, where, length(text))[: WINDOW[1]],
            within=within,
            trigger=trigger,
            turn=self._turns[place] - 1,
            request=request,
            sample=self._sample,
            selected=selected,
            next_edit=next_edit,
        )

    def actual(self, doc: int, offset: int) -> int:
        """Where an offset of the recorded document is in the actual one."""
        return self.pages.actual(doc, offset)

    def place(self, index: int, doc: int, offset: int) -> RecordedPlace | None:
        """The place of the tape at an actual offset; None where it is at none."""
        if not self.pages.is_ahead(doc):
            return RecordedPlace(index, offset, self.documents.texts[doc])
        return self.pages.rebased[doc].place(self.timeline, self.path(doc), index, offset)

    def spot(self, index: int, doc: int, moment: Moment) -> Spot | None:
        """A moment as it stands on the tape; None where it is at no place of it."""
        found = self.place(index, doc, moment.offset)
        if found is None:
            return None
        there = moment
        if (found.event, found.offset) != (moment.event, moment.offset):
            there = msgspec.structs.replace(moment, event=found.event, offset=found.offset)
        return Spot(there, cut(found.text, 0, found.offset), cut(found.text, found.offset, length(found.text)))


def _cursor_after(changes: Sequence[Change]) -> tuple[int, int]:
    """Where the cursor goes when nothing else says so: behind what the first change put in."""
    start, _, new = min(changes, default=(0, 0, ""))
    at = start + length(new)
    return at, at
