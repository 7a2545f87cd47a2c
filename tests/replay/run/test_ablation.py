"""Ablation of small tapes: the real server in its process, tests that look for words."""

import json

import pytest

from replay.errors import ReplayError
from replay.options import ReplayOptions
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.records import Ending, Suggestion, Verdict
from replay.run.ablation import Ablation, ablation_of, trial_of
from replay.run.events import Judged, Tried
from replay.run.store import Store
from replay.tapes.tape import Tests as ProjectTests
from server.repair.draft import Draft
from server.repair.offer import offered
from server.settings import REPAIRS
from syntax.languages import language_of
from tests.support.replays import options_of, run
from tests.support.tapes import Typist, moment_of

HEAD, BODY = "def f(x):\n    ", "return (x + 1)"
FENCED = f"```\n{BODY[:-1]}\n```"
"""Right once `prose` and `brackets` have mended it."""
PYTHON = language_of("python")
BEFORE, AFTER = "print(f(", "))\n😀"
TESTS = ProjectTests(toolchain="none", command="grep -q 'return (x + 1)' a.py && ! grep -q '```' a.py")


@pytest.fixture
def ablate(tmp_path):
    """A function that replays the small tape with an ablation: the engine, its summary, what was heard, and the store."""

    async def ablate(text=FENCED, *, typed=f"{HEAD}{BODY}\n", name="fixed", folder="run", **options):
        heard = []
        known = {"latency": "fixed:0", "sandbox": "none", "ablate": "repairs"}
        provider = {"name": name, "text": text, "record": {"path": str(tmp_path / "asked"), "mode": "write"}}
        chosen = {**known, **options, "settings": {**options.get("settings", {}), "provider": provider}}
        tape = Typist(tests=TESTS).type(typed).tape()
        summary = await run([tape], tmp_path / folder, options_of(**chosen), heard, cache=tmp_path / "cache")
        return summary, heard, Store.open(tmp_path / folder)

    return ablate


async def test_each_moment_is_judged_in_every_arm_and_asked_once(ablate, tmp_path):
    summary, heard, store = await ablate()
    with store:
        trials, records = list(store.trials()), list(store.records())
        assert store.fact("ablation") == summary["ablation"] == json.loads(json.dumps(summary["ablation"]))
    arms = ["all", "none", *(f"without {step}" for step in REPAIRS)]
    assert sorted(trial.arm for trial in trials) == sorted(arms * len(records))
    assert len([one for one in heard if isinstance(one, Judged)]) == len(records)
    assert len([one for one in heard if isinstance(one, Tried)]) == len(records) * (len(arms) - 1)
    assert len((tmp_path / "asked").read_text().splitlines()) == len(records)


async def test_what_a_step_mends_is_lost_without_it(ablate):
    summary, _, store = await ablate()
    store.close()
    found = summary["ablation"]
    n = found["moments"]
    assert n == 1, "the body and its only statement are one place"
    assert summary["metrics"]["pass_at_1"]["value"] == found["arms"]["all"]["value"] == 1.0
    gained = {step: effect["gained"] for step, effect in found["effects"].items()}
    assert gained == {"prose": n, "repeats": 0, "indent": 0, "brackets": n, "stop": 0, "together": n}
    assert set(found["languages"]) == {"python"}
    assert {(case["step"], case["kind"]) for case in found["cases"]} == {("prose", "gained"), ("brackets", "gained")}


async def test_only_the_chosen_steps_are_left_out(ablate):
    summary, _, store = await ablate(settings={"repairs": ["prose"]})
    with store:
        assert {trial.arm for trial in store.trials()} == {"all", "none", "without prose"}
    found = summary["ablation"]
    assert found["steps"] == ["prose"]
    assert found["arms"]["all"]["value"] == 0.0
    assert {step: effect["gained"] for step, effect in found["effects"].items()} == {"prose": 0, "together": 0}


async def test_the_run_itself_is_that_of_all_steps(ablate):
    _, _, store = await ablate()
    with store:
        for record in store.records():
            suggestion = record.suggestion
            assert (suggestion.text, suggestion.raw) == (BODY, FENCED)
            assert [step.step for step in suggestion.trail] == ["prose", "brackets"]
            assert (record.ending.name, record.verdict.name) == ("accepted", "passed")


async def test_an_answer_that_is_emptied_is_a_trial_too(ablate):
    summary, _, store = await ablate("Here is the code:")
    with store:
        emptied = [trial for trial in store.trials() if trial.arm == "all"]
        assert {(trial.text, trial.step, trial.passes) for trial in emptied} == {("", "prose", False)}
        assert {str(record.ending) for record in store.records()} == {"filtered(prose)"}
    assert summary["ablation"]["effects"]["prose"]["killed"] == 0


def test_halves_of_a_surrogate_pair_can_be_kept(tmp_path):
    moment = moment_of(1, BEFORE, AFTER)
    ended = MomentEnded(moment, BEFORE, AFTER, Ending("shown"), Suggestion(text="\ud83d", start=1, end=1, latency=0.0))
    with Store.create(tmp_path / "run", {}) as store:
        store.put_trial(trial_of(ended, "all", "", Verdict(name="failed", log="long")))
        store.put_trial(trial_of(ended, "all", "", Verdict(name="passed", log="long")))
        (kept,) = store.trials()
    assert (kept.text, kept.verdict, kept.place) == ("\ufffd", Verdict(name="passed"), "a.py:1:9")


async def test_answers_are_whole_where_stop_would_end_them_early(ablate):
    raws = {}
    typed = "def f(x):\n    y = g(x)\n    return y\n\n\ndef f(x):\n    y = g(x)\n    return y\n\n\n"
    for mode in ("repairs", ""):
        _, _, store = await ablate(
            typed=typed,
            name="ngram",
            policy="blocks:kinds=statement",
            ablate=mode,
            folder=f"run-{mode}",
            keep_going=True,
        )
        with store:
            raws[mode] = {record.moment.id: record.suggestion.raw for record in store.records()}
    assert all(raws["repairs"][moment].startswith(raw) for moment, raw in raws[""].items())
    assert sum(map(len, raws["repairs"].values())) > sum(map(len, raws[""].values())) > 0


async def test_without_an_ablation_nothing_is_tried(ablate):
    summary, heard, store = await ablate(ablate="")
    with store:
        assert list(store.trials()) == []
        assert store.fact("ablation") is None
    assert "ablation" not in summary
    assert not any(isinstance(one, Tried) for one in heard)


def asked(before=BEFORE, after=AFTER, **fields):
    return Ask(moment_of(1, before, after, **fields), before, after)


@pytest.mark.parametrize("raw", ["x), y)", "```\nx\n```", "x\n\nprint(1)\n", "  ", "Here is the code:"])
@pytest.mark.parametrize("stop", ["auto", "block", "line"])
def test_an_answer_is_repaired_as_the_server_would(raw, stop):
    made = offered(Draft(PYTHON, BEFORE, AFTER, raw, stop))
    answer = Ablation(REPAIRS).repaired(
        Answer(1.0, text="other", start=3, end=4, raw=raw, prompt="p"), asked(stop=stop)
    )
    assert (answer.text, answer.filtered) == (made.text, made.step or "")
    assert (answer.start, answer.end) == (len(BEFORE), len(BEFORE) + made.covered)
    assert [step.after for step in answer.trail] == [step.after for step in made.trail]
    assert (answer.prompt, answer.measured, answer.raw) == ("p", 1.0, raw)


def test_ranges_are_counted_in_utf_16():
    before = 'f("😀", g('
    answer = Ablation(REPAIRS).repaired(Answer(1.0, raw="x))"), asked(before, "))\n"))
    assert (answer.text, answer.start, answer.end) == ("x))", len(before) + 1, len(before) + 3)


@pytest.mark.parametrize("answer", [Answer(1.0, failed="no"), Answer(1.0, given_up=True)])
def test_what_is_no_answer_stays_as_it_is(answer):
    assert Ablation(REPAIRS).repaired(answer, asked()) is answer


def test_a_server_that_does_not_explain_is_taken_by_its_text():
    assert Ablation(REPAIRS).repaired(Answer(1.0, text="```\nx\n```"), asked()).text == "x"


@pytest.mark.parametrize(
    ("options", "policy", "said"),
    [
        ({"mode": "drive"}, "blocks", "--mode judge"),
        ({}, "vscode", "--policy blocks"),
        ({}, "recorded", "--policy blocks"),
        ({"tests": False}, "blocks", "--no-tests"),
        ({"settings": {"repairs": []}}, "blocks", "--repairs"),
    ],
)
def test_arms_that_cannot_be_compared_are_refused_with_what_to_change(options, policy, said):
    chosen = options_of(ablate="repairs", policy=policy, **options)
    is_timed = policy_of(policy).is_timed or chosen.mode == "drive"
    with pytest.raises(ReplayError) as caught:
        ablation_of(chosen, is_timed=is_timed)
    assert said in str(caught.value)


def test_the_papers_rules_hold_in_every_arm():
    options = options_of(ablate="repairs", settings={"paper_rules": "simcopilot"})
    assert ablation_of(options, is_timed=False) == Ablation(REPAIRS, "simcopilot")
    assert ablation_of(ReplayOptions(), is_timed=False) is None
