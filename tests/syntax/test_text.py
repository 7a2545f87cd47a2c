"""Text in UTF-16: against an independent reference that only ever works on bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntax.errors import OffsetError
from syntax.text import (
    carry_left,
    carry_right,
    common_prefix,
    common_suffix,
    cut,
    index_of,
    is_narrow,
    length,
    line_starts,
    minimal,
    offset_at,
    offset_of,
    position_at,
    splice,
)

CHARACTERS = st.sampled_from("ab\n\r\t😀𝒳é\x0c\x0b\u2028ß")
TEXTS = st.text(CHARACTERS, max_size=30)


@given(st.text(st.characters() | st.sampled_from("a\ud7ff\ud800\udfff\ue000\uffff\U00010000"), max_size=5))
def test_offsets_are_indices_where_no_character_is_beyond_the_bmp_or_half_of_a_pair(text):
    assert is_narrow(text) == all(ord(letter) < 0xD800 or 0xDFFF < ord(letter) <= 0xFFFF for letter in text)


def reference(text, changes):
    """Apply changes from the last to the first on UTF-16 bytes."""
    data = text.encode("utf-16-le")
    for start, end, new in sorted(changes, reverse=True):
        data = data[: 2 * start] + new.encode("utf-16-le") + data[2 * end :]
    return data.decode("utf-16-le")


@st.composite
def edits(draw):
    """A text with changes that do not overlap, at character borders."""
    text = draw(TEXTS)
    borders = [offset_of(text, index) for index in range(len(text) + 1)]
    cuts = sorted(draw(st.lists(st.sampled_from(borders), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    distinct = [pair for position, pair in enumerate(pairs) if position == 0 or pair[0] > pairs[position - 1][1]]
    return text, [(start, end, draw(TEXTS)) for start, end in distinct]


@given(edits())
def test_splice_equals_the_reference_on_bytes(case):
    text, changes = case
    assert splice(text, changes) == reference(text, changes)


@given(edits())
def test_a_minimal_change_does_the_same(case):
    text, changes = case
    for change in changes:
        assert splice(text, [minimal(text, change)]) == splice(text, [change])


@given(edits())
def test_marks_enclose_exactly_what_was_put_between_them(case):
    text, changes = case
    for start, end, new in changes:
        left, right = carry_left(start, [(start, end, new)]), carry_right(end, [(start, end, new)])
        assert cut(splice(text, [(start, end, new)]), left, right) == new


@given(TEXTS)
def test_offsets_and_positions_are_inverse_outside_line_ends(text):
    for index in range(len(text) + 1):
        offset = offset_of(text, index)
        assert index_of(text, offset) == index
        if index == len(text) or text[index] != "\n" or text[index - 1 : index] != "\r":
            assert offset_at(text, *position_at(text, offset)) == offset


def test_lines_end_where_lsp_says_and_nowhere_else():
    assert line_starts("a\nb\r\nc\rd\x0ce\u2028f") == [0, 2, 5, 7]


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r", ""])
@pytest.mark.parametrize("line", ["ab", "aX", "a ", "a\t", "\\", "é😀", ""])
def test_a_character_past_the_end_of_its_line_means_the_end(line, end):
    assert offset_at(f"{line}{end}", 0, 99) == length(line)


def test_a_line_past_the_end_is_refused():
    with pytest.raises(OffsetError, match="line 2 is outside a document of 2 lines"):
        offset_at("a\nb", 2, 0)


def test_an_edit_outside_its_document_is_refused_with_both_sizes():
    with pytest.raises(OffsetError, match=r"edit \[3, 9\] lies outside its document of 4 UTF-16 code units"):
        splice("a😀b", [(3, 9, "x")])


def test_overlapping_edits_of_one_event_are_refused():
    with pytest.raises(OffsetError, match="overlaps"):
        splice("abcdef", [(0, 3, "x"), (2, 4, "y")])


def test_half_a_surrogate_pair_can_be_taken_away_and_put_back():
    broken = splice("😀", [(0, 1, "")])
    assert splice(broken, [(0, 0, "\ud83d")]) == "😀"


def test_length_counts_code_units():
    assert (length("a😀"), length("é"), length("")) == (3, 1, 0)


@given(TEXTS, TEXTS, TEXTS)
def test_what_two_texts_begin_and_end_with_in_common_is_counted_in_characters(same, left, right):
    counted = next((at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), None)
    shared = min(len(left), len(right)) if counted is None else counted
    assert common_prefix(same + left, same + right) == len(same) + shared
    assert common_suffix((same + left)[::-1], (same + right)[::-1]) == len(same) + shared
