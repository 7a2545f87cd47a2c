"""What is left of a suggestion on the screen while the person types what it says, also through brackets and quotes that the editor closes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syntax.text import Change, length, minimal

PAIRS = frozenset({"()", "[]", "{}", "<>", '""', "''", "``"})
"""What one key writes where the editor closes brackets and quotes."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left to type: `text` at `offset` (UTF-16 code units). `closing` stands behind the offset: the editor put it there.

    For example, of `(a, b)` at 7 a key that writes `()` leaves `Rest(8, "a, b)", ")")`. VS Code shows that as `a, b` between the brackets.
    """

    offset: int
    text: str
    closing: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left: all that the suggestion says stands there."""
        return self.text in {"", self.closing}

    @property
    def is_visible(self) -> bool:
        """Whether an editor can still show it: ghost text adds to what stands there, and takes nothing away."""
        letters = iter(self.text)
        return not self.is_whole and all(letter in letters for letter in self.closing)

    @property
    def change(self) -> Change:
        """The smallest change that puts it in."""
        start, end, text = minimal(self.closing, (0, length(self.closing), self.text))
        return self.offset + start, self.offset + end, text

    def after(self, changes: Sequence[Change]) -> Rest | None:
        """What is left after a change that writes a beginning of it, or the pair whose first half is next; None after any other.

        What the editor closed may be typed over, which changes nothing: so a change behind it is one at the place too.
        """
        start, end, new = changes[0] if len(changes) == 1 else (-1, -2, "")
        over = start - self.offset
        if start != end or not new or not 0 <= over <= len(self.closing) or self.text[:over] != self.closing[:over]:
            return None
        text, closing = self.text[over:], self.closing[over:]
        if text.startswith(new):
            return Rest(start + length(new), text[len(new) :], closing)
        if new in PAIRS and text.startswith(new[0]):
            return Rest(start + 1, text[1:], new[1] + closing)
        return None
