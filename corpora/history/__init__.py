"""Synthesised sessions: the commits of a repository, typed key by key; chance follows named distributions.

`typed_commits` gives one tape after the other, `import_history` a report on all; `nearest_passing` searches a commit that can be tested.
"""

from corpora.history.importing import import_history, typed_commits
from corpora.history.reports import SKIP_WORDS, HistoryReport, SkippedCommit, TypedCommit
from corpora.history.repository.nearest import NearestPassing, nearest_passing
from corpora.history.repository.selection import LAST, CommitSelection
from corpora.history.request import CHARACTERS, HistoryRequest, TestsOf

__all__ = [
    "CHARACTERS",
    "LAST",
    "SKIP_WORDS",
    "CommitSelection",
    "HistoryReport",
    "HistoryRequest",
    "NearestPassing",
    "SkippedCommit",
    "TestsOf",
    "TypedCommit",
    "import_history",
    "nearest_passing",
    "typed_commits",
]
