"""The report of an import of git history."""

from __future__ import annotations

import msgspec

from corpora.history.repository.files import LeftOutFile


class TypedCommit(msgspec.Struct, frozen=True):
    """One commit and the tape that it became."""

    commit: str
    """Its full name."""
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
    """A commit that became no tape, and the reason."""

    commit: str
    reason: str


class HistoryReport(msgspec.Struct, frozen=True):
    """The result for each commit of a range, the oldest first."""

    repository: str
    revisions: str
    seed: int
    tapes: tuple[TypedCommit, ...]
    skipped: tuple[SkippedCommit, ...]
