"""What became of a suggestion: the editor says it, or the next change shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from replay.recording.changes import is_key
from replay.tapes.tape import Reason
from replay.tapes.typing_along import Rest
from syntax.text import Change, cut

SuggestionOutcome: TypeAlias = Literal["accepted", "part", "typed", "rejected", "ignored"]


@dataclass(frozen=True, slots=True)
class ShownSuggestion:
    """A suggestion on the screen. Accepting it makes `change` (the smallest one) in the current text of its document.

    `rest` is what is left of it to type, once a beginning of it was typed.
    """

    request: int
    doc: int
    change: Change
    rest: Rest | None = None

    @property
    def offset(self) -> int:
        """Where it begins to differ from the document, in UTF-16 code units."""
        return self.change[0]

    @property
    def text(self) -> str:
        """The text that accepting it adds."""
        return self.change[2]

    def outcome(self, changes: Sequence[Change], hint: Reason | None = None) -> SuggestionOutcome:
        """What the next change of the document shows about it.

        `accepted`: the change inserts exactly this text, which no single key can. `part`: it inserts a beginning of the
        text that no single key writes and that is more than blanks. `typed`: a key wrote a beginning of the text, or the pair of brackets or quotes that opens there.
        `rejected`: other text was written, or text was deleted, at its place. `ignored`: the change is elsewhere.

        `hint` is the reason that the editor gave for the change. With `accept` also what a key could write is accepted; what is
        undone, redone or formatted says nothing about the suggestion; what is pasted or deleted can only reject it.
        """
        if len(changes) > 1 or hint in {"undo", "redo", "format"}:
            return "ignored"
        if hint not in {"paste", "delete"} and (taken := self._taken(changes[0], by_command=hint == "accept")):
            return taken
        start, end, _ = changes[0]
        first = min(self.offset, self.rest.offset) if self.rest else self.offset
        return "rejected" if start <= self.offset and first <= end else "ignored"

    def is_put_in(self, changes: Sequence[Change]) -> bool:
        """Whether changes put all of it in at its place, and perhaps at further cursors too: Tab does that, where it is short a key can."""
        return self.change in changes and all(text == self.text for _, _, text in changes)

    def takes(self, changes: Sequence[Change], hint: Reason | None = None) -> bool:
        """Whether the next change of the document writes a beginning of this suggestion, or all of it."""
        return self.outcome(changes, hint) in {"accepted", "part", "typed"}

    def _taken(self, change: Change, *, by_command: bool) -> SuggestionOutcome | None:
        """How a change wrote a beginning of the text; None if it did not."""
        text = change[2]
        is_typed = not by_command and (is_key(text) or not text.strip())
        if change == self.change and (by_command or not is_key(text)):
            return "accepted"
        rest = self._after([change])
        return None if rest is None else "typed" if is_typed or rest.is_whole else "part"

    def _after(self, changes: Sequence[Change]) -> Rest | None:
        start, end, text = self.change
        rest = self.rest or (Rest(start, text) if start == end else None)
        return rest and rest.after(changes)

    def after(self, changes: Sequence[Change]) -> ShownSuggestion | None:
        """The rest of the suggestion after a beginning of it was written; its text is empty if nothing is left that can be shown."""
        rest = self._after(changes)
        if rest is None:
            return None
        return replace(self, change=rest.change if rest.is_visible else (rest.offset, rest.offset, ""), rest=rest)


def shown_suggestion(request: int, doc: int, change: Change, now: str) -> ShownSuggestion:
    """A suggestion that comes onto the screen in a text that is `now` so.

    What it takes the place of may be what the editor closed: `k': 1` between two quotes that a key wrote puts its own quote in
    place of the second, and can be typed along.
    """
    start, end, text = change
    rest = Rest(start, text, cut(now, start, end))
    return ShownSuggestion(request, doc, change, rest if start != end and rest.is_visible else None)
