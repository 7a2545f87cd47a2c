"""A replay that asks for the next edit: a real server, a real project, its tests in the sandbox."""

import pytest

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
