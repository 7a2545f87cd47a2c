"""What a ledger is made of. Amounts are whole cents."""

from dataclasses import dataclass
from datetime import date


class LedgerError(ValueError):
    """A line of a ledger cannot be read."""

    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line


@dataclass(frozen=True)
class Entry:
    """On this day so much was spent; a negative amount was received."""

    day: date
    category: str
    cents: int
    memo: str = ""
