"""Whether a program wrote what was expected, by the rules of SimCopilot's script (`eval_code.execute_and_compare`)."""

from __future__ import annotations

import codecs
import warnings
from itertools import zip_longest

_REFUSED = ("Error", "Timeout")
"""An output that begins so counts as the message of a program that failed."""


def decoded(expected: str) -> str:
    r"""Return an expected output as the script reads it: backslashes begin escapes, and each byte of its UTF-8 is a character.

    Example: `"a\\n"` is `"a\n"`, and `"é"` is `"Ã©"`, so that no output with it is ever equal; only its last line may still be.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a backslash that begins no escape stays
        return codecs.decode(expected.encode(), "unicode_escape")


def difference(actual: str, expected: str, *, whole: bool) -> str:
    """Say how an output differs from a decoded expected one; empty if it passes.

    With `whole` all words are compared, else only the last line that is not blank, without white space at its ends.
    """
    actual = actual.replace("\r\n", "\n").replace("\r", "\n")
    if actual.startswith(_REFUSED):
        return f"its output begins with {actual[:7]!r}, which counts as a failure"
    return _first_word(actual, expected) if whole else _last_lines(actual, expected)


def _last_lines(actual: str, expected: str) -> str:
    found, wanted = _last_line(actual), _last_line(expected)
    return "" if found == wanted else f"its last line is {found!r}, not {wanted!r}"


def _last_line(text: str) -> str:
    return text.strip().split("\n")[-1].strip()


def _first_word(actual: str, expected: str) -> str:
    pairs = zip_longest(actual.split(), expected.split(), fillvalue="")
    for number, (found, wanted) in enumerate(pairs, 1):
        if found != wanted:
            return f"word {number} of its output is {found!r}, not {wanted!r}"
    return ""
