"""What is made of the output of real test runners; the cases were written by the runners themselves."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.protocol import Completed
from runners.verdicts import LOG_LENGTH, MESSAGE_LENGTH, classify, tail

CASES = sorted(Path(__file__).with_name("verdicts").glob("*.toml"))
SUMMARY = st.sampled_from(
    ["", "== 7 passed in 0.10s ==", "Ran 7 tests in 0.1s\n\nOK", "# pass 7\n# fail 0", "      Tests  7 passed (7)"]
)
COMMAND = st.sampled_from(["python -m pytest -q", "python -m unittest", "node --test", "vitest run", "sh check.sh"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_verdict_on(case):
    given = tomllib.loads(case.read_text())
    wanted = given["verdict"]
    done = Completed(
        given.get("exit"), given.get("signal"), given["stdout"], given["stderr"], 500.0, given.get("limit", "")
    )
    result = classify(done, given["command"])
    assert (result.klass, result.message) == (wanted["class"], wanted["message"])
    assert (result.passed, result.failed) == (wanted.get("passed"), wanted.get("failed"))


def test_there_are_cases():
    assert len(CASES) > 40


@given(COMMAND, st.text(), SUMMARY, st.integers(1, 126))
def test_a_status_other_than_0_is_never_passed(command, text, summary, status):
    assert classify(Completed(status, None, f"{text}\n{summary}\n", "", 1.0), command).klass != "passed"


@given(COMMAND, st.text(), SUMMARY, st.sampled_from(["wall", "output", "disk"]))
def test_a_run_that_was_stopped_is_never_passed(command, text, summary, limit):
    assert classify(Completed(0, None, f"{text}\n{summary}\n", "", 1.0, limit), command).klass in {"timeout", "output"}


@given(COMMAND, st.text())
def test_messages_are_one_short_line(command, text):
    message = classify(Completed(1, None, text, "", 1.0), command).message
    assert len(message) <= MESSAGE_LENGTH
    assert "\n" not in message


@pytest.mark.parametrize("command", ["python -m pytest -q", "python -m unittest", "node --test", "npx vitest run"])
def test_status_0_of_a_test_runner_without_its_summary_is_failed(command):
    assert classify(Completed(0, None, "all is well\n", "", 1.0), command).klass == "failed"


def test_a_crash_after_a_summary_is_a_crash():
    assert classify(Completed(None, 11, "2 passed in 0.10s\n", "", 1.0), "python -m pytest").klass == "crashed"


def test_the_memory_limit_is_told_from_other_kills():
    assert classify(Completed(None, 9, "", "Killed\n", 1.0, "memory"), "python -m pytest").klass == "memory"
    assert classify(Completed(None, 9, "", "Killed\n", 1.0), "python -m pytest").klass == "crashed"


def test_a_log_keeps_its_end():
    log = tail("a" * LOG_LENGTH + "the end")
    assert log.endswith("the end")
    assert log.startswith("[… 7 characters cut]")
