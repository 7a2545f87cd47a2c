"""What must hold for the repairs of real text: bundled tapes, a recording of 92 minutes, DevBench's truths and published answers."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from replay.judge.grafts import hole_of
from replay.play.policies.blocks import ALL_AT, MomentPlace, block_places
from replay.records import Moment
from replay.tapes.documents import walk
from replay.tapes.tape import Edit, read
from replay.tapes.timeline import Timeline
from server.repair.draft import Draft
from server.repair.offer import offered
from syntax.languages import language_of
from syntax.text import cut, length, position_at
from tools.repair_tables import HINTS, MODELS, golden_answers, inserted, measure, page, sums

ROOT = Path(__file__).parents[3]
MOST = 0.005
"""The share of truths that may be changed: each of them is listed here with its reason."""
CHANGED_GOLDEN = {
    ("javascript", "api_usage", "27"): "repeats: says the six lines above again",
    ("typescript", "code2NL_NL2code", "19"): "repeats: says the comment above the cursor again",
    ("typescript", "code_purpose_understanding", "42"): "repeats: ends with the comments that stand below",
    ("typescript", "syntax_completion", "32"): "repeats: says the statement below",
    ("cpp", "low_context", "19"): "stop: its comment would take in the assertion right of the cursor",
}
SPACED = "begins with spaces that the line above gives no reason for: three places that the person indented so"
CHANGED_ON_TAPES = {
    "closes a comment that was opened only later (`*/`)": 11,
    "ends with a comment that takes in the brace right of the cursor": 1,
    SPACED: 5,
}


def texts(timeline):
    """Each moment's place with the text before and after the cursor: all places of blocks, and every edit."""
    wanted = defaultdict(list)
    for place in block_places(timeline, at=ALL_AT):
        wanted[place.event].append(place)
    for index, event, documents in walk(timeline.tape):
        paths = {path: doc for doc, path in documents.paths.items()}
        if isinstance(event, Edit) and event.changes:
            wanted[index].append(MomentPlace(index, documents.paths[event.doc], event.changes[0][0], "auto", "", ""))
        for place in wanted[index]:
            text = documents.texts[paths[place.path]]
            yield place, cut(text, 0, place.offset), cut(text, place.offset, length(text))


def truths(timeline):
    """A draft of what came to stand there, for every moment that has it."""
    for place, before, after in texts(timeline):
        line, character = position_at(before + after, length(before))
        where = {"offset": place.offset, "line": line, "character": character, "before": before, "after": after}
        language = timeline.languages[place.path]
        moment = Moment(
            tape="t", event=place.event, path=place.path, language=language, t=0.0, stop=place.stop, **where
        )
        hole = hole_of(timeline, moment, before, after)
        if not isinstance(hole, str):
            yield Draft(language_of(language) or language_of(place.path), before, after, hole.truth, place.stop)


@pytest.fixture(scope="module")
def timelines(long_session):
    demo = [read(ROOT / f"corpora/demo/{name}.tape.jsonl") for name in ("ledger", "router")]
    return [Timeline(tape) for tape in [*demo, long_session]]


def test_what_came_to_stand_there_passes_all_repairs_at_the_moments_of_tapes(timelines):
    seen, changed = 0, []
    for draft in (draft for timeline in timelines for draft in truths(timeline)):
        seen += 1
        made = offered(draft)
        changed += [(draft, made.trail)] if made.text != draft.text else []
    reasons = Counter(reason_of(draft) for draft, _ in changed)
    assert reasons == CHANGED_ON_TAPES, [(draft.text, trail) for draft, trail in changed]
    assert seen > 2500
    assert (len(changed) - reasons[SPACED]) / seen <= MOST


def reason_of(draft):
    if draft.text.endswith("*/"):
        return "closes a comment that was opened only later (`*/`)"
    if draft.line_after.strip() == "}":
        return "ends with a comment that takes in the brace right of the cursor"
    return SPACED if draft.text.startswith(" ") else "another"


def test_the_golden_completions_of_devbench_pass_all_repairs(shared):
    changed, seen = set(), 0
    for answer in golden_answers(shared):
        seen += 1
        if offered(answer.draft("any")).text != (answer.text if answer.text.strip() else ""):
            changed.add((answer.language, answer.category, answer.instance))
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
    assert counts["emptied"] < 0.13 * counts["answers"]
    assert counts["mended by emptying"] < gained


def test_the_page_of_the_repairs_has_the_tables_that_were_measured(measured):
    text = (ROOT / "docs/repairs.md").read_text()
    assert inserted(text, page(measured)) == text, "make repairs DATA=../shared/data"
