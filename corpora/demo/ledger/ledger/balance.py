"""Sums over the entries of a ledger, in cents."""

from collections import defaultdict


def totals(entries):
    """Category to what was spent on it, the dearest first."""
    sums = defaultdict(int)
    for entry in entries:
        sums[entry.category] += entry.cents
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


def total(entries):
    """What was spent altogether."""
    return sum(entry.cents for entry in entries)
