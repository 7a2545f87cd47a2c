"""How many characters each section of a context may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields, replace

from server.settings import ContextSettings

CHARACTERS_A_TOKEN = 3.2
"""An estimate, for providers that cannot count. Measured: 2,000 characters of Python are 614 tokens of SmolLM2."""
ORDER = ("before", "after", "snippets", "edits", "opened")
"""Who gets what others do not need, in this order."""
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
        """The same budget with the numbers that the settings name."""
        named = (getattr(settings, field.name) for field in fields(self))
        return Budget(*(mine if given is None else given for mine, given in zip(astuple(self), named, strict=True)))

    def ahead(self) -> Budget:
        """The same for a form that shows only what stands before the cursor: that gets the share of what stands after it."""
        return replace(self, before=self.before + self.after, after=0)

    def characters(self, rate: float) -> dict[str, int]:
        """The budget in characters, of which `rate` are a token."""
        return {section: int(getattr(self, section) * rate) for section in ORDER}


def allotted(shares: Mapping[str, int], needs: Mapping[str, int]) -> dict[str, int]:
    """Give to each section its share, and what others do not need of theirs to those that need more.

    What is passed on comes in eighths of the whole, so that a section's size does not change with each key typed into another.
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
