"""Constructs and cursors of every language, in programs (constructs/*.toml) in which what is to be found is marked by hand.

`⟦kind:` and `⟧` stand around a construct's body or a simple statement; `⟨behind kind⟩` stands where a cursor is.
"""

import re
import tomllib
from pathlib import Path

import pytest

from syntax.blocks import constructs
from syntax.cursors import cursors
from syntax.languages import LANGUAGES, language_of
from syntax.parse import has_error

CASES = [
    tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted((Path(__file__).parent / "constructs").iterdir())
]
MARK = re.compile(r"⟦(\w+):|(⟧)|⟨(\w+) (\w+)⟩")
by_language = pytest.mark.parametrize("case", CASES, ids=lambda case: case["language"])


def unmarked(text):
    """The text without its marks, the marked spans (kind, start, end), and the marked points (behind, kind, at)."""
    plain, spans, points, opened, at = "", [], [], [], 0
    for mark in MARK.finditer(text):
        plain, at = plain + text[at : mark.start()], mark.end()
        kind, closes, behind, around = mark.groups()
        if kind:
            opened.append((kind, len(plain)))
        elif closes:
            spans.append((*opened.pop(), len(plain)))
        else:
            points.append((behind, around, len(plain)))
    assert not opened
    return plain + text[at:], spans, points


def shown(text, spans):
    return sorted((start, kind, text[start:end]) for kind, start, end in spans)


def test_every_language_has_its_program():
    assert {language_of(case["language"]).id for case in CASES} == set(LANGUAGES)


@by_language
def test_bodies_and_simple_statements_are_where_they_are_marked(case):
    text, spans, _ = unmarked(case["text"])
    language = language_of(case["language"])
    assert not has_error(language, text)
    found = [(block.kind, block.start, block.end) for block in constructs(language, text)]
    assert shown(text, found) == shown(text, spans)


@by_language
def test_bodies_and_simple_statements_are_the_same_with_windows_line_ends(case):
    text, spans, _ = unmarked(case["text"].replace("\n", "\r\n"))
    found = [(block.kind, block.start, block.end) for block in constructs(language_of(case["language"]), text)]
    assert shown(text, found) == shown(text, spans)


@by_language
def test_cursors_stand_behind_operators_calls_and_declared_names(case):
    text, _, points = unmarked(case["cursors"])
    language = language_of(case["language"])
    assert not has_error(language, text)
    found = sorted(
        (cursor.start, cursor.behind, cursor.kind, text[cursor.start :][:9]) for cursor in cursors(language, text)
    )
    assert found == sorted((at, behind, kind, text[at:][:9]) for behind, kind, at in points)
