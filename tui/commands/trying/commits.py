"""Which commits `ghosttape try` types."""

from __future__ import annotations

from corpora.history import CommitSelection
from tui.commands.options.try_options import LAST, TryFlags
from tui.commands.tapes.history import HistoryFlags


def selection_of(given: TryFlags) -> CommitSelection:
    """The choice of commits that flags make; without any the newest few.

    Raises:
        ConfigurationError: flags exclude each other.

    """
    chosen = (given.revisions, given.since, given.author, given.sample)
    last = LAST if given.last is None and all(value is None for value in chosen) else given.last
    found = HistoryFlags(
        "", given.revisions, last, given.since, given.author, given.sample, given.merges, given.seed, None
    )
    found.check()
    return found.selection()
