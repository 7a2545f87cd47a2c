"""The buffer against plain lists of UTF-16 code units, and its errors against those of `splice`."""

import struct
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntax.buffer import Buffer
from syntax.errors import OffsetError
from syntax.text import splice

TEXTS = st.text(st.sampled_from("ab\n\ré\xffĀ関\uffff😀𝒳\ud83d\ude00\x0c\u2028"), max_size=12)
CHANGES = st.lists(st.tuples(st.integers(-1, 14), st.integers(-1, 14), TEXTS), max_size=3)


def units_of(text):
    data = text.encode("utf-16-le", "surrogatepass")
    return list(struct.unpack(f"<{len(data) // 2}H", data))


def outcome(work):
    """What some work gives, or says when it refuses."""
    try:
        return work()
    except OffsetError as error:
        return repr(error)


@given(TEXTS)
def test_a_buffer_gives_the_text_that_it_was_made_of_and_its_length_in_code_units(text):
    assert units_of(str(Buffer(text))) == units_of(text)
    assert len(Buffer(text)) == len(units_of(text))


@given(TEXTS, st.lists(CHANGES, max_size=4))
def test_a_buffer_takes_and_refuses_what_splice_does_with_the_same_words(text, events):
    buffer = Buffer(text)
    for changes in events:
        expected = outcome(partial(splice, str(buffer), changes))
        refused = outcome(partial(buffer.splice, changes))
        assert (refused or str(buffer)) == expected


@pytest.mark.parametrize(
    "changes", [[(0, 1, "x"), (2, 9, "")], [(0, 2, "x"), (1, 3, "😀")], [(2, 1, "")], [(-1, 1, "")]]
)
def test_what_is_refused_changes_nothing(changes):
    buffer = Buffer("abc")
    with pytest.raises(OffsetError):
        buffer.splice(changes)
    assert str(buffer) == "abc"


def test_a_text_grows_wider_with_the_first_character_that_needs_it_and_stays_right():
    buffer = Buffer("aÿ")
    buffer.splice([(1, 1, "é")])
    buffer.splice([(1, 1, "Ā"), (3, 3, "😀")])
    assert (str(buffer), len(buffer)) == ("aĀéÿ😀", 6)
    buffer.splice([(1, 2, ""), (4, 6, "")])
    assert (str(buffer), len(buffer)) == ("aéÿ", 3)


def test_halves_that_meet_become_one_character_and_a_lone_one_stays():
    buffer = Buffer("\ud83d-\ude00")
    assert str(buffer) == "\ud83d-\ude00"
    buffer.splice([(1, 2, "")])
    assert str(buffer) == "😀"
    assert str(Buffer("\ud83d" + "\ude00")) == "😀"


def test_what_is_put_in_at_one_place_stands_in_the_order_of_the_changes():
    buffer = Buffer("-")
    buffer.splice([(1, 1, "c"), (0, 0, "a"), (0, 0, "b")])
    assert str(buffer) == "ab-c"
