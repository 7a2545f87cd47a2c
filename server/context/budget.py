"""How many characters each section of a context may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields, replace

from server.settings import ContextSettings

CHARACTERS_A_TOKEN = 3.2
"""An estimate, for providers that cannot count. Measured: 2,000 characters of Python are 614 tokens of SmolLM2."""
ORDER = ("before", "after", "snippets", "edits", "opened")
"""The order in which sections get what other sections do not need."""
_PARTS = 8


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens by section: text before and after the cursor, similar snippets, recent edits, outlines of open documents.

    A section with no tokens is switched off.
    """

    before: int
    after: int
    snippets: int = 0
    edits: int = 0
    opened: int = 0

    def overridden(self, settings: ContextSettings) -> Budget:
        """The same budget with the numbers that the settings set."""
        named = (getattr(settings, field.name) for field in fields(self))
        return Budget(*(mine if given is None else given for mine, given in zip(astuple(self), named, strict=True)))

    def ahead(self) -> Budget:
        """The same budget for a form without text after the cursor: `before` also gets the tokens of `after`."""
        return replace(self, before=self.before + self.after, after=0)

    def characters(self, rate: float) -> dict[str, int]:
        """The budget in characters, with `rate` characters a token: 100 tokens at 3.2 are 320 characters."""
        return {section: int(getattr(self, section) * rate) for section in ORDER}


def allotted(shares: Mapping[str, int], needs: Mapping[str, int]) -> dict[str, int]:
    """Give each section its share, and pass on what a section does not need to the others.

    What is passed on is a multiple of an eighth of the whole, so that a section's size does not change with each key. Shares of 400 each for
    `before` and `after`, needs of 900 and 90: 310 are spare, which is 300 in steps of 100, so `before` gets 700.
    """
    whole = sum(shares.values())
    step = max(whole // _PARTS, 1)
    spare = sum(max(0, shares[section] - needs[section]) for section in ORDER)
    spare -= spare % step
    sizes = dict(shares)
    for section in ORDER:
        missing = needs[section] - shares[section]
        if shares[section] and missing > 0:
            given = min(spare, -(-missing // step) * step)
            sizes[section] += given
            spare -= given
    return sizes
