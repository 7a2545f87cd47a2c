"""`ghosttape corpora build codev` on a small repository in the sandbox: how it is tested is found out, blocks are kept that its tests notice, and they are a benchmark."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from corpora.codev.samples import is_samples_file

SCRIPT = str(Path(sys.executable).with_name("ghosttape"))
CODE = """\
def settle(amounts):
    total = 0
    for amount in amounts:
        total += amount
    return total


def unchecked(amounts):
    print(len(amounts))
"""
TESTS = """\
from ledger import settle, unchecked


def test_settle():
    assert settle([1, 2, 3]) == 6


def test_unchecked():
    unchecked([1])
"""
EVERY = "[blocks]\nMETHOD = 1\nFOR = 1\nSTATEMENT = 1\n"


def run(folder, *words, status=0):
    """What a command writes to standard output and to standard error."""
    done = subprocess.run([SCRIPT, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout, done.stderr


@pytest.fixture
def build(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "ledger.py").write_text(CODE)
    (tmp_path / "app" / "test_ledger.py").write_text(TESTS)
    (tmp_path / "blocks.toml").write_text(EVERY)

    return partial(run, tmp_path, "corpora", "build")


def test_from_a_folder_to_blocks_with_one_command_and_again_the_same(build, tmp_path):
    words = ("codev", "app", "-o", "app.jsonl", "--blocks", "blocks.toml", "--json")
    found = json.loads(build(*words)[0])
    assert found["tests_by"] == "rules"
    assert found["tests_passing"] == 2
    assert is_samples_file(tmp_path / "app.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "app.jsonl").read_text().splitlines()]
    kept = {CODE[line["start"] : line["end"]] for line in lines[1:]}
    assert "total += amount" in kept
    assert not any("print" in text for text in kept)
    assert sum(found["kept"].values()) == len(kept) == len(lines) - 1
    before = (tmp_path / "app.jsonl").read_bytes()
    assert json.loads(build(*words)[0]) == found
    assert (tmp_path / "app.jsonl").read_bytes() == before
    asked = json.loads(build(*words, "--evaluate", "oracle")[0])
    told = asked.pop("evaluation")
    assert asked == found
    assert told["passed"] == told["testable"] == told["tasks"] == len(kept)
    words = ("evaluate", "app.jsonl", "--scenario", "2", "--json", "--provider")
    oracle, nothing = (json.loads(run(tmp_path, *words, name)[0]) for name in ("oracle", "fixed"))
    assert (oracle["corpus"], oracle["cluster_by"]) == ("app", "function")
    assert oracle["passed"] == oracle["testable"] == oracle["tasks"] == nothing["tasks"]
    inner = nothing["verdicts"].pop("passed")  # these blocks are complete: nothing is wanted
    assert inner == sum(line["inner"]["start"] == line["inner"]["end"] for line in lines[1:] if line["inner"])
    run(tmp_path, "corpora", "export", "codev", "app.jsonl", "-o", "published")
    words = ("evaluate", "codev", "--data", "published", "--scenario", "3", "--json", "--provider", "oracle")
    published = json.loads(run(tmp_path, *words)[0])
    assert (published["corpus"], published["cluster_by"]) == ("codev", "function")
    assert published["passed"] == published["tasks"] == 2 * len(kept)


def test_only_blocks_are_asked_about_in_scenarios(tmp_path):
    (tmp_path / "devbench").mkdir()
    words = ("--data", "devbench", "--scenario", "2", "--provider", "fixed")
    assert "only a corpus of blocks (codev) has scenarios" in run(tmp_path, "evaluate", "devbench", *words, status=2)[1]
    words = ("evaluate", "codev", "--embeddings", "gguf")
    assert "add --scenario 4, or leave it out" in run(tmp_path, *words, status=2)[1]
    assert "name with --data a corpus" in run(tmp_path, "evaluate", "codev", status=2)[1]


def test_what_is_wrong_is_said_in_a_sentence(build, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert "codev is" in build("codex", "app", "-o", "x.jsonl", status=2)[1]
    assert "'tests' is no stage" in build("codev", "app", "-o", "x.jsonl", "--until", "tests", status=2)[1]
    assert "there is no such folder" in build("codev", "nowhere", "-o", "x.jsonl", status=2)[1]
    assert "is no corpus of blocks" in build("codev", "app", "-o", "notes.txt", status=2)[1]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_is_evaluated_at_once_must_be_a_provider_and_there_must_be_blocks(build):
    assert "did you mean 'gguf'" in build("codev", "app", "-o", "a.jsonl", "--evaluate", "ggfu", status=2)[1]
    said = build("codev", "app", "-o", "a.jsonl", "--evaluate", "gguf", "--until", "chains", status=2)[1]
    assert "--until chains ends before there are any" in said
