"""Which commits `ghosttape try` types."""

from __future__ import annotations

from corpora.history import CommitSelection
from tui.commands.options.flags import TryFlags
from tui.commands.tapes.history import HistoryFlags

_LAST, _LAST_CHOSEN = 5, 20
"""How many of the newest commits that give a session are typed, of all and of those that flags choose; the help of `--last` names them."""


def selection_of(given: TryFlags, seed: int = 0) -> CommitSelection:
    """The choice of commits that flags make, of which the newest are taken; without any the newest few.

    Raises:
        ConfigurationError: flags exclude each other.

    """
    chooses = any(value is not None for value in (given.revisions, given.since, given.author))
    last = (_LAST_CHOSEN if chooses else _LAST) if given.last is None and given.sample is None else given.last
    found = HistoryFlags("", given.revisions, last, given.since, given.author, given.sample, given.merges, seed, None)
    found.check()
    return found.selection()
