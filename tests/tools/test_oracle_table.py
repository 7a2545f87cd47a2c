"""What the developer wrote passes under every policy, by the real tests of the demo's projects."""

import asyncio
import os
import random
from contextlib import AsyncExitStack

import pytest

from corpora.demo.bundled import demo_tapes
from replay.judge.grafts import hole_of
from replay.judge.tape_cases import prepare_tests
from replay.run.engine import cache_folder
from replay.tapes import tape as tape_files
from replay.tapes.timeline import Timeline
from runners.sandboxes import pick
from tools.oracle_table import (
    CUTS,
    HEAD,
    POLICIES,
    PolicyVerdicts,
    drawn,
    first_half,
    first_statement,
    judged,
    longer,
    spots,
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


def test_a_cut_is_a_beginning_of_what_was_written():
    timeline, luck, shorter = Timeline(tape_files.read(demo_tapes()[0])), random.Random(1), 0
    for spot in spots(timeline, "pause:300"):
        hole = hole_of(timeline, spot.moment, spot.before, spot.after)
        if not isinstance(hole, str):
            rest = hole.final[hole.start :]
            cuts = [cut(timeline, spot, hole, luck) for cut in (first_statement, first_half, longer)]
            assert all(rest.startswith(text) and text for text in cuts)
            shorter += len(cuts[1]) < len(hole.truth)
    assert shorter > 10


def test_a_draw_is_repeatable_and_in_order():
    timeline = Timeline(tape_files.read(demo_tapes()[0]))
    some = drawn(timeline, "every", 20)
    assert some == drawn(timeline, "every", 20)
    assert [spot.moment.event for spot in some] == sorted(spot.moment.event for spot in some)
    assert len(drawn(timeline, "every", None)) > 500


def test_a_row_has_a_cell_for_each_column():
    assert PolicyVerdicts().row("every").count("|") == HEAD.splitlines()[0].count("|")
