"""What there is to type in a commit, or why the commit is left out; nothing is typed yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from corpora.history.reports import SKIP_WORDS, SkipKind, SkippedCommit
from corpora.history.repository.commits import Commit, Repository
from corpora.history.repository.files import CommitFiles, files_of
from corpora.history.repository.selection import Merges
from corpora.history.session.session import TypingTask, tasks
from corpora.history.skip_kinds import kind_by_paths, kind_by_texts

_AT_ONCE = 500
"""Commits whose changed files are asked for at once; it bounds what is held."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A commit that gives a tape: its files, and the changes to type."""

    commit: Commit
    files: CommitFiles
    tasks: list[TypingTask]


class Planner:
    """Plans the commits of one repository. The last plan is kept, so a commit that was just chosen is not read again."""

    def __init__(self, repository: Repository, merges: Merges, characters: int) -> None:
        self.repository, self._merges, self._limit = repository, merges, characters
        self.plan = lru_cache(maxsize=1)(self._plan)

    def sift(self, commits: Sequence[Commit]) -> dict[str, SkippedCommit]:
        """The commits that are left out, as far as that shows without their texts. Raises HistoryError if the clone lacks a tree."""
        merges = {commit.sha for commit in commits if len(commit.parents) > 1 and self._merges == "all"}
        found = {
            each.sha: skipped(each, "merge", "a merge: its commits are looked at instead")
            for each in commits
            if each.sha in merges
        }
        rest = [commit for commit in commits if commit.sha not in merges]
        for at in range(0, len(rest), _AT_ONCE):
            some = rest[at : at + _AT_ONCE]
            changes = self.repository.changes(some, alike=100)
            kinds = ((commit, kind_by_paths(changes[commit.sha])) for commit in some)
            found |= {commit.sha: skipped(commit, kind, SKIP_WORDS[kind]) for commit, kind in kinds if kind}
        return found

    def _plan(self, commit: Commit) -> SessionPlan | SkippedCommit:
        """The plan of a commit, or why it is left out. Raises HistoryError if the clone lacks an object."""
        files = files_of(self.repository, commit)
        if kind := kind_by_texts(files):
            why = f": {_reasons(files)}" if kind == "nothing" else ""
            return skipped(commit, kind, SKIP_WORDS[kind] + why)
        given = tasks(files.documents, files.elsewhere)
        wanted = sum(task.characters for task in given)
        if wanted > self._limit:
            said = f"{wanted} characters would have to be typed, and the limit is {self._limit}"
            return skipped(commit, "long", said)
        return SessionPlan(commit, files, given)


def skipped(commit: Commit, kind: SkipKind, reason: str) -> SkippedCommit:
    """Leave a commit out."""
    return SkippedCommit(commit.sha, commit.subject, kind, reason)


def _reasons(files: CommitFiles) -> str:
    return "; ".join(sorted({each.reason for each in files.left_out}))
