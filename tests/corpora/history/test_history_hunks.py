"""Spans say how one text becomes another, in the steps in which a person would do it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.history.session.copied_code import blocks, blocks_in, copied_parts
from corpora.history.session.span_typist import ReplacedSpan, hunks, same_line_ends

LINES = st.lists(
    st.sampled_from(["a = 1", "    b(2)", "    b(3)", "", "\t}", "x = 'é😀'", "def f(a, b):", " \u2028y", "\r"]),
    max_size=8,
)
ENDS = st.sampled_from(["\n", "\r\n"])
TEXTS = st.builds(lambda lines, end, last: end.join(lines) + last, LINES, ENDS, st.sampled_from(["", "\n", "\r\n"]))
ANY = st.one_of(TEXTS, st.text(st.characters(exclude_categories=["Cs"]), max_size=30))


def spans(old, new):
    return [span for hunk in hunks(old, new) for span in hunk]


def applied(old, found):
    """The text after all spans, which are in rising order."""
    ends = [0, *(span.end for span in found)]
    return "".join(old[end : span.start] + span.new for end, span in zip(ends, found, strict=False)) + old[ends[-1] :]


@given(ANY, ANY)
def test_the_spans_of_two_texts_make_the_one_of_the_other(old, new):
    found = spans(old, new)
    assert applied(old, found) == new
    reached = 0
    for span in found:
        assert reached <= span.start <= span.end <= len(old)
        reached = span.end


@given(ANY)
def test_texts_that_are_equal_have_no_hunks(text):
    assert hunks(text, text) == []


def test_a_word_of_a_line_is_changed_in_place():
    assert spans("a = one(1)\nb\n", "a = two(1)\nb\n") == [ReplacedSpan(4, 7, "two")]
    assert spans('version = "1.2.3"\n', 'version = "1.3.3"\n') == [ReplacedSpan(13, 14, "3")]


def test_white_space_at_the_end_of_a_line_goes_and_the_line_end_stays():
    assert spans("a = 1  \nb\n", "a = 1\nb\n") == [ReplacedSpan(5, 7, "")]


def test_new_lines_are_begun_with_enter_at_the_end_of_the_line_above():
    assert spans("a\nb\n", "a\nnew\nb\n") == [ReplacedSpan(1, 1, "\nnew")]
    assert spans("a\r\nb\r\n", "a\r\nnew\r\nb\r\n") == [ReplacedSpan(1, 1, "\r\nnew")]
    assert spans("b\n", "new\nb\n") == [ReplacedSpan(0, 0, "new\n")]


def test_lines_that_have_nothing_in_common_are_replaced_and_not_patched_together():
    assert spans("k\nimport os\nz\n", "k\n@cache\nz\n") == [ReplacedSpan(2, 11, "@cache")]


def test_lines_that_are_alike_are_changed_and_those_between_them_written():
    old = "k\nfirst = call(one)\nlast = call(two)\nz\n"
    new = "k\nfirst = call(uno)\nnew = 3\nlast = call(due)\nz\n"
    assert [span.new for span in spans(old, new)] == ["uno", "\nnew = 3", "due"]
    assert len(hunks(old, new)) == 1


def test_a_line_that_is_broken_in_two_is_changed_where_it_breaks():
    old = 'k\n    raise error(pos, "Expected a table")\nz\n'
    new = 'k\n    raise Mistake(\n        "Expected a table", pos\n    )\nz\n'
    assert [(old[span.start : span.end], span.new) for span in spans(old, new)] == [
        ("error(pos, ", "Mistake(\n        "),
        ("", ", pos\n    "),
    ]


def test_a_line_that_begins_with_the_same_word_is_more_easily_the_same():
    assert [span.new for span in spans("k\nraise failed(\nz\n", "k\nraise Mistaken(\nz\n")] == ["Mistaken"]
    assert [span.new for span in spans("k\nanother(failed)\nz\n", "k\nraise Mistaken(\nz\n")] == ["raise Mistaken("]


def test_hunks_are_apart_where_lines_stay():
    assert [len(hunk) for hunk in hunks("a\nb\nc\nd\n", "A\nb\nc\nD\n")] == [1, 1]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a\nb\n", "a\r\nc\r\n", "a\r\nb\r\n"),
        ("a\r\nb\r\n", "a\nc\n", "a\nb\n"),
        ("a\r\nb\n", "a\nc\n", "a\r\nb\n"),
        ("a\nb\n", "a\nc\n", "a\nb\n"),
        ("a", "a\r\nb", "a"),
    ],
)
def test_only_texts_with_one_kind_of_line_end_are_given_the_other(old, new, expected):
    assert same_line_ends(old, new) == expected


MOVED = "def area(width, height):\n    doubled = width * height\n    return doubled\n"


def test_three_lines_that_stand_elsewhere_are_pasted_whatever_their_indentation():
    text = "x = 1\n" + MOVED.replace("\n", "\n    ").rstrip(" ") + "y = 2\n"
    known = blocks_in(blocks([text]), ["other\n", "import os\n\n" + MOVED])
    [(start, end)] = copied_parts(text, known)
    assert text[start:end].split("\n")[0] == "def area(width, height):"
    assert text[start:end].endswith("return doubled")


def test_blocks_that_overlap_are_pasted_at_once():
    text = MOVED + "\nwith open(path) as file:\n    use(file)\n"
    known = blocks_in(blocks([text]), [text])
    assert copied_parts(text, known) == [(0, len(text) - 1)]


@pytest.mark.parametrize("text", [")\n}\n]\n", MOVED.rsplit("    return", 1)[0], ""])
def test_what_is_short_is_typed_even_if_it_stands_elsewhere(text):
    assert copied_parts(text, blocks_in(blocks([text]), [MOVED, text])) == []
