"""`ghosttape corpora build codev` on a small repository in the sandbox: how it is tested is found out, blocks are kept that its tests notice, and they are a benchmark."""

from functools import partial

import pytest

from tests.support.block_builds import lay_out
from tests.support.program import both_of as run


@pytest.fixture
def build(tmp_path):
    lay_out(tmp_path)
    return partial(run, tmp_path, "corpora", "build")


def test_only_blocks_are_asked_about_in_scenarios(tmp_path):
    (tmp_path / "devbench").mkdir()
    words = ("--data", "devbench", "--scenario", "2", "--provider", "fixed")
    assert (
        "--scenario is about codev, and devbench has none: leave --scenario 2 out"
        in run(tmp_path, "evaluate", "devbench", *words, status=2)[1]
    )
    words = ("--data", "devbench", "--extra-rules", "indent,empty", "--provider", "fixed")
    assert "leave --extra-rules indent,empty out" in run(tmp_path, "evaluate", "devbench", *words, status=2)[1]
    words = ("evaluate", "codev", "--data", "devbench")
    assert "add --scenario 4, or leave it out" in run(tmp_path, *words, "--embeddings", "gguf", status=2)[1]
    assert "'indnt' is none (did you mean 'indent'?)" in run(tmp_path, *words, "--extra-rules", "indnt", status=2)[1]
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


def test_only_a_chat_model_is_asked_how_a_repository_is_tested(build):
    words = ("codev", "app", "-o", "a.jsonl")
    assert "--ask-model needs a model that answers questions" in build(*words, "--ask-model", status=2)[1]
    assert "--run-proposals is about what --ask-model brings" in build(*words, "--yes", status=2)[1]
