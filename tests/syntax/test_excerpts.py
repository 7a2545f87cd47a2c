"""A tree that came from an excerpt is the one of the whole text, whatever was parsed before."""

import random

import pytest

from syntax.excerpts import Excerpt, Excerpts
from syntax.languages import language_of
from syntax.parse import Tree
from tests.support.excerpt_sessions import checked, checked_on_devbench, differences, spans
from tests.support.places import ROOT

SOURCES = {path.stem: path.read_text() for path in (ROOT / "tests").glob("server/repair/sources/*.code")}
PYTHON = language_of("python")
LONG = "".join(f"def f{number}(a):\n    b = a + {number}\n    return b\n\n\n" for number in range(200))


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_an_excerpt_has_the_nodes_of_the_whole_text_in_every_language(name):
    language, rng = language_of(name), random.Random(name)
    texts = [text for text in SOURCES.values() if not Tree(language, f"{text}\n{text}").root.has_error]
    source = f"{SOURCES[name]}\n{SOURCES[name]}"
    text = source if not Tree(language, source).root.has_error else SOURCES[name]
    assert sum(checked(rng, language, text, [*texts, *SOURCES.values()], 12) for _ in range(10)) > 5


def test_an_excerpt_has_the_nodes_of_the_whole_text_in_the_programs_of_devbench(shared):
    seen = checked_on_devbench(shared)
    assert min(seen.values()) > 3, seen
    assert len(seen) == 6


def test_a_change_in_a_long_text_is_parsed_by_an_excerpt():
    trees, at = Excerpts(), LONG.index("    return b\n\n\ndef f101")
    trees.parse(PYTHON, LONG)
    tree = trees.parse(PYTHON, f"{LONG[:at]}    c = 1\n{LONG[at:]}")
    assert isinstance(tree, Excerpt)
    assert tree.size < 300
    node = tree.root.descendant_for_byte_range(tree.byte(at + 4), tree.byte(at + 5))
    assert tree.text[slice(*tree.span(node))] == "c"


def test_a_question_about_what_an_excerpt_left_out_is_answered_by_the_whole_text():
    trees, at = Excerpts(), LONG.index("    return b\n\n\ndef f101")
    trees.parse(PYTHON, LONG)
    tree = trees.parse(PYTHON, f"{LONG[:at]}    c = 1\n{LONG[at:]}")
    for name in ("f50", "f150"):
        start = tree.text.index(name)
        byte = tree.byte(start)
        node = tree.root.descendant_for_byte_range(byte, byte + 1)
        assert tree.text[slice(*tree.span(node))] == name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return b\n\n\ndef f101", '    """\n    return b\n\n\ndef f101'),
        ("    return b\n\n\ndef f101", "    return (b\n\n\ndef f101"),
        ("    return b\n\n\ndef f101", "    return b\n\n\n@a\n\ndef f101"),
        ("    return b\n\n\ndef f101", "    return b\n\n\nif a:\n\ndef f101"),
        ("    return b\n\n\ndef f101", "    return b\n\n\nelse:\n    pass\n\ndef f101"),
    ],
)
def test_what_changes_the_text_behind_it_is_parsed_whole(old, new):
    trees = Excerpts()
    trees.parse(PYTHON, LONG)
    text = LONG.replace(old, new)
    found, whole = trees.parse(PYTHON, text), Tree(PYTHON, text)
    assert found.root.has_error == whole.root.has_error
    assert not (differences(found, whole) if isinstance(found, Excerpt) else spans(found) != spans(whole))


def test_a_javascript_statement_that_takes_in_the_next_line_is_parsed_whole():
    language = language_of("javascript")
    text = "".join(f"const a{number} = b{number};\n" for number in range(200)) + "(function () {})();\n" * 3
    trees = Excerpts()
    trees.parse(language, text)
    changed = text.replace("b199;", "b199")
    found = trees.parse(language, changed)
    assert not isinstance(found, Excerpt)
    assert spans(found) == spans(Tree(language, changed))


def test_a_statement_that_would_take_in_the_last_one_of_its_block_is_parsed_whole():
    body = "        a = 1\n        b = 2\n        c = 3\n        d = 4\n\n"
    methods = "".join(f"    def f{number}(self):\n{body}" for number in range(40))
    text = f"class A:\n{methods}    def last(self): e = 5\n\n        if e:\n            f = 6\n"
    trees, whole = (
        Excerpts(),
        Tree(PYTHON, text.replace("def f5(self):\n        a = 1", "def f5(self):\n        a = 10")),
    )
    assert not whole.root.has_error
    trees.parse(PYTHON, text)
    found = trees.parse(PYTHON, whole.text)
    assert not (differences(found, whole) if isinstance(found, Excerpt) else spans(found) != spans(whole))
