"""`ghosttape instructions calibrate`: a scripted judge with known errors, over HTTP, and what a run says of it."""

import json
from dataclasses import dataclass

import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner

from corpora.codealign.catalogue import instruction
from server.settings import ProviderSettings
from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript
from tui.cli.app import app
from tui.commands.measuring import calibrate, judged_instructions

IDS = ("use-greedy-algorithm", "stop-early", "avoid-overflow")
PROBLEM = {"name": "a", "language": "python", "request": "Add.", "reference": "def add(a, b):\n    return a + b\n", "tests": "assert add(1, 2) == 3"}  # fmt: skip


def says(code):
    """What the judge says: the opposite where the length of a program is a multiple of three, and no score where it is one of eleven."""
    if len(code) % 11 == 0:
        return "It depends."
    follows = any(code in instruction(id_).cases[name].follows for id_ in IDS for name in instruction(id_).cases)
    return str(int(follows if len(code) % 3 else not follows))


@dataclass
class Judge(FakeScript):
    """`server` is set once it listens."""

    server: FakeModelServer | None = None

    def written(self, stops, limit):
        yield says(self.server.asked[-1].body["messages"][-1]["content"].removeprefix("Program:\n"))


async def test_a_judge_is_right_as_often_as_counted_by_hand_and_again_without_a_network(tmp_path):
    script = Judge()
    chosen = judged_instructions(",".join(IDS))
    out = tmp_path / "j.worth.json"
    async with FakeModelServer(OpenAIDialect(), script) as server:
        script.server = server
        settings = ProviderSettings(name="openai", model="j", base_url=f"{server.url}/v1", max_tokens=64)
        found = await calibrate(settings, chosen, out, repeats=1, seed=0, require_recorded=False)
    assert json.loads(out.read_bytes()) == json.loads(json.dumps(found))
    pairs = [
        (says(code), label)
        for each in chosen
        for cases in each.cases.values()
        for label, codes in (("1", cases.follows), ("0", cases.breaks))
        for code in codes
    ]
    known = [pair for pair in pairs if pair[0] in {"0", "1"}]
    assert (found["cases"], found["unparsable"]) == (18, 18 - len(known))
    assert 0 < found["unparsable"] < 18
    assert found["right"]["value"] == pytest.approx(sum(said == label for said, label in known) / len(known))
    assert found["kappa"]["value"] == pytest.approx(cohen_kappa_score(*zip(*known, strict=True)))
    assert sum(right for right, _ in found["by_instruction"].values()) == sum(said == label for said, label in known)
    again = await calibrate(settings, chosen, out, repeats=1, seed=0, require_recorded=True)
    assert again == found


def call(*words):
    done = CliRunner().invoke(app, ["instructions", *map(str, words)])
    return done.exit_code, " ".join(done.output.split())


def test_a_run_says_what_its_judge_is_worth_and_refuses_the_worth_of_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.jsonl").write_text(json.dumps(PROBLEM))
    status, text = call(
        "calibrate", "--provider", "fixed", "--text", "1", "--instructions", "stop-early", "-o", "w.json"
    )
    assert (status, "right in 50 %" in text, "3 of 6 right" in text) == (0, True, True), text
    words = ["run", "own.jsonl", "--provider", "fixed", "--text", "x = 1", "--instructions", "stop-early"]
    words += ["--judge-provider", "fixed", "--setting", "predefined"]
    status, text = call(*words, "--calibration", "w.json", "--out", "one")
    assert "On 6 cases of the catalogue it is right in 50 %" in text
    assert "It was not calibrated" in call(*words, "--out", "two")[1]
    status, text = call(*words, "--judge-model", "other", "--calibration", "w.json", "--out", "three")
    assert (status, "and not of 'fixed other'" in text) == (2, True), text
    status, text = call(*words[:-2], "--calibration", "own.jsonl", "--out", "four")
    assert (status, "is no calibration" in text) == (2, True), text


def test_instructions_that_rules_decide_have_no_judge(tmp_path):
    status, text = call("calibrate", "--provider", "fixed", "--instructions", "avoid-recursion", "-o", tmp_path / "a")
    assert (status, "no judge is asked" in text) == (2, True)
