"""What the developer wrote passes under every policy, by the real tests of the demo's projects."""

import asyncio
import os
from contextlib import AsyncExitStack

import pytest

from corpora.demo.bundled import demo_tapes
from replay.judge.tape_cases import prepare_tests
from replay.run.engine import cache_folder
from replay.tapes import tape as tape_files
from replay.tapes.timeline import Timeline
from runners.sandboxes import pick
from tools.oracle_table import (
    CUTS,
    POLICIES,
    judged,
)

SAMPLE = 3


@pytest.fixture(scope="module")
def verdicts():
    """Verdicts of a few moments of each policy, drawn from each tape."""
    return asyncio.run(_verdicts())


async def _verdicts():
    slots = asyncio.Semaphore(os.cpu_count() or 1)
    async with AsyncExitStack() as stack:
        tapes = []
        for path in demo_tapes():
            timeline = Timeline(tape_files.read(path))
            tests = await prepare_tests(timeline, pick("auto"), cache_folder(), slots, print)
            stack.push_async_callback(tests.close)
            tapes.append((timeline, tests))
        return await judged(tapes, POLICIES, SAMPLE)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_the_developer_wrote_passes_and_stands_once(verdicts, policy):
    found = verdicts[policy]
    assert found.moments == SAMPLE * len(demo_tapes())
    assert found.failures == []
    assert found.twice == 0


@pytest.mark.parametrize("cut", CUTS)
def test_every_cut_was_tested(verdicts, cut):
    assert sum(len(found.passed[cut]) for found in verdicts.values()) >= 15
