"""`ghosttape instructions run` and `score`: whole runs with a provider that always gives the same answer, and real tests."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from tui.cli.app import app

PROBLEM = {
    "task_id": "Made/0",
    "prompt": "def add(a, b):\n",
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}
BREAKS = "```python\ndef add(a: int, b: int) -> int:\n    return a - b\n```"


def call(*words):
    done = CliRunner().invoke(app, ["instructions", *map(str, words)])
    return done.exit_code, done.stdout, done.output


@pytest.fixture
def data(tmp_path):
    (tmp_path / "HumanEval.jsonl").write_text(json.dumps(PROBLEM))
    return tmp_path


def test_an_answer_that_follows_and_fails_its_tests_is_listed_and_a_run_repeats_from_its_record(data):
    words = ["run", data, "--instructions", "add-type-hints", "--out", data / "run", "--provider", "fixed", "--json"]
    status, text, _ = call(*words, "--text", BREAKS)
    document = json.loads(text)
    assert status == 0
    for setting in ("predefined", "follow-up"):
        found = document["settings"][setting]
        assert (found["success"]["value"], found["follows_and_passes"]["value"], found["follows_and_fails"]) == (
            1,
            0,
            1,
        )
    assert {one["tests"] for one in document["follow_and_break"]} == {"assertion"}
    lines = [json.loads(line) for line in (data / "run/tasks.jsonl").read_text().splitlines()]
    assert [line["setting"] for line in lines] == ["predefined", "follow-up"]
    _, again, _ = call(*words, "--text", BREAKS, "--require-recorded")
    assert json.loads(again) == document
    status, side_by_side, _ = call("score", data / "run", shutil.copytree(data / "run", data / "other"), "--json")
    assert (status, json.loads(side_by_side)["runs"]) == (0, 2)
    assert "fixed" in call("score", data / "run")[2]


def test_what_has_no_verdict_is_said_with_the_reason_and_problems_that_are_left_out_too(data):
    words = ["run", data, "--provider", "fixed", "--text"]
    judged = [*words, BREAKS, "--instructions", "use-greedy-algorithm", "--judge-provider", "fixed"]
    status, _, text = call(*judged, "--out", data / "judged")
    assert status == 1
    assert "2 answers without a verdict, in no rate: the judge's answer is no score" in " ".join(text.split())
    assert "- by judge" in text
    assert "judge does: fixed. It was not calibrated" in " ".join(call("score", data / "judged")[2].split())
    status, _, text = call(*words, "No.", "--ask-first", "--out", data / "first")
    assert status == 1
    assert "1 problem left out: the model's first answer holds no program" in " ".join(text.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "{data}/none.jsonl", "--provider", "fixed"], "problems cannot be read"),
        (["run", "{data}", "--provider", "ngram"], "answers no questions"),
        (["run", "{data}", "--provider", "fixed", "--setting", "later"], "--setting"),
        (["run", "{data}", "--provider", "fixed", "--judge-model", "m"], "--judge-provider"),
        (["run", "{data}", "--provider", "fixed", "--instructions", "use-goto"], "use-goto"),
        (["score", "{data}"], "holds no run"),
    ],
)
def test_wrong_use_is_named(data, words, said):
    status, _, text = call(*(word.format(data=data) for word in words))
    assert status == 2
    assert said in " ".join(text.split())
