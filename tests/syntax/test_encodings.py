"""Characters of a line as bytes, code units and code points: compared with Python's own codecs, character by character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syntax.encodings import from_utf16, to_utf16

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def test_worked_example():
    assert [to_utf16("aä😀b", at, "utf-8") for at in range(10)] == [0, 1, 1, 2, 2, 2, 2, 4, 5, 5]
    assert [to_utf16("aä😀b", at, "utf-32") for at in range(6)] == [0, 1, 2, 4, 5, 5]
    assert [from_utf16("aä😀b", at, "utf-8") for at in (0, 1, 2, 4, 5)] == [0, 1, 3, 7, 8]


@pytest.mark.parametrize("encoding", CODECS)
@given(line=st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_each_border_of_characters_is_where_the_codecs_put_it(encoding, line):
    codec, size = CODECS[encoding]
    for at in range(len(line) + 1):
        counted, units = len(line[:at].encode(codec)) // size, len(line[:at].encode("utf-16-le")) // 2
        assert to_utf16(line, counted, encoding) == units
        assert from_utf16(line, units, encoding) == counted
    assert to_utf16(line, 10**6, encoding) == len(line.encode("utf-16-le")) // 2


def test_half_a_pair_counts_three_bytes_and_breaks_nothing():
    assert to_utf16("\ud83dab", 4, "utf-8") == 2
    assert from_utf16("\ud83dab", 2, "utf-8") == 4
