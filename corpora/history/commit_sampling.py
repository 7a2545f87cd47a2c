"""Which commits of a selection become tapes: all, the newest, or a sample of those that give one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from corpora.history.commit_plan import Planner, SessionPlan, skipped
from corpora.history.import_report import SkippedCommit
from corpora.history.repository.commit_selection import CommitSelection
from corpora.history.repository.commits import Commit

ChosenCommit: TypeAlias = Commit | SkippedCommit
"""A commit that gives a tape, or one that is left out."""


def chosen(planner: Planner, selection: CommitSelection, seed: int) -> Iterator[ChosenCommit]:
    """Each commit that is looked at, the newest first. With `last` a commit is looked at when it is asked for, and none behind the last.

    Of commits with the same patch the newest counts. Raises HistoryError if there are no commits, or the clone lacks what is needed.
    """
    walk = planner.repository.walk(selection)
    if selection.last is not None:
        return _newest(planner, _Sieve(planner), walk, selection.last)
    commits = list(walk)  # a clone that lacks some of them is refused before a tape is written
    sieve = _Sieve(planner, commits)
    if selection.sample is None:
        return _newest(planner, sieve, commits, len(commits))
    return _sample(planner, sieve, commits, selection.sample, seed)


def _newest(planner: Planner, sieve: _Sieve, commits: Iterable[Commit], last: int) -> Iterator[ChosenCommit]:
    for commit in commits:
        found = sieve.left_out(commit) or planner.plan(commit)
        yield commit if isinstance(found, SessionPlan) else found
        last -= isinstance(found, SessionPlan)
        if not last:
            return


def _sample(planner: Planner, sieve: _Sieve, commits: Sequence[Commit], size: int, seed: int) -> Iterator[ChosenCommit]:
    """Draw without replacement, by looking at the commits in a drawn order until enough of them give a tape.

    The place of a commit in that order depends on the seed and on its name alone.
    """
    found: dict[str, ChosenCommit] = {each.sha: sieve.left_out(each) or each for each in commits}
    left = [each for each in found.values() if isinstance(each, Commit)]
    drawn = 0
    for commit in sorted(left, key=lambda each: random.Random(f"{seed}:draw:{each.sha}").random()):  # noqa: S311  # no secret
        plan = planner.plan(commit) if drawn < size else skipped(commit, "undrawn", "not in the sample")
        drawn += isinstance(plan, SessionPlan)
        found[commit.sha] = commit if isinstance(plan, SessionPlan) else plan
    return iter(found.values())


class _Sieve:
    """What is left out without a plan: what shows without texts, and patches that were seen before, as of cherry-picked or rebased commits.

    Commits that are all known beforehand are asked for at once, because each question starts a process.
    """

    def __init__(self, planner: Planner, known: Sequence[Commit] = ()) -> None:
        self._planner, self._seen = planner, dict[str, str]()
        self._all = bool(known)
        self._skipped, self._patches = self._asked(known)

    def left_out(self, commit: Commit) -> SkippedCommit | None:
        """Why a commit is left out; None if it must be planned to know."""
        skips, patches = (self._skipped, self._patches) if self._all else self._asked([commit])
        if commit.sha in skips:
            return skips[commit.sha]
        first = self._seen.setdefault(patches.get(commit.sha, commit.sha), commit.sha)
        return None if first == commit.sha else skipped(commit, "repeated", f"the same patch as {first[:10]}")

    def _asked(self, commits: Sequence[Commit]) -> tuple[dict[str, SkippedCommit], dict[str, str]]:
        skips = self._planner.sift(commits)
        rest = [commit for commit in commits if commit.sha not in skips]
        return skips, self._planner.repository.patch_ids(rest) if rest else {}
