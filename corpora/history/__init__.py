"""Synthesised sessions: the commits of a repository, typed key by key; chance follows named distributions.

`typed_commits` gives one tape after the other, `import_history` a report on all.
"""

from corpora.history.importing import import_history, typed_commits
from corpora.history.reports import SKIP_WORDS, HistoryReport, SkippedCommit, TypedCommit
from corpora.history.repository.selection import LAST, CommitSelection
from corpora.history.request import CHARACTERS, HistoryRequest, TestsOf

__all__ = [
    "CHARACTERS",
    "LAST",
    "SKIP_WORDS",
    "CommitSelection",
    "HistoryReport",
    "HistoryRequest",
    "SkippedCommit",
    "TestsOf",
    "TypedCommit",
    "import_history",
    "typed_commits",
]
