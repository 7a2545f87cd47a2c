"""The newest commit that passes, found with few tries where each try is expensive."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

CommitT = TypeVar("CommitT")
TRIES = 12
"""Always enough where at most the newest 32 commits fail."""


@dataclass(frozen=True, slots=True)
class NearestPassing(Generic[CommitT]):
    """The result of a search for a commit that passes."""

    commit: CommitT | None
    """The newest commit that was seen to pass; None if none was."""
    tried: tuple[tuple[CommitT, bool], ...]
    """Each commit that was tried and whether it passed, in the order of the tries. None was tried twice."""
    complete: bool
    """Whether the search came to its end: the commit just after `commit` was seen to fail, or `commit` is the newest of all, or the
    oldest of all fails too. False if the limit of tries ended it: then commits between the newest tried one that fails and `commit`
    (all that are older, if it is None) are unknown."""


async def nearest_passing(
    commits: Sequence[CommitT], passes: Callable[[CommitT], Awaitable[bool]], limit: int = TRIES
) -> NearestPassing[CommitT]:
    """Find the newest commit that passes, with at most `limit` calls of `passes`.

    `commits` are the newest first. If the newest fails, the search gallops back (1, 2, 4, 8 … commits, at last the oldest) until one
    passes, and bisects between that and the last that failed. Example: of 100 commits of which the newest 5 fail, it tries the commits
    0, 1, 2, 4, 8, 6, 5, counted from the newest.

    If commits pass from some commit backwards, the result is the newest that passes. If they fail and pass in turns, it is one
    that passes and whose next newer commit fails, and a newer one that was not tried may pass.

    Raises:
        ValueError: `limit` is below 1. What `passes` raises comes through.

    """
    if limit < 1:
        raise ValueError("at least one commit is tried")
    tried: dict[int, bool] = {}
    failed, passed = -1, len(commits)
    while failed + 1 < passed and len(tried) < limit:
        at = _next(failed, passed, len(commits))
        tried[at] = await passes(commits[at])
        failed, passed = (failed, at) if tried[at] else (at, passed)
    commit = commits[passed] if passed in tried else None
    return NearestPassing(commit, tuple((commits[at], tried[at]) for at in tried), failed + 1 == passed)


def _next(failed: int, passed: int, count: int) -> int:
    """Which commit is tried next: the middle between one that fails and one that passes; without one that passes, twice as far back."""
    if passed < count:
        return (failed + passed) // 2
    return min(max(2 * failed, failed + 1), count - 1)
