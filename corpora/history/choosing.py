"""Which commits of a selection become tapes: all, the newest, or a sample of those that give one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from corpora.history.planning import Planner, SessionPlan, skipped
from corpora.history.reports import SkippedCommit
from corpora.history.repository.commits import Commit
from corpora.history.repository.selection import CommitSelection

ChosenCommit: TypeAlias = Commit | SkippedCommit
"""A commit that gives a tape, or one that is left out."""


def chosen(planner: Planner, selection: CommitSelection, seed: int) -> Iterator[ChosenCommit]:
    """Each commit that is looked at, the newest first. With `last` a commit is looked at when it is asked for, and none behind the last.

    Of commits with the same patch the newest counts. Raises HistoryError if there are no commits, or the clone lacks what is needed.
    """
    walk = planner.repository.walk(selection)
    if selection.last is not None:
        return _newest(planner, walk, selection.last)
    commits = list(walk)  # a clone that lacks some of them is refused before a tape is written
    return (
        _newest(planner, iter(commits), len(commits))
        if selection.sample is None
        else _sample(planner, commits, selection.sample, seed)
    )


def _newest(planner: Planner, commits: Iterator[Commit], last: int) -> Iterator[ChosenCommit]:
    patches = _Patches(planner)
    for commit in commits:
        found = patches.repeated(commit) or planner.plan(commit)
        yield commit if isinstance(found, SessionPlan) else found
        last -= isinstance(found, SessionPlan)
        if not last:
            return


def _sample(planner: Planner, commits: Sequence[Commit], size: int, seed: int) -> Iterator[ChosenCommit]:
    """Draw without replacement, by looking at the commits in a drawn order until enough of them give a tape.

    The place of a commit in that order depends on the seed and on its name alone.
    """
    patches = _Patches(planner, commits)
    found: dict[str, ChosenCommit] = {each.sha: patches.repeated(each) or each for each in commits}
    left = [each for each in found.values() if isinstance(each, Commit)]
    drawn = 0
    for commit in sorted(left, key=lambda each: random.Random(f"{seed}:draw:{each.sha}").random()):  # noqa: S311  # no secret
        plan = planner.plan(commit) if drawn < size else skipped(commit, "undrawn", "not in the sample")
        drawn += isinstance(plan, SessionPlan)
        found[commit.sha] = commit if isinstance(plan, SessionPlan) else plan
    return iter(found.values())


class _Patches:
    """The patches that were looked at: a cherry-picked or rebased commit has that of another."""

    def __init__(self, planner: Planner, commits: Sequence[Commit] = ()) -> None:
        self._planner, self._seen = planner, dict[str, str]()
        self._known = planner.repository.patch_ids([each for each in commits if not planner.without_reading(each)])

    def repeated(self, commit: Commit) -> SkippedCommit | None:
        """Why a commit is left out without a plan: what shows without reading it, or that its patch was seen before."""
        if early := self._planner.without_reading(commit):
            return early
        known = self._known or self._planner.repository.patch_ids([commit])
        patch = known.get(commit.sha, commit.sha)
        first = self._seen.setdefault(patch, commit.sha)
        return None if first == commit.sha else skipped(commit, "repeated", f"the same patch as {first[:10]}")
