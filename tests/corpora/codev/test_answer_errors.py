"""What is wrong with answers that fail: one case of each error of the paper, and answers that are wrong in no such way."""

from __future__ import annotations

import pytest

from corpora.codev.answer_errors import answer_errors
from tests.support.codev_tasks import PYTHON, task

SCRIPT = """\
function total(prices) {
  let found = 0;
  for (const price of prices) {
    found += price;
  }
  return found;
}
"""


@pytest.mark.parametrize(
    ("truth", "type_", "answer", "errors"),
    [
        ("found += price", "STATEMENT", "found += price\n            found += 1", {"stops-late"}),
        ("found += price", "STATEMENT", "found = price\n            price = 1", {"stops-late"}),
        ("found += price", "STATEMENT", "found = max(\n                price,\n                2)", {"other"}),
        ("found += price", "STATEMENT", "found = {\n                1: price}", {"other"}),
        ("found += price", "STATEMENT", "found = price\n            # done", {"other"}),
        ("found += price", "STATEMENT", "found +=", {"stops-early"}),
        ("found += price", "STATEMENT", "", {"stops-early"}),
        (
            "found += price",
            "STATEMENT",
            "found = price\n        else:\n            found = 2",
            {"stops-late", "crosses"},
        ),
        ("found += price", "STATEMENT", "found = price\n    return found", {"stops-late", "crosses", "repeats"}),
        ("found += price", "STATEMENT", "if price > 1:", {"repeats"}),
        ("found += price", "STATEMENT", "found -= price", {"other"}),
        (
            "if price > 1:\n            found += price",
            "FOR",
            "if price:\n            found += 1\n        found = 2",
            {"other"},
        ),
        (
            "if price > 1:\n            found += price",
            "FOR",
            "found = 3\n    return 4",
            {"crosses"},
        ),
    ],
)
def test_errors_of_answers_in_python(truth: str, type_: str, answer: str, errors: set[str]) -> None:
    assert set(answer_errors(task(PYTHON, truth, type_), answer, "assertion")) == errors


def test_what_python_cannot_read_for_its_indentation_is_said_by_its_verdict() -> None:
    found = answer_errors(task(PYTHON, "found += price"), "found = 2\n              price = 1", "indentation")
    assert set(found) == {"indent", "stops-late"}


def test_where_nothing_is_missing_any_text_is_the_error() -> None:
    asked = task(PYTHON, "return found", wants_nothing=True)
    assert answer_errors(asked, "found = 1", "assertion") == ("wants-nothing",)


def test_a_block_on_the_line_of_its_header_is_left_by_a_line_at_the_header() -> None:
    asked = task("if x: y = 1\nz = 2\n", "y = 1", "IF")
    assert answer_errors(asked, "y = 2\nw = 3", "assertion") == ("crosses",)


@pytest.mark.parametrize(
    ("answer", "errors"),
    [
        ("found = price;\n  }\n  if (found) {", {"stops-late", "crosses"}),
        ("found = prices\n      .filter(Boolean)\n      .length;", {"other"}),
        ("found = f({\n a: 1 });", {"other"}),
    ],
)
def test_in_javascript_a_block_is_left_where_more_is_closed_than_was_opened(answer: str, errors: set[str]) -> None:
    asked = task(SCRIPT, "found += price;", language="javascript")
    assert set(answer_errors(asked, answer, "assertion")) == errors
