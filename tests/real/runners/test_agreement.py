"""A program's verdict does not depend on the sandbox."""

import asyncio
import random

import pytest

from corpora.devbench import DevBench
from corpora.devbench.corpus import CATEGORIES
from runners.programs import cold
from runners.sandboxes import AUTO, fault, make

NUMBERS = {"python": 5, "javascript": 4, "java": 3, "cpp": 2, "typescript": 1}
"""How many programs of a language, each where it takes little time."""


@pytest.fixture
def drawn(shared, need):
    """Published programs of all languages and categories, as they were written; and, of every third, with its gap left empty."""
    need("node", "npm", "javac", "g++")
    bench, chance = DevBench(shared / "devbench"), random.Random(11)
    found = []
    for language, number in NUMBERS.items():
        found += chance.sample(bench.tasks([language], CATEGORIES, packages=False), number)
    return [(task, task.emptied if index % 3 == 2 else task.finished) for index, task in enumerate(found)]


@pytest.fixture
def sandboxes(docker, lacking):
    """All sandboxes at once, the one of containers last."""
    for name in AUTO:
        if reason := fault(name):
            lacking(f"{name} does not work here: {reason}")
    return [*map(make, AUTO), docker]


async def verdicts(sandbox, drawn, cache):
    programs = await cold(sandbox, cache, lambda _: None)
    try:
        return [(await task.tests.run(filled, programs)).verdict_class for task, filled in drawn]
    finally:
        await programs.close()


async def test_every_sandbox_gives_the_same_verdicts(drawn, sandboxes, cache):
    first, *others = await asyncio.gather(*(verdicts(one, drawn, cache) for one in sandboxes))
    assert others == [first] * len(AUTO)
    assert len({*first}) > 2, "a sample of one kind shows little"
