"""Some tests of a project say what all say, on a session."""

from functools import partial

import pytest

from replay.judge.selection import Selection
from replay.run.events import Note
from replay.tapes.tape import read
from tests.support.places import LEDGER
from tests.support.replays import options_of, run


@pytest.mark.parametrize("provider", [{"name": "ngram"}])  # right, wrong and broken grafts
async def test_on_the_ledger_some_tests_say_what_all_say(provider, cache, tmp_path, monkeypatch, need):
    need("bwrap")
    monkeypatch.setattr("replay.judge.tape_cases.Selection", partial(Selection, share=1.0))
    options = options_of(
        settings={"provider": provider}, latency="fixed:0", sandbox="bubblewrap", which_tests="touching", limit=8
    )
    heard = []
    summary = await run([read(LEDGER)], tmp_path / "run", options, heard, cache=cache)
    judged = sum(summary["verdicts"].values())
    assert judged == 8
    assert summary["selection"]["sampled"] == summary["selection"]["selected"] > judged / 2
    assert summary["selection"]["disagreed"] == 0
    assert not any("no coverage" in one.text for one in heard if isinstance(one, Note))
