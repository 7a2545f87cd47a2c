"""What becomes of a suggestion after it was given: told by the editor, or seen in the change that comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from replay.recording.changes import is_key
from syntax.text import Change, length

Fate: TypeAlias = Literal["accepted", "part", "typed", "rejected", "ignored"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A suggestion that is on the screen: taking it makes `change`, the least one, in its document as it stands now."""

    request: int
    doc: int
    change: Change

    @property
    def offset(self) -> int:
        """Where it begins to differ from what stands there, in UTF-16 code units."""
        return self.change[0]

    @property
    def text(self) -> str:
        """What taking it adds."""
        return self.change[2]

    def fate(self, changes: Sequence[Change]) -> Fate:
        """What the next change of the document makes of it.

        `accepted`: it puts exactly this text there, and no single key would. `part`: it puts a beginning of it there that
        no single key writes and that is more than blanks. `typed`: a key wrote a beginning of it. `rejected`: another
        text was written or something was deleted at its place. `ignored`: something else happened somewhere else.
        """
        start, end, text = changes[0]
        if len(changes) > 1:
            return "ignored"
        if changes[0] == self.change and not is_key(text):
            return "accepted"
        if start == end == self.change[0] == self.change[1] and self.text.startswith(text):
            return "typed" if is_key(text) or not text.strip() or text == self.text else "part"
        return "rejected" if start <= self.offset <= end else "ignored"

    def after(self, changes: Sequence[Change]) -> Offer | None:
        """What is left of it when a beginning of it stands there; None if nothing is."""
        size, text = length(changes[0][2]), changes[0][2]
        start, end, new = self.change
        rest = new[len(text) :]
        return replace(self, change=(start + size, end + size, rest)) if rest else None
