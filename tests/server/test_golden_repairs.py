"""Golden cases: one TOML file each, the suggestion marked ‹like this› in its document."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from server.repair.chain import covered, repair
from server.repair.draft import Draft
from syntax.languages import language_of

CASES = sorted(Path(__file__).parent.joinpath("golden").glob("*.toml"))


def _case(path: Path) -> tuple[Draft, str]:
    case = tomllib.loads(path.read_bytes().decode().replace("\r\n", "\n"))
    before, rest = case["given"].split("‹")
    text, after = rest.split("›")
    wanted = text if case.get("unchanged") else case["wanted"]
    return Draft(language_of(case["language"]), before, after, text, case["stop"]), wanted


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_suggestion_is_repaired_as_its_golden_case_says(path):
    draft, wanted = _case(path)
    text, trail = repair(draft)
    assert text == wanted, [(step.step, step.after, step.undone) for step in trail]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_repairing_a_repaired_suggestion_changes_nothing(path):
    draft, wanted = _case(path)
    again, _ = repair(Draft(draft.language, draft.before, draft.after, wanted, draft.stop))
    assert again == wanted


def test_closers_right_of_the_cursor_that_the_suggestion_has_are_covered():
    python = language_of("python")
    assert covered(Draft(python, "print(max(", "))\n", "1, 2))")) == 2
    assert covered(Draft(python, "print(max(", "))\n", "1, 2)")) == 1
    assert covered(Draft(python, "print(max(", "))\n", "1, 2")) == 0
    assert covered(Draft(python, "print(max(", ") + 1)\n", "1, 2)")) == 0


def test_a_step_that_makes_the_splice_parse_worse_is_undone_and_stays_on_the_trail():
    draft = Draft(language_of("python"), "x = (", "\n     + 1)\n", "a\n", "line")
    text, trail = repair(Draft(language_of("python"), "x = [", "]\n", "1, 2,\n     3, 4", "line"))
    assert text == "1, 2,"
    assert all(not step.undone for step in trail)
    assert repair(draft)[0] == "a"
