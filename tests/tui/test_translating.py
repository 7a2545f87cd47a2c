"""`ghosttape instructions translate`: a file of problems that `run` reads, the same again from the record, and wrong use."""

import json

import pytest
from typer.testing import CliRunner

from corpora.standalone import read_problems
from tui.cli.app import app

PROBLEM = {
    "task_id": "Made/0",
    "prompt": "def add(a, b):\n",
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}


def call(*words):
    done = CliRunner().invoke(app, ["instructions", *map(str, words)])
    return done.exit_code, done.stdout, done.output


def test_problems_are_translated_into_a_file_and_again_without_a_model(tmp_path):
    (tmp_path / "HumanEval.jsonl").write_text(json.dumps(PROBLEM))
    words = ["translate", tmp_path / "HumanEval.jsonl", "--to", "javascript", "-o", tmp_path / "js.jsonl", "--json"]
    words += ["--provider", "fixed", "--text", "```js\nfunction add(a, b) { return a + b; }\n```"]
    status, first, _ = call(*words)
    assert (status, json.loads(first)["translated"]) == (0, {"javascript": 1})
    (problem,) = read_problems(tmp_path / "js.jsonl").problems
    assert (problem.name, problem.language) == ("Made/0/javascript", "javascript")
    assert call(*words, "--require-recorded")[1] == first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{data}", "--to", "cobol", "-o", "{folder}/a"], "choose of java, javascript"),
        (["{data}", "--to", ",", "-o", "{folder}/a"], "choose of java, javascript"),
        (["{data}", "-o", "{data}"], "name another one"),
        (["{folder}/none", "-o", "{folder}/a"], "cannot be read"),
        (["{data}", "-o", "{data}/a/b"], "cannot be written"),
    ],
)
def test_wrong_use_is_named(tmp_path, words, said):
    (tmp_path / "HumanEval.jsonl").write_text(json.dumps(PROBLEM))
    given = [word.format(data=tmp_path / "HumanEval.jsonl", folder=tmp_path) for word in words]
    status, _, text = call("translate", *given, "--provider", "fixed")
    assert (status, said in " ".join(text.split())) == (2, True), text


def test_a_model_server_that_cannot_be_reached_ends_with_status_3(tmp_path):
    (tmp_path / "HumanEval.jsonl").write_text(json.dumps(PROBLEM))
    words = ["translate", tmp_path / "HumanEval.jsonl", "--to", "javascript", "-o", tmp_path / "js.jsonl"]
    status, _, text = call(*words, "--provider", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert (status, "127.0.0.1:9" in text) == (3, True)
    assert not (tmp_path / "js.jsonl").exists()
