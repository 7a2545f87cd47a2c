import pytest

from syntax.languages import language_of
from syntax.wanted import wanted

PYTHON, JAVASCRIPT = language_of("python"), language_of("javascript")


@pytest.mark.parametrize("stop", ["line", "statement", "block"])
def test_a_hint_that_names_an_extent_is_what_is_wanted(stop):
    assert wanted(PYTHON, "if a:\n    ", "\n", stop) == stop


@pytest.mark.parametrize("stop", ["auto", "any"])
@pytest.mark.parametrize(
    ("language", "before", "after", "extent"),
    [
        (PYTHON, "def f(a):\n    ", "\n", "block"),
        (PYTHON, "if a:  # why\n    ", "\n", "block"),
        (PYTHON, "if (a and\n        b):", "\n", "block"),
        (PYTHON, "d = {'a':", "}\n", "statement"),
        (PYTHON, "total:", "\n", "statement"),
        (PYTHON, "def f(a:", "):\n", "statement"),
        (PYTHON, "total = ", "\n", "statement"),
        (PYTHON, "total = f(", ")\n", "statement"),
        (PYTHON, "total = ", " + 1\n", "line"),
        (JAVASCRIPT, "if (a) {\n  ", "\n}\n", "block"),
        (JAVASCRIPT, "label: ", "\n", "statement"),
        (JAVASCRIPT, "const a = ", " + 1;\n", "line"),
        (None, "section {", "", "block"),
        (None, "key: ", "", "statement"),
    ],
)
def test_without_such_a_hint_the_text_around_the_cursor_tells(stop, language, before, after, extent):
    assert wanted(language, before, after, stop) == extent
