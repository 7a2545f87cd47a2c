"""Synthesised sessions: the commits of a repository, typed key by key; chance follows named distributions."""

from corpora.history.importing import CHARACTERS, import_history
from corpora.history.reports import HistoryReport, SkippedCommit, TypedCommit

__all__ = ["CHARACTERS", "HistoryReport", "SkippedCommit", "TypedCommit", "import_history"]
