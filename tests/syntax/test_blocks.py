import pytest

from syntax.blocks import constructs, extent, line_end, statement_start
from syntax.languages import LANGUAGES, language_of
from syntax.parse import has_error, parse

PYTHON = """def total(rows):
    result = 0
    for row in rows:
        if row.paid:
            result += row.amount
    return result


def other():
    pass
"""
JAVASCRIPT = """export function match(path) {
  const parts = path.split("/");
  for (const part of parts) {
    if (part === "}") return null;
  }
  return parts;
}
"""


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_every_grammar_loads_and_parses_nothing_without_error(name):
    assert not has_error(LANGUAGES[name], "")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("def f(x):\n    ", "def f(x):\n    "),
        ("def f(x):\n    a = 1\n    ", "a = 1\n    "),
        ("def f(x):\n    a = foo(1,\n      2, ", "a = foo(1,\n      2, "),
        ("x = 1\ny = (x +\n  2)\nif x ==", "if x =="),
        ("d = {\n 'a': 1,\n 'b'", "d = {\n 'a': 1,\n 'b'"),
        ("", ""),
    ],
)
def test_the_unfinished_python_statement_is_found(before, expected):
    assert before[statement_start(language_of("python"), before) :] == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("function f(x) {\n    ", "function f(x) {\n    "),
        ("function f(x) {\n  const a = 1;\n    ", "const a = 1;\n    "),
        ("foo\n  .bar()\n  .ba", "foo\n  .bar()\n  .ba"),
        ("let a = 1\nlet b = `x ${a} y`\nlet c = b +\n ", "let c = b +\n "),
        ("for (let i = 0; i < 3; i", "for (let i = 0; i < 3; i"),
    ],
)
def test_the_unfinished_javascript_statement_is_found(before, expected):
    assert before[statement_start(language_of("javascript"), before) :] == expected


def upto(language, text, at, kind):
    start = text.index(at)
    return text[start : extent(language_of(language), text, start, kind)]


def test_the_members_of_an_enumeration_are_statements_of_its_body():
    text = "enum A {\n  ONE;\n\n  int f() {\n    return 1;\n  }\n}\n"
    found = [(block.kind, text[block.start : block.end]) for block in constructs(language_of("java"), text)]
    assert ("statement", "ONE") in found
    assert ("function", "return 1;\n  }") in found


def test_a_block_begins_where_its_header_ends():
    start = PYTHON.index(":\n") + 1
    end = extent(language_of("python"), PYTHON, start, "block")
    assert PYTHON[start:end].endswith("return result")


def test_the_innermost_block_is_taken():
    assert upto("python", PYTHON, "result += row", "block") == "result += row.amount"


def test_a_statement_with_a_block_is_taken_whole():
    assert upto("python", PYTHON, "for row", "statement").endswith("result += row.amount")


@pytest.mark.parametrize(
    ("text", "index", "end"),
    [("a\nb\n", 0, 1), ("a\r\nb", 0, 1), ("a\rb\n", 0, 1), ("a\nb", 2, 3), ("a\nb\r", 1, 1), ("", 0, 0)],
)
def test_a_line_ends_at_the_first_line_end_of_any_kind_or_with_the_text(text, index, end):
    assert line_end(text, index) == end


def test_a_brace_in_a_string_ends_no_block():
    assert upto("javascript", JAVASCRIPT, "const parts", "block").endswith("return parts;\n}")


def test_a_line_ends_before_its_line_end():
    assert upto("javascript", JAVASCRIPT.replace("\n", "\r\n"), "return null", "line") == "return null;"


def test_constructs_of_python_come_with_their_bodies():
    found = [(block.kind, PYTHON[block.start : block.start + 8]) for block in constructs(language_of("python"), PYTHON)]
    assert ("function", "result =") in found
    assert ("for", "if row.p") in found
    assert ("if", "result +") in found
    assert ("statement", "return r") in found


def test_indices_are_characters_behind_characters_of_several_bytes():
    text = 's = "😀é"\nreturn_value = 1\n'
    tree = parse(language_of("python"), text)
    spans = [text[slice(*tree.span(node))] for node in tree.leaves()]
    assert spans == ["s", "=", '"😀é"', "return_value", "=", "1"]
