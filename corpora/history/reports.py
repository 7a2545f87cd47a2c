"""What an import of git history did."""

from __future__ import annotations

import msgspec

from corpora.history.files import LeftOut


class TypedCommit(msgspec.Struct, frozen=True):
    """One commit and the tape that it became.

    `typed` and `deleted` count keys, mistakes and their mending too; `pastes` counts pastes. `lacking` says how many files of
    the project are not on the tape, by reason; `tests` whether the tape knows how the project is tested.
    """

    commit: str
    tape: str
    events: int
    documents: int
    typed: int
    deleted: int
    typos: int
    pastes: int
    minutes: float
    left_out: tuple[LeftOut, ...]
    lacking: dict[str, int]
    tests: bool


class SkippedCommit(msgspec.Struct, frozen=True):
    """A commit that became no tape, and why."""

    commit: str
    reason: str


class HistoryReport(msgspec.Struct, frozen=True):
    """What became of each commit of the range, the oldest first."""

    repository: str
    revisions: str
    seed: int
    tapes: tuple[TypedCommit, ...]
    skipped: tuple[SkippedCommit, ...]
