"""Which commits `ghosttape try` types."""

from __future__ import annotations

from corpora.history import CommitSelection
from tui.commands.options.try_options import LAST, LAST_CHOSEN, TryFlags
from tui.commands.tapes.history import HistoryFlags


def selection_of(given: TryFlags, seed: int = 0) -> CommitSelection:
    """The choice of commits that flags make, of which the newest are taken; without any the newest few.

    Raises:
        ConfigurationError: flags exclude each other.

    """
    chooses = any(value is not None for value in (given.revisions, given.since, given.author))
    last = (LAST_CHOSEN if chooses else LAST) if given.last is None and given.sample is None else given.last
    found = HistoryFlags("", given.revisions, last, given.since, given.author, given.sample, given.merges, seed, None)
    found.check()
    return found.selection()
