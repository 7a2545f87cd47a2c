"""Synthesised sessions: the commits of a repository, typed key by key; chance follows named distributions.

`typed_commits` gives one tape after the other, `import_history` a report on all; `nearest_passing` searches a commit that can be tested.
"""

from corpora.history.history_import import import_history, typed_commits
from corpora.history.import_report import SKIP_WORDS, HistoryReport, SkippedCommit, TypedCommit
from corpora.history.repository.commit_search import NearestPassing, nearest_passing
from corpora.history.repository.commit_selection import LAST, CommitSelection
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
