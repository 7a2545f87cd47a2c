"""Reading a ledger: one entry a line, `2024-03-01 food 12.50 lunch with Ada`."""

import re
from datetime import date

from ledger.model import Entry, LedgerError

AMOUNT = re.compile(r"(-?)(\d+)(?:\.(\d\d))?")


def cents_of(text):
    """Whole cents of an amount such as `12`, `12.50` or `-3.99`."""
    match = AMOUNT.fullmatch(text)
    if match is None:
        raise ValueError(f"not an amount: {text!r}")
    sign, whole, fraction = match.groups()
    cents = int(whole) * 100 + int(fraction or 0)
    return -cents if sign else cents


def parse_entry(line):
    """One entry: a day, a category, an amount, and perhaps a memo."""
    words = line.split(maxsplit=3)
    if len(words) < 3:
        raise ValueError("an entry needs a day, a category and an amount")
    memo = words[3] if len(words) == 4 else ""
    return Entry(date.fromisoformat(words[0]), words[1], cents_of(words[2]), memo)


def parse(text):
    """All entries of a ledger, in order; blank lines and those that begin with `#` are passed over."""
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            entries.append(parse_entry(line))
        except ValueError as error:
            raise LedgerError(number, error) from error
    return entries
