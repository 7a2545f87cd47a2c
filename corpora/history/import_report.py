"""The report of an import of git history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from corpora.history.repository.commit_files import LeftOutFile

SkipKind: TypeAlias = Literal[
    "merge",
    "repeated",
    "formatting",
    "tests",
    "text",
    "generated",
    "renames",
    "deletions",
    "nothing",
    "long",
    "undrawn",
]
SKIP_WORDS: dict[SkipKind, str] = {
    "merge": "merges",
    "repeated": "the same patch as another commit",
    "formatting": "only white space or comments of code",
    "tests": "only tests",
    "text": "only documentation, configuration or other text",
    "generated": "only generated or vendored files",
    "renames": "only renames",
    "deletions": "only deletions",
    "nothing": "nothing to type",
    "long": "over the limit of characters",
    "undrawn": "not in the sample",
}
"""Why commits are left out, in words, in the order of a report."""


class TypedCommit(msgspec.Struct, frozen=True):
    """One commit and the tape that it became."""

    commit: str
    """Its full name."""
    subject: str
    """Its subject line, cut after 120 characters."""
    tape: str
    """The file of the tape."""
    events: int
    documents: int
    """Documents that the session opens."""
    typed: int
    """Keys that wrote text, typos included."""
    deleted: int
    """Keys that deleted text."""
    typos: int
    pastes: int
    minutes: float
    """Length of the session."""
    left_out: tuple[LeftOutFile, ...]
    """Files that the commit changed and that the session does not type."""
    lacking: dict[str, int]
    """Reason → number of files of the project that are not on the tape."""
    tests: bool
    """Whether the tape says how the project is tested."""


class SkippedCommit(msgspec.Struct, frozen=True):
    """A commit that became no tape: its full name and subject line, the kind of the reason, and the reason itself."""

    commit: str
    subject: str
    kind: SkipKind
    reason: str


class HistoryReport(msgspec.Struct, frozen=True):
    """The result for each commit that was looked at, in the order of the request."""

    repository: str
    selection: str
    """Which commits were chosen, in words."""
    seed: int
    commits: int
    """Commits that were looked at: `tapes` and `skipped`."""
    reasons: dict[str, int]
    """Kind of reason → number of commits that are left out for it."""
    tapes: tuple[TypedCommit, ...]
    skipped: tuple[SkippedCommit, ...]


def report_of(repository: str, selection: str, seed: int, made: Sequence[TypedCommit | SkippedCommit]) -> HistoryReport:
    """Sum up what became of each commit."""
    tapes = tuple(each for each in made if isinstance(each, TypedCommit))
    skipped = tuple(each for each in made if isinstance(each, SkippedCommit))
    counts = Counter(each.kind for each in skipped)
    reasons: dict[str, int] = {kind: counts[kind] for kind in SKIP_WORDS if counts[kind]}
    return HistoryReport(repository, selection, seed, len(made), reasons, tapes, skipped)
