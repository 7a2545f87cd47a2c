"""Sessions that nobody recorded: the commits of a repository, typed by hands that are drawn from named distributions."""

from corpora.history.importing import CHARACTERS, import_history
from corpora.history.reports import HistoryReport, SkippedCommit, TypedCommit

__all__ = ["CHARACTERS", "HistoryReport", "SkippedCommit", "TypedCommit", "import_history"]
