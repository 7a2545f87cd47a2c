"""Which instructions a model gets at a problem: of those that apply to a first solution, equally many of each type."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.codealign.instruction import DeveloperInstruction

GROUPS = ("cosmetic", "structural", "semantic")
"""The types between which CodeAlignBench balances (section 3.1)."""


@dataclass(frozen=True, slots=True)
class AlignmentTask:
    """A problem, a first solution of it, and an instruction that applies to that, in the words of a developer."""

    problem: StandaloneProblem
    initial: str
    instruction: DeveloperInstruction
    ask: str
    initial_tests: str = ""
    """What the tests say of the first solution; "" where nothing tests it."""


def balanced_tasks(
    problem: StandaloneProblem, initial: str, chosen: Sequence[DeveloperInstruction], *, each: int, seed: int
) -> Iterator[AlignmentTask]:
    """At most `each` instructions of each type that apply to the first solution, drawn by the seed and the problem's name.

    Rules say what applies; an instruction that needs a judge applies to every program of its languages.
    """
    draw = random.Random(f"{seed}\0{problem.name}")  # noqa: S311 - a sample, not a secret
    for group in GROUPS:
        of_group = [one for one in chosen if one.group == group and _applies(one, initial, problem.language)]
        for one in draw.sample(of_group, min(each, len(of_group))):
            yield AlignmentTask(problem, initial, one, draw.choice(list(one.asks)))


def _applies(one: DeveloperInstruction, code: str, language: str) -> bool:
    if one.knows(language):
        return one.is_applicable(code, language)
    return language in one.languages and not one.by_rule
