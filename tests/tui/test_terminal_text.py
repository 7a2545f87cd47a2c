import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.terminal_text import clip, clip_last_line, headline, reveal_white_space, sanitize, shorten


@given(st.text(st.characters() | st.sampled_from("\x1b\r\n\t\x0c\x1c\x85\u2028\u202e\ud800")))
def test_nothing_that_a_terminal_obeys_is_left(text):
    shown = sanitize(text)
    assert {unicodedata.category(character) for character in shown.replace("\n", "")}.isdisjoint(
        {"Cc", "Cs", "Zl", "Zp"}
    )
    assert (shown + "x").splitlines() == (shown + "x").split("\n")
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[31m", "␛[31m"),
        ("a\tb", "a    b"),
        ("\ud800", "<U+D800>"),
        ("\u202ex", "<U+202E>x"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\U0001f469"),
        ("[bold]", "[bold]"),
    ],
)
def test_control_characters_become_visible(text, shown):
    assert sanitize(text) == shown


def test_white_space_that_matters_in_a_diff_can_be_seen():
    assert reveal_white_space("a  \r\n\tb ") == "a··␍\n→   b·"


def test_long_lines_and_long_texts_say_what_they_leave_out():
    assert clip("x" * 1_200).endswith("x … 200 more characters")
    assert clip("a\n" * 5, lines=2) == "a\na\n… 4 more lines"
    assert clip_last_line("y" * 1_000 + "cursor", width=6) == "1,000 more characters … cursor"


@given(st.text(), st.integers(1, 30), st.booleans())
def test_a_shortened_text_fits(text, width, keep_end):
    assert cell_len(shorten(sanitize(text).replace("\n", ""), width, keep_end=keep_end)) <= width


def test_the_first_line_is_the_first_that_is_not_blank():
    assert headline("\n  \n\treturn 1\nreturn 2") == "return 1"
