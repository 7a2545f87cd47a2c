"""What a reader of problems gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpora.codealign.benchmark.problems import StandaloneProblem


@dataclass(frozen=True, slots=True)
class ReadProblems:
    """The problems of a benchmark, and why others of it are none, by name."""

    problems: Sequence[StandaloneProblem]
    left_out: Mapping[str, str] = field(default_factory=dict)
