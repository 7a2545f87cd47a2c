"""How close an answer and the ground truth are, as Codev-Bench measures it: by its code, and by its paper, which are not the same.

| | its code (`fuzz.ratio` in `src/evaluate.py`) | its paper (section 4.3, "Edit Similarity") |
| --- | --- | --- |
| what is compared | characters | sequences of tokens |
| what is counted | twice the characters of matching runs, by those of both texts: fuzzywuzzy without python-Levenshtein, as its README installs it, takes `difflib` | insertions, deletions and substitutions (Levenshtein) by the longer sequence |

Both are in [0, 1] here; the published script prints the first times 100, rounded for each answer.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import Levenshtein

_TOKEN = re.compile(r"\w+|[^\w\s]")


def published_similarity(answer: str, truth: str) -> float:
    """What `fuzz.ratio` of fuzzywuzzy 0.18 says, in hundredths: 1 for equal texts, also empty ones; 0 if one is empty.

    Example: `return x` and `return y + 1` have 0.7.
    """
    if answer == truth:
        return 1.0
    if not answer or not truth:
        return 0.0
    return round(100 * SequenceMatcher(None, answer, truth).ratio()) / 100


def token_similarity(answer: str, truth: str) -> float:
    """1 less the Levenshtein distance of the tokens by the length of the longer sequence; 1 for two without any.

    The paper does not say what a token is: here it is a run of letters, digits and `_`, or any other character but white space.
    Example: `return x` and `return y + 1` are 2 and 4 tokens with a distance of 3: 0.25.
    """
    one, other = tokens_of(answer), tokens_of(truth)
    return 1 - Levenshtein.distance(one, other) / max(1, len(one), len(other))


def tokens_of(text: str) -> list[str]:
    """The tokens of a text. Example: `x_1 += 2` has four."""
    return _TOKEN.findall(text)


def published_lines(answer: str) -> int:
    """The lines of an answer as the published script counts them: pieces between line feeds, so that an empty answer has one."""
    return answer.count("\n") + 1
