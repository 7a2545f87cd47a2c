"""What became of a suggestion: the editor says it, or the next change shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from replay.recording.changes import is_key
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

    def outcome(self, changes: Sequence[Change]) -> SuggestionOutcome:
        """What the next change of the document shows about it.

        `accepted`: the change inserts exactly this text, which no single key can. `part`: it inserts a beginning of the
        text that no single key writes and that is more than blanks. `typed`: a key wrote a beginning of the text.
        `rejected`: other text was written, or text was deleted, at its place. `ignored`: the change is elsewhere.
        """
        start, end, text = changes[0]
        if len(changes) > 1:
            return "ignored"
        if changes[0] == self.change and not is_key(text):
            return "accepted"
        if start == end == self.change[0] == self.change[1] and self.text.startswith(text):
            return "typed" if is_key(text) or not text.strip() or text == self.text else "part"
        return "rejected" if start <= self.offset <= end else "ignored"

    def after(self, changes: Sequence[Change]) -> ShownSuggestion | None:
        """The rest of the suggestion after a beginning of it was written; None if nothing is left."""
        size, text = length(changes[0][2]), changes[0][2]
        start, end, new = self.change
        rest = new[len(text) :]
        return replace(self, change=(start + size, end + size, rest)) if rest else None
