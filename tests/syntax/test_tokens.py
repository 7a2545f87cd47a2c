"""The tokens around the cursor: only a part of a large tree is looked at, and nothing is missed for it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syntax.languages import language_of
from syntax.parse import is_opaque, parse
from syntax.tokens import CLOSERS, PAIRS, open_brackets, tokens
from tests.support.repair_cases import RELAXED, SOURCES
from tests.support.scale import examples

TIMES = 40
"""How often a file is said again, so that its tree has more children than are looked through one by one."""
FEWER = settings(RELAXED, max_examples=examples(25))
JUNK = ["", "", "", "}", "(", "x = (", '"', "{\n", "if x:\n", "end\n", "日本"]


@st.composite
def trees(draw):
    name = draw(st.sampled_from(sorted(SOURCES)))
    parts = [SOURCES[name]] * TIMES
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, TIMES - 1))
        cut = draw(st.integers(0, len(SOURCES[name])))
        parts[at] = parts[at][:cut] + draw(st.sampled_from(JUNK)) + parts[at][cut:]
    text = "".join(parts)
    start = draw(st.integers(0, len(text)))
    return parse(language_of(name), text), start, min(len(text), start + draw(st.integers(0, 300)))


@FEWER
@given(trees())
def test_the_tokens_of_a_range_are_all_that_the_whole_tree_has_there(given_tree):
    tree, start, end = given_tree
    spans = [tree.span(node) for node in tree.leaves()]
    wanted = [(low, high) for low, high in spans if low < end and high > start and low < high]
    assert [(token.start, token.end) for token in tokens(tree, start, end)] == wanted


@FEWER
@given(trees())
def test_the_brackets_that_are_open_are_those_of_a_walk_over_all_tokens(given_tree):
    tree, index, _ = given_tree
    stack: list[tuple[str, int]] = []
    for node in tree.leaves():
        at, word = tree.index(node.start_byte), node.type
        if at >= index or is_opaque(node) or node.is_missing:
            continue
        if word in PAIRS:
            stack.append((word, at))
        elif word in CLOSERS and stack and stack[-1][0] == CLOSERS[word]:
            stack.pop()
    assert [(token.text, token.start) for token in open_brackets(tree, index)] == stack


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_tree_of_a_long_file_has_too_many_children_to_look_through(name):
    assert parse(language_of(name), SOURCES[name] * TIMES).root.child_count > 32


@pytest.mark.parametrize("name", SOURCES)
def test_a_range_that_begins_between_two_statements_has_the_tokens_behind(name):
    """tree-sitter finds no child for a byte in white space behind which a token without a name ends, as in Go."""
    tree = parse(language_of(name), SOURCES[name] * TIMES)
    spans = [tree.span(node) for node in tree.leaves()]
    for child in tree.root.children[:40]:
        start = tree.index(child.end_byte)
        wanted = [(low, high) for low, high in spans if low < start + 4 and high > start and low < high]
        assert [(token.start, token.end) for token in tokens(tree, start, start + 4)] == wanted


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_white_space_below_a_long_file_holds_no_open_bracket(name):
    tree = parse(language_of(name), SOURCES[name] * TIMES + "\n\n\n")
    assert not tree.root.has_error
    assert open_brackets(tree, len(tree.text)) == ()
