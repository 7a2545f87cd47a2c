"""A replay that asks for the next edit: a real server, a real project, its tests in the sandbox."""

import pytest

from replay.errors import ReplayError
from replay.numbers.metrics import length_class
from replay.run.sources.tape_source import TapeSource
from replay.run.store import Store
from replay.tapes.tape import read
from tests.support.places import LEDGER
from tests.support.replays import options_of, run

FIRST = 8


def replayed(provider, **more):
    return options_of(policy="edits", latency="fixed:80", limit=FIRST, settings={"provider": provider}, **more)


@pytest.mark.parametrize(
    ("provider", "passed", "ending"),
    [({"name": "oracle"}, True, "shown"), ({"name": "fixed", "text": ""}, False, "empty")],
)
async def test_what_the_person_did_passes_everywhere_and_nothing_passes_nowhere(
    tmp_path, cache, provider, passed, ending
):
    found = await run([read(LEDGER)], tmp_path / "run", replayed(provider), cache=cache)
    assert (found["moments"], found["endings"]) == (FIRST, {ending: FIRST})
    share = found["metrics"]["pass_at_1"]
    assert share["n"] > 1
    assert share["value"] == passed
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
    assert {record.moment.kind for record in records} <= {"jump", "near", "silence"}
    assert all(record.moment.truth.startswith("--- ") for record in records if record.moment.kind != "silence")
    if passed:
        assert all(record.suggestion.text == record.moment.truth for record in records)


async def test_a_continued_run_keeps_the_edits_and_their_verdicts(tmp_path, cache):
    options = replayed({"name": "oracle"})
    first = await run([read(LEDGER)], tmp_path / "run", options, cache=cache)
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
    assert any(record.suggestion.changes for record in records)
    again = await run([read(LEDGER)], tmp_path / "run", options, cache=cache)
    with Store.open(tmp_path / "run") as store:
        assert list(store.records()) == records
    assert again["metrics"] == first["metrics"]


async def test_figures_of_a_person_are_not_measured_where_edits_are_asked_for(tmp_path, cache):
    found = await run([read(LEDGER)], tmp_path / "run", replayed({"name": "oracle"}, tests=False), cache=cache)
    assert found["metrics"]["acceptance"]["value"] is None
    assert found["metrics"]["keystrokes_saved"]["value"] is None
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
    assert all(record.moment.hole.startswith(f"{record.moment.next_edit.changes[0].path}:") for record in records)
    assert {length_class(record) for record in records} != {"over 80"}, "of what is put in, not of the difference"


@pytest.mark.parametrize(
    ("more", "flag"), [({"mode": "drive"}, "--mode drive"), ({"ablate": "repairs"}, "--ablate repairs")]
)
def test_what_has_no_meaning_for_next_edits_is_refused(more, flag):
    with pytest.raises(ReplayError, match=f"{flag} is not for next edits"):
        TapeSource(read(LEDGER), replayed({"name": "oracle"}, **more)).check()


def test_a_provider_that_proposes_no_edits_is_refused_before_anything_is_asked():
    with pytest.raises(
        ReplayError, match="'ngram' proposes no edits: choose one of recorded, oracle, repeat-edit, fixed"
    ):
        TapeSource(read(LEDGER), replayed({"name": "ngram"})).check()
