"""What costs no parse: each step that decides by the text alone would have changed nothing with the tree either."""

from __future__ import annotations

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from msgspec.structs import replace

from server.repair.draft import Draft, tree_of
from server.repair.offer import offered
from server.repair.steps.stop import is_finished
from syntax.languages import language_of
from tests.support.repair_cases import GOLDEN, RELAXED, SOURCES, drafts, golden_case
from tests.support.repair_shortcuts import lines_of, taken, taken_on_devbench

STEPS = {"prose", "indent", "brackets", "stop"}
PIECES = [
    *(
        "x",
        "rn total",
        "def",
        "en",
        "d",
        "do",
        "value",
        " = ",
        "1",
        "+",
        ".",
        ",",
        ":",
        "=>",
        "#",
        "//",
        "/",
        "\\",
        "@",
        "%w",
        "?",
    ),
    *(
        "'",
        '"',
        "`",
        "${",
        "<",
        ">",
        "|",
        " ",
        "  ",
        "\t",
        "\f",
        "\v",
        "\x1c",
        "\u2028",
        "é",
        "日本",
        ";",
        "case",
        "_",
        "#{",
        "/*",
        "*/",
    ),
]


@st.composite
def words(draw):
    """A suggestion of one line somewhere in a file of any language, whole or broken off."""
    name = draw(st.sampled_from(sorted(SOURCES)))
    source = SOURCES[name]
    start = draw(st.integers(0, len(source)))
    end = draw(st.integers(start, min(len(source), start + 60)))
    text = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5)))
    text = draw(st.sampled_from([text, source[start:end].split("\n")[0] or text]))
    before = draw(st.sampled_from([source[:start], source[:start] + text[:1], source[: start // 2]]))
    after = draw(st.sampled_from([source[end:], source[start:], ""]))
    return Draft(language_of(name), before, after, text, draw(st.sampled_from(["auto", "line", "statement", "block"])))


@RELAXED
@given(words())
def test_a_step_that_does_not_look_at_the_tree_would_have_changed_nothing(draft):
    note(str(taken(draft)))


@RELAXED
@given(drafts())
def test_so_it_is_for_answers_of_many_lines(draft):
    for each in (draft, *lines_of(draft)):
        taken(each)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_so_it_is_in_every_golden_case(path):
    draft, _ = golden_case(path)
    if draft.language is not None:
        for hint in ("auto", "statement", "block"):
            for each in lines_of(draft):
                taken(replace(each, stop=hint))


def test_so_it_is_for_answers_of_devbench(shared):
    assert set(taken_on_devbench(shared)) == STEPS


WORD, CALL = ("retu", "rn total"), ("", "total = f(a, [b, 1])")


@pytest.mark.parametrize("name", sorted(SOURCES))
@pytest.mark.parametrize(("typed", "text", "parses"), [(*WORD, 0), (*CALL, 1)])
def test_a_word_costs_no_parse_and_a_call_costs_one(name, typed, text, parses):
    language = language_of(name)
    indent = "" if typed else "    "
    draft = Draft(language, f"{SOURCES[name]}\n{indent}{typed}", "\n", text)
    tree_of.cache_clear()
    is_finished(draft)
    assert offered(draft).text == text
    assert tree_of.cache_info().misses == parses
