"""What must hold for the repairs of real text: bundled tapes, the beginning of a session, some of DevBench's truths and published answers."""

from collections import Counter

import pytest

from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from tests.support.places import DEMO
from tests.support.repair_truths import (
    CHANGED_GOLDEN,
    MOST,
    SPACED,
    changed_by_repairs,
    changed_golden,
    reason_of,
    truths,
)
from tests.support.scale import sampled
from tools.repair_tables import HINTS, MODELS, measure, sums


@pytest.mark.sampled
@pytest.mark.parametrize("tape", ["ledger", "router", "session"])
def test_what_came_to_stand_there_passes_all_repairs_at_the_moments_of_tapes(tape, request):
    session = request.getfixturevalue("recorded_session") if tape == "session" else read(DEMO / f"{tape}.tape.jsonl")
    seen, changed = changed_by_repairs(sampled(list(truths(Timeline(session)))))
    assert "another" not in {reason_of(draft) for draft, _ in changed}, [
        (draft.text, trail) for draft, trail in changed
    ]
    assert sum(reason_of(draft) != SPACED for draft, _ in changed) / seen <= MOST


def test_the_golden_completions_of_devbench_pass_all_repairs(shared):
    seen, changed = changed_golden(shared)
    assert seen == 6 * 6 * 2
    assert changed <= CHANGED_GOLDEN.keys()


@pytest.fixture(scope="module")
def measured(shared, once):
    return once("repairs-measured-on-excerpts", lambda: measure(shared))


@pytest.mark.parametrize("stop", HINTS)
@pytest.mark.parametrize("model", MODELS)
def test_in_no_cell_of_devbench_do_fewer_repaired_answers_parse(measured, model, stop):
    found = measured[model, stop]
    assert len(found) == 36
    for cell, counts in found.items():
        assert counts["parse repaired"] >= counts["parse raw"], cell
        assert not counts["broken"], cell


@pytest.mark.parametrize("stop", HINTS)
def test_repairs_mend_answers_and_do_not_just_cut_them_away(measured, stop):
    counts = sum((sums(measured[model, stop]) for model in MODELS), Counter())
    gained = counts["parse repaired"] - counts["parse raw"]
    assert gained > 0
    assert counts["emptied"] < 0.13 * counts["answers"]
    assert counts["mended by emptying"] < gained
