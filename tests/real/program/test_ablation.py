"""`ghosttape replay demo --ablate repairs`: arms that are compared, and an ordinary run inside."""

import json

import pytest

from replay.run.store import Store
from server.settings import REPAIRS
from tests.support.ablation_answers import BROKEN, DEMO, KILLED, answers

QUICK = ["--latency", "fixed:0"]
TAPES = ("ledger", "router")
LEDGER = DEMO / "ledger.tape.jsonl"


@pytest.fixture(autouse=True)
def tools(need):
    need("bwrap", "node", "npm")


@pytest.fixture
def recorded(tmp_path):
    """The flags of a provider with spoilt answers, and tape → what mends each moment's."""
    rows = {name: list(answers(name)) for name in TAPES}
    lines = [json.dumps({"key": key, "text": text}) for name in TAPES for key, text, _ in rows[name]]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines) + "\n")
    mends = {name: [step for *_, step in rows[name]] for name in TAPES}
    return ["--provider", "recorded", "--answers", "answers.jsonl"], mends


def told(records):
    """What a person sees of a run, but for the time that it took."""
    return [
        (
            record.moment,
            record.suggestion.text,
            (record.suggestion.start, record.suggestion.end),
            record.suggestion.raw,
            record.suggestion.trail,
            record.ending,
            record.covered,
            (record.verdict.name, record.verdict.reason),
        )
        for record in records
    ]


def run(ghosttape, folder, *words, tape="demo"):
    summary = ghosttape("replay", tape, *words, *QUICK, "--json", "--out", folder).json
    with Store.open(folder) as store:
        return summary, list(store.records()), list(store.trials()), store.fact("ablation")


def test_every_step_gains_what_it_mends(ghosttape, tmp_path, recorded):
    provider, mends = recorded
    summary, records, trials, fact = run(ghosttape, tmp_path / "ablated", *provider, "--ablate", "repairs")
    assert len(records) == sum(map(len, mends.values())) >= 30

    arms = {(trial.moment, trial.arm): trial for trial in trials}
    assert len(arms) == len(trials) == len(records) * (2 + len(REPAIRS))
    for record in records:
        own = arms[record.moment.id, "all"]
        suggestion = record.suggestion
        assert (own.text, own.start, own.end) == (suggestion.text, suggestion.start, suggestion.end)
        assert own.verdict.name == record.verdict.name
        assert arms[record.moment.id, "none"].text.replace("\r\n", "\n") == suggestion.raw

    assert fact == summary["ablation"]
    assert fact["arms"]["all"]["value"] == summary["metrics"]["pass_at_1"]["value"]
    gained = {step: effect["gained"] for step, effect in fact["effects"].items()}
    assert min(gained.values()) >= 1
    mended = {
        record.moment.id: (name, number, step)
        for name in TAPES
        for number, (record, step) in enumerate(zip(_of(records, name), mends[name], strict=True))
    }
    for case in fact["cases"]:
        assert case["kind"] != "gained" or case["step"] == mended[case["moment"]][2]
    for name, language in (("ledger", "python"), ("router", "javascript")):
        effects = fact["languages"][language]["effects"]
        for step in set(mends[name]) - {"", "indent"}:
            assert effects[step]["gained"] >= 1, (language, step)
    assert fact["languages"]["python"]["effects"]["indent"]["gained"] >= 1
    harm = {
        (*mended[case["moment"]][:2], case["step"]): case["kind"] for case in fact["cases"] if case["kind"] != "gained"
    }
    assert {kind for place, kind in harm.items() if place[:2] in KILLED} == {"killed"}
    assert {kind for place, kind in harm.items() if place[:2] in BROKEN} == {"broken"}
    stop = fact["effects"]["stop"]
    assert stop["killed"] >= 1
    assert stop["broken"] >= stop["killed"] + 1


def test_a_run_with_an_ablation_is_otherwise_an_ordinary_one(ghosttape, tmp_path, recorded):
    words = [*recorded[0], "--limit", "3"]
    summary, records, trials, fact = run(ghosttape, tmp_path / "ablated", *words, "--ablate", "repairs", tape=LEDGER)
    plain, same, none, nothing = run(ghosttape, tmp_path / "plain", *words, tape=LEDGER)
    assert len(records) == 3
    assert told(records) == told(same)
    apart = {"ablation", "run", "metrics", "tapes", "selection"}  # more arms, more verdicts
    assert {key: value for key, value in summary.items() if key not in apart} == {
        key: value for key, value in plain.items() if key not in apart
    }
    assert trials
    assert fact
    assert (none, nothing) == ([], None)


def _of(records, tape):
    return [record for record in records if record.moment.tape == tape]


def test_what_was_really_written_passes_in_every_arm(ghosttape, tmp_path):
    words = ["--provider", "oracle", "--limit", "6", "--ablate", "repairs"]
    summary, records, trials, _ = run(ghosttape, tmp_path / "run", *words, tape=LEDGER)
    found = summary["ablation"]
    assert {trial.verdict.name for trial in trials} == {"passed"}
    assert [found["arms"][arm]["n"] for arm in found["arms"]] == [len(records)] * 7
    assert {share["value"] for share in found["arms"].values()} == {1.0}
    for effect in found["effects"].values():
        assert (effect["gained"], effect["broken"], effect["killed"], effect["p"]) == (0, 0, 0, 1.0)
    assert found["cases"] == []
