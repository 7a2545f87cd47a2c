"""What is asked of an import of git history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from corpora.history.repository.commit_selection import NEWEST, CommitSelection
from corpora.history.session.distributions import Distributions, named_distributions
from replay.tapes.tape import Tests

CHARACTERS = 20_000
"""A commit with more characters to type than this is left out."""
CommitOrder: TypeAlias = Literal["newest", "oldest"]
"""Which commit comes first."""
TestsOf: TypeAlias = Callable[[Mapping[str, str]], Tests | None]
"""How a project is tested, by its files (path → text); None if they do not show it. `detect_tests` is one."""


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """The commits of a repository to type, and how. Only `repository` and `out` must be given."""

    repository: str
    """The folder of a clone, bare or not. It is only read."""
    out: Path
    """The folder for the tapes; it is made if it is missing."""
    selection: CommitSelection = NEWEST
    """Which commits are typed, and what becomes of merges."""
    seed: int = 0
    """The seed of everything random: the keys of a session, and the draw of a sample."""
    order: CommitOrder = "newest"
    """In which order commits are typed. `newest` types the first tape at once; `oldest` must choose all commits before."""
    characters: int = CHARACTERS
    """Commits with more characters to type are left out; pasted text does not count."""
    force: bool = False
    """Whether a file with another content that stands in the place of a tape is replaced."""
    distributions: Distributions = field(default_factory=named_distributions)
    """How a person types."""
    name: str = ""
    """What the repository is called; by default as its `origin` is, else as its folder."""
