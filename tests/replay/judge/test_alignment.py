"""How much of the finished text a suggestion stands in for."""

import pytest

from replay.judge.alignment import WrittenCode, reach
from syntax.languages import language_of
from syntax.parse import parse

BODY = "total = 0\n    for x in xs:\n        total += x\n    return total"
CODE = f"def add(xs):\n    {BODY}\n\n\ndef other():\n    pass\n"
START = CODE.index("total = 0")
END = CODE.index("\n\n\ndef other")


def reached(text, *, code=CODE, start=START, limit=END, prior=None, language="python"):
    found = reach(
        WrittenCode(parse(language_of(language), code), start, limit, limit if prior is None else prior), text
    )
    return code[start : found.end], found.agrees


@pytest.mark.parametrize("size", [size for size in range(1, len(BODY) + 1) if BODY[:size].split()])
def test_what_says_the_same_up_to_the_end_of_a_token_is_just_that(size):
    text = BODY[:size]
    split = size < len(BODY) and (
        (BODY[size - 1].isalnum() and BODY[size].isalnum()) or BODY[size - 1 : size + 1] == "+="
    )
    found, agrees = reached(text)
    assert agrees is not split
    if agrees:
        assert found == text.rstrip()


def test_white_space_and_line_breaks_do_not_matter():
    assert reached("total=0\n    for x in xs :") == ("total = 0\n    for x in xs:", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total = 1", "total = 0"),
        ("total = 0\n    for y in xs:\n        total += y", BODY[: BODY.index("\n    return")]),
        ("count = 0\n    for x in xs:\n        count += x\n    return count", BODY),
        ("total = 0\n    for x in xs:\n        total -= x\n    return total", BODY),
    ],
)
def test_what_says_something_else_stands_in_for_the_statements_it_resembles(text, expected):
    assert reached(text, prior=START + len("total = 0")) == (expected, False)


def test_of_equal_ends_the_wanted_one_is_taken():
    code = "def f():\n    a(1)\n    b(2)\n"
    start, first, second = code.index("a("), code.index("\n    b"), len(code) - 1
    assert reached("c[3]", code=code, start=start, limit=second, prior=first) == ("a(1)", False)


def test_nothing_behind_the_limit_is_taken_but_what_is_wanted():
    assert reached("total = 0\n    for x in xs:\n        pass", limit=START + 9) == ("total = 0", False)


def test_what_leaves_brackets_open_stands_in_for_what_leaves_the_same_open():
    code = "function f() {\n  if (a) {\n    g(1);\n  }\n}\n"
    start = code.index("if")
    found = reached("if (b) {\n    g(1);", code=code, start=start, limit=len(code) - 1, language="javascript")
    assert found == ("if (a) {\n    g(1);", False)


def test_comments_do_not_count():
    code = "x = 1\n# first the one, then the other: three long words\ny = 2\nz = 3\n"
    assert reached("x = 5\ny = 6", code=code, start=0, limit=len(code)) == (code[: code.index("\nz")], False)
