"""One request of a tape's assistant: what was shown, how much of it the person took, how it ended. Read from the tape alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from replay.tapes.tape import Edit, Ghost, Reason
from replay.tapes.typing_along import Rest
from syntax.text import cut, length, minimal, splice

RecordedEnding: TypeAlias = Literal["accepted", "part", "rejected", "typed-through", "shown", ""]
NOT_TYPED: frozenset[Reason] = frozenset({"paste", "undo", "redo", "accept", "agent", "external", "format"})
"""Reasons of edits that nobody typed. An edit without a reason may have been typed."""


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """What the person on the tape decided about one request of the assistant they had then.

    `shown` is the suggestion's text as the tape has it; None if the tape shows none. `taken` is the beginning of it that stood there once the person had
    accepted for the last time: all accepted words and lines, and what was typed along before them; "" if nothing was accepted.
    For example "foo" of which `f` was typed and `oo` accepted by Tab is `RecordedDecision("foo", "foo", "accepted")`.
    `ending` is "" where the tape tells none.
    """

    shown: str | None = None
    taken: str = ""
    ending: RecordedEnding = ""

    def about(self, least: str, text: str) -> RecordedDecision:
        """The same decision about the same suggestion, if that is offered as `text`; else this one.

        `least` is the text that the smallest change with the offer's effect adds: a tape has suggestions in this form.
        """
        if self.shown is None or self.shown != least:
            return self
        return RecordedDecision(text, text if self.taken == self.shown else self.taken, self.ending)


@dataclass(slots=True)
class RecordedRequest:
    """A request on its way through a tape, about the document `asked_in`. `offset` is where `text` was to be put, in UTF-16 code units.

    `written` is the beginning of the text that stands there now, `rest` what is left; `is_open` says that all edits since have only added to it.
    """

    offset: int
    asked_in: str
    text: str | None = None
    written: str = ""
    rest: Rest = field(default_factory=lambda: Rest(0, ""))
    taken: str = ""
    phase: Literal["accepted", "part", "rejected", ""] = ""
    is_typed: bool = True
    is_open: bool = False

    def show(self, ghost: Ghost, now: str) -> None:
        """The suggestion came onto the screen, in a document that is `now` so; or its rest did, behind what was typed of it since the request."""
        typed = cut(now, self.offset, ghost.offset)
        begun = cut(self.asked_in, 0, self.offset) + typed
        is_rest = now == begun + cut(self.asked_in, self.offset, length(self.asked_in)) if typed else False
        self.written = typed if is_rest else ""
        self.offset = self.offset if is_rest else ghost.offset
        self.text, self.is_typed, self.is_open = self.written + ghost.text, True, True
        self.rest = Rest(ghost.offset, ghost.text)

    def take(self, before: str, event: Edit) -> None:
        """Take an edit of its document in, whose text was `before`."""
        if not event.changes or self.rest.is_whole:
            self.is_open = self.is_open and not self.rest.is_whole
            return
        least = [minimal(before, change) for change in event.changes]
        if all(start == end and not new for start, end, new in least):
            return  # such as what the editor closed, typed over
        rest = self.rest.after(least)
        if rest is not None and (rest.is_visible or rest.is_whole):
            self._write(rest)
            self.is_typed = self.is_typed and event.reason not in NOT_TYPED
        else:
            if self._puts_in_all(before, splice(before, event.changes)):
                self._write(Rest(self.rest.offset + length(self.rest.text), ""))
            self.is_typed = self.is_open = False

    def _write(self, rest: Rest) -> None:
        text = self.text or ""
        self.rest, self.written = rest, text if rest.is_whole else text[: len(text) - len(rest.text)]

    def _puts_in_all(self, before: str, after: str) -> bool:
        """Whether a change has the effect of accepting all that is left, also in several places or in place of other text."""
        begun = cut(before, 0, self.rest.offset) + self.rest.text
        return after.startswith(begun) and cut(before, self.rest.offset, length(before)).endswith(after[len(begun) :])

    def decide(self, ghost: Ghost) -> None:
        """The person accepted, took a part, or rejected. A tape may tell this before or behind the edit that it made."""
        if ghost.phase == "rejected":
            self.phase = self.phase or "rejected"
        elif ghost.phase == "accepted" or ghost.phase == "part":  # noqa: PLR1714 - the type checker follows this
            self.phase = ghost.phase
            self.taken = self._taken(ghost)

    def _taken(self, ghost: Ghost) -> str:
        if self.is_open and ghost.text and ghost.offset == self.rest.offset and self.rest.text.startswith(ghost.text):
            return self.written + ghost.text
        is_behind = self.written.endswith(ghost.text) and ghost.offset + length(ghost.text) == self.rest.offset
        if self.written and (is_behind or self.written == self.text):
            return self.written
        return self.taken + ghost.text

    @property
    def decision(self) -> RecordedDecision:
        """The decision, as far as the tape was read."""
        return RecordedDecision(self.text, self.taken, self.phase or self._left)

    @property
    def _left(self) -> RecordedEnding:
        """The ending of what nobody took or rejected."""
        if self.text is None:
            return ""
        return "typed-through" if self.text and self.written == self.text and self.is_typed else "shown"
