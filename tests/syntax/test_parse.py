"""Indices and byte offsets of a parsed text."""

from hypothesis import given
from hypothesis import strategies as st

from syntax.languages import language_of
from syntax.parse import parse

TEXTS = st.text(st.one_of(st.sampled_from("ab \n\t(é日😀\ud83d\x00"), st.characters()), max_size=40)


@given(TEXTS)
def test_each_index_has_its_byte_and_each_byte_its_character(text):
    tree = parse(language_of("python"), text)
    sizes = [len(char.encode("utf-8", "surrogatepass")) for char in text]
    starts = [sum(sizes[:index]) for index in range(len(text) + 1)]
    assert [tree.byte(index) for index in range(len(text) + 1)] == starts
    holders = [index for index, size in enumerate(sizes) for _ in range(size)]
    assert [tree.index(byte) for byte in range(starts[-1] + 1)] == [*holders, len(text)]


def test_what_lies_behind_a_text_with_wide_characters_is_its_end():
    assert parse(language_of("python"), "é = 1").index(100) == 5
