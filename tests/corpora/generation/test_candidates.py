"""What a chat model answered, read as a task, and the folder of a generation."""

import json

import pytest

from corpora.errors import DataError
from corpora.generation.generation_funnel import Funnel, GeneratedAnswer, Refusal, instance_of

GOOD = {"prefix": "def f(a):", "golden_completion": "    return a", "suffix": "", "assertions": "assert f(1) == 1"}


@pytest.mark.parametrize(
    ("text", "golden"),
    [
        (json.dumps(GOOD), "    return a"),
        ("I use f-strings like {} or {x: 1}.\n" + json.dumps(GOOD), "    return a"),
        (json.dumps(GOOD | {"golden_completion": "    break", "suffix": "print('break even')"}), "    break"),
    ],
)
def test_a_task_is_found(text, golden):
    assert instance_of(text, "python", "1").golden_completion == golden


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON object"),
        ('{"x": 1}', "no JSON object"),
        (json.dumps(GOOD | {"golden_completion": " "}), "golden completion is empty"),
        (json.dumps(GOOD | {"suffix": 3}), "Expected `str`"),
        (json.dumps(GOOD | {"prefix": "x = '\ud800'"}), "half a surrogate pair"),
        (
            json.dumps(GOOD | {"golden_completion": "return a + bb + ccc + d", "suffix": "return a + bb + ccc + d"}),
            "beside the gap",
        ),
    ],
)
def test_what_is_no_task_is_refused_with_the_reason(text, reason):
    found = instance_of(text, "python", "1")
    assert isinstance(found, Refusal)
    assert (found.stage, reason in found.reason) == ("malformed", True)


def test_a_line_that_a_kill_cut_off_is_taken_away(tmp_path):
    funnel = Funnel(tmp_path)
    with funnel.claimed():
        funnel.keep(GeneratedAnswer("python", "low_context", 0, "a"))
        with (tmp_path / "answers.jsonl").open("ab") as file:
            file.write(b'{"language": "pyth')
        assert len(funnel.answers()) == 1
        funnel.keep(GeneratedAnswer("python", "low_context", 1, "b"))
    assert [one.text for one in funnel.answers()] == ["a", "b"]


def test_only_runs_of_its_own_are_removed(tmp_path):
    with Funnel(tmp_path / "new").claimed():
        pass
    for name in ("mine", "a" * 32, "b" * 32):
        (tmp_path / "new" / "runs" / name).mkdir(parents=True)
    (tmp_path / "new" / "runs" / "mine" / "run.sqlite").touch()
    (tmp_path / "new" / "runs" / ("a" * 32) / "run.sqlite").touch()
    kept = Funnel(tmp_path / "new").run("key")
    assert {path.name for path in kept.parent.iterdir()} == {"mine", "b" * 32}


def test_two_processes_do_not_work_in_one_folder(tmp_path):
    first, second = Funnel(tmp_path / "new").claimed(), Funnel(tmp_path / "new").claimed()
    with first, pytest.raises(DataError, match="another process makes new tasks there"):
        second.__enter__()
