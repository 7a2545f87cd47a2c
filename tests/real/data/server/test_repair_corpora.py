"""What must hold for the repairs of real text: a recording of 92 minutes, DevBench's truths and published answers."""

from collections import Counter

import pytest

from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from tests.support.places import ROOT
from tests.support.repair_truths import (
    CHANGED_GOLDEN,
    MOST,
    SPACED,
    changed_by_repairs,
    changed_golden,
    reason_of,
    truths,
)
from tools.repair_tables import HINTS, MODELS, inserted, measure, page, sums

CHANGED_ON_TAPES = {
    "closes a comment that was opened only later (`*/`)": 11,
    "ends with a comment that takes in the brace right of the cursor": 1,
    SPACED: 5,
}


@pytest.fixture(scope="module")
def timelines(long_session):
    demo = [read(ROOT / f"corpora/demo/{name}.tape.jsonl") for name in ("ledger", "router")]
    return [Timeline(tape) for tape in [*demo, long_session]]


def test_what_came_to_stand_there_passes_all_repairs_at_the_moments_of_tapes(timelines):
    seen, changed = changed_by_repairs(draft for timeline in timelines for draft in truths(timeline))
    reasons = Counter(reason_of(draft) for draft, _ in changed)
    assert reasons == CHANGED_ON_TAPES, [(draft.text, trail) for draft, trail in changed]
    assert seen > 2500
    assert (len(changed) - reasons[SPACED]) / seen <= MOST


def test_the_golden_completions_of_devbench_pass_all_repairs(shared):
    seen, changed = changed_golden(shared)
    assert changed == set(CHANGED_GOLDEN)
    assert seen == 1800
    assert len(changed) / seen <= MOST


@pytest.fixture(scope="module")
def measured(shared, once):
    return once("repairs-measured", lambda: measure(shared))


@pytest.mark.parametrize("stop", HINTS)
@pytest.mark.parametrize("model", MODELS)
def test_in_no_cell_of_devbench_do_fewer_repaired_answers_parse(measured, model, stop):
    found = measured[model, stop]
    assert len(found) == 36
    for cell, counts in found.items():
        assert counts["parse repaired"] >= counts["parse raw"], cell
        assert not counts["broken"], cell


@pytest.mark.parametrize("stop", HINTS)
@pytest.mark.parametrize("model", MODELS)
def test_repairs_mend_answers_and_do_not_just_cut_them_away(measured, model, stop):
    counts = sums(measured[model, stop])
    gained = counts["parse repaired"] - counts["parse raw"]
    assert gained > 150
    assert counts["emptied"] - counts["mended by emptying"] < 0.13 * counts["answers"]
    assert counts["mended by emptying"] < gained


def test_the_page_of_the_repairs_has_the_tables_that_were_measured(measured):
    text = (ROOT / "docs/repairs.md").read_text()
    assert inserted(text, page(measured)) == text, "make repairs DATA=../shared/data"
