"""Labels of small programs, as a person reads them off by the paper's words, and of real ones beside Python's own parser."""

import ast
import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.labels.grammars import GRAMMARS
from corpora.labels.labels import CONSTRUCTS, labels_of
from syntax.languages import language_of
from tests.support.places import ROOT
from tests.support.scale import SCALE, examples

CASES = [
    pytest.param(case | {"language": case.get("language", file.stem)}, id=f"{file.stem}: {case['name']}")
    for file in sorted((Path(__file__).parent / "cases").glob("*.toml"))
    for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
]


def of(language, before, truth, after):
    return labels_of(language_of(language), before, truth, after)


@pytest.mark.parametrize("case", CASES)
def test_a_program_has_the_labels_that_a_person_reads_off_it(case):
    before, _, rest = case["text"].partition("«")
    truth, _, after = rest.partition("»")
    found = of(case["language"], before, truth, after)
    assert sorted(found.constructs) == sorted(case["constructs"])
    assert (found.comment, found.reference) == (case.get("comment"), case.get("reference"))
    assert set(case["constructs"]) <= set(CONSTRUCTS)


def test_letters_beyond_ascii_move_nothing():
    before, truth, after = "grün = 'ä𝄞'  # ö\n", "print(grün)\n", "# é\n"
    found = of("python", before, truth, after)
    assert (found.constructs, found.comment, found.reference) == ({"local variable"}, 1, 1)


def test_labels_do_not_depend_on_the_gaps_that_were_read_before():
    text = "import os\nlimit = 1\ndef go(a):\n    if a > limit:\n        return os.sep\n    return a\n"
    lines = text.splitlines(keepends=True)
    gaps = [(first, last) for first in range(len(lines)) for last in range(first + 1, len(lines) + 1)]

    def label(first, last, more=""):
        return of("python", "".join(lines[:first]), "".join(lines[first:last]), "".join(lines[last:]) + more)

    together = [label(*gap) for gap in gaps]
    assert together == [label(*gap, more=f"\n# {number}") for number, gap in enumerate(gaps)]


def test_a_language_whose_names_are_not_known_has_the_other_labels():
    found = of("go", "package a\nfunc f(a int) {\n// x\nif a > 1 {\n", "a = 2\n", "}\n}\n")
    assert (found.constructs, found.comment, found.reference) == ({"if body"}, 2, None)


WORDS = [
    "import",
    "from",
    "as",
    ".",
    "*",
    "class",
    "def",
    "function",
    "new",
    "this",
    "self",
    "super",
    "extends",
    "implements",
    "interface",
    "struct",
    "enum",
    "namespace",
    "using",
    "#include",
    "<a>",
    "if",
    "else",
    "elif",
    "for",
    "while",
    "do",
    "in",
    "of",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ":",
    ",",
    "=",
    "==",
    "+=",
    "->",
    "=>",
    "::",
    "<",
    ">",
    "a",
    "b",
    "C",
    "D",
    "é",
    "𝄞",
    "int",
    "var",
    "const",
    "1",
    "'x'",
    '"y"',
    "//",
    "/*",
    "*/",
    "#",
    "\n",
    "@",
    "lambda",
    "return",
    "global",
    "with",
    "try",
    "catch",
    "except",
]


@settings(max_examples=examples(200), deadline=None)
@given(
    language=st.sampled_from([*GRAMMARS, "go", "rust", "ruby"]),
    parts=st.tuples(*[st.lists(st.sampled_from(WORDS), max_size=12)] * 3),
)
def test_any_text_has_labels_and_distances_that_can_be(language, parts):
    before, truth, after = (" ".join(words) for words in parts)
    found = of(language, before, truth, after)
    lines = (before + truth).count("\n")
    assert found.constructs <= set(CONSTRUCTS)
    assert found.comment is None or 0 <= found.comment <= lines
    assert found.reference is None or 0 <= found.reference <= lines
    if not truth.strip():
        assert (found.constructs, found.reference) == (set(), None)


def spans(tree):
    """The conditions and bodies of a program as Python's own parser has them: kind, first and last line and column."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            yield "if condition", node.test, node.test
            yield "if body", node.body[0], node.body[-1]
            is_elif = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            if node.orelse and not (is_elif and node.orelse[0].col_offset == node.col_offset):
                yield "if body", node.orelse[0], node.orelse[-1]
        elif isinstance(node, ast.For | ast.While | ast.AsyncFor):
            yield "loop body", node.body[0], node.body[-1]


def first_line(node):
    """The line on which a statement begins, with its decorators."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def imported_in(tree):
    """The names that a module imports at its top, from other projects."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name.partition(".")[0], node.lineno) for alias in node.names)


def is_nested_import(node):
    return isinstance(node, ast.Import | ast.ImportFrom) and node.col_offset > 0


@pytest.mark.sampled
def test_conditions_bodies_and_libraries_of_real_files_are_those_of_pythons_own_parser():
    """In gaps of whole lines in the project's own files."""
    files = sorted(path for room in ("server", "replay", "runners") for path in (ROOT / room).rglob("*.py"))
    drawn, seen = random.Random(0), dict.fromkeys(("if condition", "if body", "loop body", "library"), 0)
    for _ in range(100 * SCALE):
        text = drawn.choice(files).read_text(encoding="utf-8")
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        if len(lines) < 20:
            continue
        first = drawn.randrange(len(lines) - 5)
        last = first + drawn.randrange(1, 6)
        gap = [number for number in range(first + 1, last + 1) if lines[number - 1].strip()]
        if not gap or any(lines[number - 1].strip().startswith(("#", '"')) for number in gap):
            continue
        found = of("python", "".join(lines[:first]), "".join(lines[first:last]), "".join(lines[last:])).constructs
        expected = {
            kind for kind, one, other in spans(tree) if first_line(one) <= gap[-1] and other.end_lineno >= gap[0]
        }
        above = {name for name, line in imported_in(tree) if line < first + 1}
        nested = {one.asname or one.name for node in ast.walk(tree) if is_nested_import(node) for one in node.names}
        bound = {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        bound |= nested
        bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.lineno in gap}
        assert found & {"if condition", "if body", "loop body"} == expected, (text, gap)
        if not (used & (above | nested) & bound):
            assert ("library" in found) == bool(used & above), (text, gap, used & above)
        for one in expected | ({"library"} & found):
            seen[one] += 1
    assert min(seen.values()) >= SCALE, seen


def test_what_a_file_imports_from_its_own_package_is_no_library():
    parts = "from wal import total\nimport numpy\n\n\ndef f():\n", "    return total(numpy)\n", ""
    assert "library" in labels_of(language_of("python"), *parts).constructs
    alone = ("from wal import total\n\n\ndef f():\n", "    return total(1)\n", "")
    assert "library" in labels_of(language_of("python"), *alone).constructs
    assert "library" not in labels_of(language_of("python"), *alone, frozenset({"src", "wal"})).constructs
    assert "library" in labels_of(language_of("python"), *parts, frozenset({"src", "wal"})).constructs
