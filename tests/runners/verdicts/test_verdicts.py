"""What is made of the output of test runners.

The cases were written by the runners themselves, but for those of Maven, Gradle, Go, .NET and JUnit, which are not
here: they are modelled on the formats that these are known to write.
"""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.protocol import Completed
from runners.verdicts import LOG_LENGTH, MESSAGE_LENGTH, classify, first_line, tail

CASES = sorted(Path(__file__).with_name("cases").glob("*.toml"))
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
    assert (result.verdict_class, result.message) == (wanted["class"], wanted["message"])
    assert (result.passed, result.failed) == (wanted.get("passed"), wanted.get("failed"))


def test_there_are_cases():
    assert len(CASES) > 40


@given(COMMAND, st.text(), SUMMARY, st.integers(1, 126))
def test_a_status_other_than_0_is_never_passed(command, text, summary, status):
    assert classify(Completed(status, None, f"{text}\n{summary}\n", "", 1.0), command).verdict_class != "passed"


@given(COMMAND, st.text(), SUMMARY, st.sampled_from(["wall", "output", "disk"]))
def test_a_run_that_was_stopped_is_never_passed(command, text, summary, limit):
    assert classify(Completed(0, None, f"{text}\n{summary}\n", "", 1.0, limit), command).verdict_class in {
        "timeout",
        "output",
    }


@given(COMMAND, st.text())
def test_messages_are_one_short_line(command, text):
    message = classify(Completed(1, None, text, "", 1.0), command).message
    assert len(message) <= MESSAGE_LENGTH
    assert "\n" not in message


@pytest.mark.parametrize("command", ["python -m pytest -q", "python -m unittest", "node --test", "npx vitest run"])
def test_status_0_of_a_test_runner_without_its_summary_is_failed(command):
    assert classify(Completed(0, None, "all is well\n", "", 1.0), command).verdict_class == "failed"


def test_a_crash_after_a_summary_is_a_crash():
    assert classify(Completed(None, 11, "2 passed in 0.10s\n", "", 1.0), "python -m pytest").verdict_class == "crashed"


def test_the_memory_limit_is_told_from_other_kills():
    assert classify(Completed(None, 9, "", "Killed\n", 1.0, "memory"), "python -m pytest").verdict_class == "memory"
    assert classify(Completed(None, 9, "", "Killed\n", 1.0), "python -m pytest").verdict_class == "crashed"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("be\x07ll \x00nul \x9b2Jcleared", "bell nul cleared"),
        ("50 %\r100 %", "50 %"),
        ("turned \u202etxt.exe\u2066", "turned txt.exe"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("\U0001f600" * 400, "\U0001f600" * 299 + "…"),
        ("\n\n  second  \nthird", "second"),
    ],
)
def test_messages_are_cut_safely(written, shown):
    assert first_line(written) == shown
    assert first_line(written).encode()


def test_a_log_keeps_its_end():
    log = tail("a" * LOG_LENGTH + "the end")
    assert log.endswith("the end")
    assert log.startswith("[… 7 characters left out]")


@pytest.mark.parametrize("length", range(8, 17))
def test_a_log_that_is_cut_begins_with_a_whole_line(length):
    assert tail("first line\nsecond\nthird one\n", length) in {
        "[… 11 characters left out]\nsecond\nthird one",
        "[… 18 characters left out]\nthird one",
        "[… 19 characters left out]\nhird one",  # a line that is longer than the limit
    }


def test_a_log_that_is_cut_keeps_as_many_lines_as_fit():
    lines = [f"line {number:05}" for number in range(3_000)]
    noted, *kept = tail("\n".join(lines)).split("\n")
    assert kept == lines[-len(kept) :]
    assert len(kept) == (LOG_LENGTH + 1) // len("line 00000\n")
    assert noted == f"[… {11 * (3_000 - len(kept)):,} characters left out]"
