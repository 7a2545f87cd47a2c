"""Some tests of a project say what all say, on a session."""

from functools import partial

import pytest

from replay.judge.selected_tests import Selection
from replay.run.events import Note
from replay.tapes.tape import read
from tests.support.places import LEDGER
from tests.support.replays import options_of, run
from tests.support.selected_tests import BODY, ORDER, READS, RUNS, moment_ended


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


async def test_a_verdict_by_two_holes_or_asked_for_twice_counts_once(prepare):
    judge, _ = await prepare(RUNS, "y = x + 1\n    return y")
    part = moment_ended(
        "y = x + 1", stop="auto"
    )  # judged by a hole of a line, and by that of the moment, the whole body
    case = judge.cases.case(part)
    assert judge.selection.tests(case)
    assert judge.selection.tests(case.fixed)
    for _ in range(2):
        verdict = await judge.verdict(part)
        assert (verdict.name, verdict.fixed) == ("passed", "exception")
    assert judge.selection.counts == {"selected": 1, "sampled": 1, "disagreed": 0}
    await judge.verdict(moment_ended("y = x + 2", stop="auto"))
    assert judge.selection.counts["selected"] == 2


async def test_what_only_others_notice_is_tested_by_all(prepare):
    judge, _ = await prepare("from a import f\n\n\ndef test_f():\n    f(1)\n" + READS)
    judge.selection.share = 0.0
    verdicts = [await judge.verdict(moment_ended(text)) for text in (BODY, BODY + "  # the same", "return x + 2")]
    assert [(one.name, one.passed, one.failed) for one in verdicts] == [
        ("passed", 2, 0),
        ("passed", 2, 0),
        ("assertion", 1, 1),
    ]


async def test_tests_that_need_those_before_them_do_not_run_without(prepare):
    judge, _ = await prepare(ORDER)
    verdicts = [await judge.verdict(moment_ended(text)) for text in (BODY, "return x")]
    assert [(one.name, one.passed) for one in verdicts] == [("passed", 2), ("assertion", 1)]
    assert judge.selection.counts == {"selected": 0, "sampled": 0, "disagreed": 0}


async def test_a_graft_that_leaves_its_function_is_tested_by_all(prepare):
    judge, _ = await prepare(RUNS)
    judge.selection.share = 0.0
    await judge.verdict(moment_ended(BODY))
    verdict = await judge.verdict(moment_ended(f"{BODY}\n\n\ndef h(x):\n    return 5"))
    assert (verdict.name, verdict.passed, judge.selection.counts["selected"]) == ("passed", 2, 1)
