"""Which commits of a repository are chosen, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Merges: TypeAlias = Literal["all", "first-parent"]
"""What becomes of merges: `all` leaves them out and takes the commits that they brought in; `first-parent` takes each merge as one
commit, with its whole difference to its first parent, and not the commits that it brought in."""
LAST = 10
"""The number of tapes if nothing says which commits are chosen."""


@dataclass(frozen=True, slots=True)
class CommitSelection:
    """Which commits are chosen. `revisions`, `since` and `author` say which are candidates, `last` or `sample` how many become tapes.

    Example: `CommitSelection("v1.0..v2.0", author="Ada", last=5)` is the newest five commits of Ada between two versions that give a tape.
    Without `last` and `sample`, all candidates are chosen.

    Raises:
        ValueError: both `last` and `sample` are given, or one of them is below 1.

    """

    revisions: str = ""
    """A range `A..B`, or one commit; empty for all commits of HEAD."""
    since: str = ""
    """Commits since this date, as git reads dates; empty for all."""
    author: str = ""
    """A regular expression that git looks for in the author's name and address; empty for all."""
    last: int | None = None
    """The newest commits that give a tape, at most so many."""
    sample: int | None = None
    """So many are drawn of those that give a tape."""
    merges: Merges = "all"

    def __post_init__(self) -> None:
        """Refuse numbers that choose nothing, or exclude each other."""
        if self.last is not None and self.sample is not None:
            raise ValueError("either the last commits are chosen, or a sample")
        if min(self.last or 1, self.sample or 1) < 1 or 0 in {self.last, self.sample}:
            raise ValueError("at least one commit is chosen")

    def __str__(self) -> str:
        """The choice in words, as `v1.0..v2.0, by Ada, last 5`."""
        return ", ".join(self._words())

    @property
    def candidates(self) -> CommitSelection:
        """The same without numbers: all of which `last` or `sample` take some."""
        return replace(self, last=None, sample=None)

    def _words(self) -> Iterator[str]:
        yield self.revisions or "HEAD"
        named = {"since": self.since, "by": self.author, "last": self.last, "sample": self.sample}
        yield from (f"{word} {value}" for word, value in named.items() if value)
        if self.merges == "first-parent":
            yield "first parents"

    def arguments(self, *, author: bool = True) -> list[str]:
        """The arguments of `git rev-list` that name the candidates; text of a person is never an option of git."""
        found = ["--first-parent"] if self.merges == "first-parent" else []
        found += ["--no-walk"] if self.revisions and ".." not in self.revisions else []
        found += [f"--since={self.since}"] if self.since else []
        found += [f"--author={self.author}"] if self.author and author else []
        return [*found, "--end-of-options", self.revisions or "HEAD", "--"]


NEWEST = CommitSelection(last=LAST)
"""What is typed if nothing says which commits are chosen."""
