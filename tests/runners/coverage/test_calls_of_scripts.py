"""Which tests call an outermost function of a script, told from coverage by lines."""

from __future__ import annotations

from runners.coverage.call_chains import of_scripts
from runners.coverage.line_coverage import Coverage

TEXT = """\
export function one() {
  return 1;
}

export function two() {
  return 2;
}

export function never() {
  return 3;
}
"""
PASSED = frozenset({"a", "b", "c"})


def test_what_is_called_for_all_tests_at_once_is_called_by_all_and_what_is_not_called_by_none() -> None:
    lines = {1: None, 2: None, 3: None, 5: frozenset({"a"}), 6: frozenset({"a"}), 7: frozenset({"a"})}
    calls = of_scripts(Coverage({"m.mjs": lines}, frozenset({"c"})), {"m.mjs": TEXT}, PASSED)
    assert {function.line: tests for function, tests in calls.tests_of().items()} == {
        1: PASSED,
        5: frozenset({"a", "c"}),  # of c is not known what it calls
    }
