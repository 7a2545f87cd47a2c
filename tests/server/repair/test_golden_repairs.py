"""Golden cases: one TOML file each, the suggestion marked ‹like this› in its document.

`wanted` (or `unchanged`) is what should be offered and `steps` are the repairs that should act, in order. `known_bad` says why a
case is not repaired as it should be; such a case fails when it becomes good, until the mark is taken away.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from server.repair.chain import repair
from server.repair.draft import Draft
from server.repair.offer import offered
from server.repair.steps.overlap import covered
from server.settings import REPAIRS
from syntax.languages import LANGUAGES, language_of
from tests.support.repair_cases import GOLDEN, golden_case

GOOD = [path for path, case in GOLDEN.items() if "known_bad" not in case]
BAD = [path for path, case in GOLDEN.items() if "known_bad" in case]
KEYS = {"language", "stop", "given", "wanted", "unchanged", "steps", "known_bad", "paper_rules"}


def _repaired(path: Path, draft: Draft):
    return repair(draft, rules=GOLDEN[path].get("paper_rules", "none"))


def _acted(trail):
    return list(dict.fromkeys(step.step for step in trail if not step.undone))


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_suggestion_is_repaired_as_its_golden_case_says(path):
    draft, wanted = golden_case(path)
    text, trail = _repaired(path, draft)
    assert text == wanted, [(step.step, step.after, step.undone) for step in trail]
    assert _acted(trail) == GOLDEN[path].get("steps", [])


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_repairing_a_repaired_suggestion_changes_nothing(path):
    draft, wanted = golden_case(path)
    if wanted:
        again, _ = _repaired(path, Draft(draft.language, draft.before, draft.after, wanted, draft.stop))
        assert again == wanted


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_editor_is_offered_the_same_though_it_waits_for_no_more_than_is_enough(path):
    draft, wanted = golden_case(path)
    assert offered(draft, rules=GOLDEN[path].get("paper_rules", "none")).text == wanted


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_case_that_is_known_to_be_bad_is_still_bad(path):
    draft, wanted = golden_case(path)
    text, _ = _repaired(path, draft)
    assert text != wanted, "this case is good now: take its known_bad away"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_case_is_well_formed(path):
    case = GOLDEN[path]
    draft, wanted = golden_case(path)
    assert set(case) <= KEYS
    assert ("wanted" in case) != ("unchanged" in case)
    assert (wanted == draft.text) == bool(case.get("unchanged"))
    assert case.get("steps", []) == [name for name in REPAIRS if name in case.get("steps", [])]
    ends_only = wanted.replace("\r\n", "\n") == draft.text.replace(
        "\r\n", "\n"
    )  # the document's line ends are no step's work
    assert bool(case.get("steps")) != ends_only


def test_golden_cases_cover_every_step_in_every_language():
    acted = {(case["language"], step) for case in GOLDEN.values() for step in case.get("steps", [])}
    languages = set(LANGUAGES) - {"javascriptreact", "typescriptreact"}
    wanted = {(language, step) for language in languages for step in REPAIRS}
    assert wanted <= acted, sorted(wanted - acted)


def test_golden_cases_are_many_and_many_of_them_change_nothing():
    assert len(GOLDEN) >= 150
    assert sum(case.get("unchanged", False) for case in GOLDEN.values()) >= 30


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
