"""The published rules for an output, by the words of its script: last line, or all with white space folded."""

import pytest

from corpora.simcopilot.simcopilot_files import decoded, difference

LAST = "its last line is "


@pytest.mark.parametrize(
    ("actual", "expected", "last", "whole"),
    [
        ("a\nb\n", "a\nb", True, True),
        ("a\nb", "c\nb", True, False),  # only the last line counts, or every word
        ("a\n  b  \n\n", "x\nb", True, False),
        ("a  b\n\n c", "a b c", False, True),  # white space is folded only in a whole output
        ("a\nb", "a\nc", False, False),
        ("", "", True, True),
        ("", "a", False, False),
        ("a\r\nb\r\n", "a\nb", True, True),
        ("10%\r20%\rend", "end", True, False),
        ("a b", "a", False, False),
        ("Error: b\nc", "Error: b\nc", False, False),  # what its script takes for the message of a failure
        ("Timeout\nc", "Timeout\nc", False, False),
    ],
)
def test_an_output_passes_by_its_last_line_or_by_all_its_words(actual, expected, last, whole):
    assert (difference(actual, expected, whole=False) == "") == last
    assert (difference(actual, expected, whole=True) == "") == whole


@pytest.mark.parametrize(
    ("actual", "expected", "whole", "said"),
    [
        ("a\n[0, 7]", "a\n[0, 8]\n", False, "its last line is '[0, 7]', not '[0, 8]'"),
        ("a b c", "a d c", True, "word 2 of its output is 'b', not 'd'"),
        ("a b", "a b c", True, "word 3 of its output is '', not 'c'"),
        ("Error", "a", True, "its output begins with 'Error', which counts as a failure"),
    ],
)
def test_what_differs_is_said(actual, expected, whole, said):
    assert difference(actual, expected, whole=whole) == said


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a\\nb", "a\nb"),
        ("a\nb", "a\nb"),
        ("tab\\there \\x41 \\u00e9", "tab\there A é"),
        ("é", "Ã©"),  # as in the script: bytes of UTF-8 become characters
        ("\\d+", "\\d+"),
    ],
)
def test_escapes_in_an_expected_output_are_read_as_in_its_script(written, read):
    assert decoded(written) == read
