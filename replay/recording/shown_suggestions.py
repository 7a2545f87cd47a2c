"""What became of a suggestion: the editor says it, or the next change shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from replay.recording.changes import is_key
from replay.tapes.tape import Reason
from syntax.text import Change, length

SuggestionOutcome: TypeAlias = Literal["accepted", "part", "typed", "rejected", "ignored"]


@dataclass(frozen=True, slots=True)
class ShownSuggestion:
    """A suggestion on the screen. Accepting it makes `change` (the smallest one) in the current text of its document."""

    request: int
    doc: int
    change: Change

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
        text that no single key writes and that is more than blanks. `typed`: a key wrote a beginning of the text.
        `rejected`: other text was written, or text was deleted, at its place. `ignored`: the change is elsewhere.

        `hint` is the reason that the editor gave for the change. With `accept` also what a key could write is accepted; what is
        undone, redone or formatted says nothing about the suggestion; what is pasted or deleted can only reject it.
        """
        if len(changes) > 1 or hint in {"undo", "redo", "format"}:
            return "ignored"
        if hint not in {"paste", "delete"} and (taken := self._taken(changes[0], by_command=hint == "accept")):
            return taken
        start, end, _ = changes[0]
        return "rejected" if start <= self.offset <= end else "ignored"

    def takes(self, changes: Sequence[Change], hint: Reason | None = None) -> bool:
        """Whether the next change of the document writes a beginning of this suggestion, or all of it."""
        return self.outcome(changes, hint) in {"accepted", "part", "typed"}

    def _taken(self, change: Change, *, by_command: bool) -> SuggestionOutcome | None:
        """How a change wrote a beginning of the text; None if it did not."""
        start, end, text = change
        is_typed = not by_command and (is_key(text) or not text.strip())
        if change == self.change and (by_command or not is_key(text)):
            return "accepted"
        if start == end == self.change[0] == self.change[1] and self.text.startswith(text):
            return "typed" if is_typed or text == self.text else "part"
        return None

    def after(self, changes: Sequence[Change]) -> ShownSuggestion:
        """The rest of the suggestion after a beginning of it was written; its text is empty if nothing is left."""
        size, text = length(changes[0][2]), changes[0][2]
        start, end, new = self.change
        return replace(self, change=(start + size, end + size, new[len(text) :]))
