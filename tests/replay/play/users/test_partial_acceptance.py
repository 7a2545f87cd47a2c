"""Cuts of "accept next word" and "accept next line", worked out by hand from VS Code's source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.play.users.user import boundaries, next_word


def pieces(text, language="python"):
    ends = list(boundaries(text, language))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo", ["foo"]),
        ("foo bar", ["foo", " ", "bar"]),
        ("foo(a, b)", ["foo", "(", "a", ", ", "b", ")"]),
        (") {", [") ", "{"]),
        (");", [");"]),
        ("= -1.5x;", ["= ", "-1.5x", ";"]),
        ("a-b", ["a", "-", "b"]),
        ("größe_2 = Ω", ["größe_2", " ", "= ", "Ω"]),
        ("日本語。x", ["日本語。x"]),
        ("😀😀.x", ["😀😀", ".", "x"]),
        ("x\u00a0y\ufeffz", ["x", "\u00a0", "y", "\ufeff", "z"]),
        ("", []),
    ],
)
def test_words_are_cut_as_the_editor_cuts_them(text, expected):
    assert pieces(text) == expected


def test_a_line_ends_behind_its_line_feed_even_inside_white_space_that_is_taken_at_once():
    assert next_word("\r\n\n\tx", "python") == 4
    assert pieces("a:\r\n\n\tx") == ["a", ":\r\n", "\n", "\t", "x"]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("typescript", ["$el", ".", "#x"]),
        ("javascriptreact", ["$el", ".", "#x"]),
        ("cpp", ["$el", ".#", "x"]),
        ("java", ["$", "el", ".#", "x"]),
        ("python", ["$", "el", ".#", "x"]),
    ],
)
def test_what_belongs_to_a_word_depends_on_the_language(language, expected):
    assert pieces("$el.#x", language) == expected


@given(st.text(alphabet="ab1_.-$ \n\r\t(){}😀é", max_size=40))
def test_the_pieces_are_the_text_and_every_line_is_one_of_the_cuts(text):
    assert "".join(pieces(text)) == text
    assert all(pieces(text))
    assert {at + 1 for at, char in enumerate(text) if char == "\n"} <= set(boundaries(text, "python"))
