"""How alike an answer and the ground truth are, as text. Such figures say little of whether code works; published scores hold them.

A benchmark's paper and its code do not always measure the same. Of DevBench (Golnari et al. 2026, arXiv 2601.11895) both are here, by name:

| | its code (`completion_evaluations/evaluate_completions.py`) | its paper (section "Similarity-based metrics") |
| --- | --- | --- |
| first-line match of a task | 1 if the first line of any answer is that of the truth | the share of its answers of which this is so |
| cosine of a task | the mean over its answers of the cosine of the first lines; an empty answer has 0 | the mean over its answers of the cosine of the whole texts |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

import Levenshtein

from replay.numbers.intervals import FigureDocument, clustered_share

_WORD = re.compile(r"\b\w+\b")
_SPACES = re.compile(r"\s\s+")
_GRAMS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike the answers to one moment and what the developer wrote are: means over the answers, in [0, 1] but for `lines`."""

    matches: bool
    """Whether the first line of any answer is that of the truth."""
    first_lines: float
    """The share of answers of which this is so."""
    first_line_cosine: float
    cosine: float
    """Of the whole texts."""
    exact: float
    """The share of answers that are the truth but for white space at the ends."""
    edit_similarity: float
    lines: tuple[float, int]
    """Lines that are not blank: the mean of the answers, and the truth's."""


def likeness(answers: Sequence[str], truth: str) -> Likeness:
    """How alike some answers and the truth are; an answer that is empty counts too. There is at least one answer."""
    wanted = first_line(truth)
    alike = [bool(text) and first_line(text) == wanted for text in answers]
    return Likeness(
        matches=any(alike),
        first_lines=fmean(alike),
        first_line_cosine=fmean(token_cosine(first_line(text), wanted) if text else 0.0 for text in answers),
        cosine=fmean(token_cosine(text, truth) for text in answers),
        exact=fmean(text.strip() == truth.strip() for text in answers),
        edit_similarity=fmean(edit_similarity(text, truth) for text in answers),
        lines=(fmean(_lines(text) for text in answers), _lines(truth)),
    )


def similarity(moments: Iterable[tuple[str, Likeness]]) -> dict[str, object]:
    """All figures of some moments, from pairs of cluster and likeness; each share and mean has its interval by clusters.

    `code` and `paper` are DevBench's two definitions (see above), each with `first_line` and `cosine`; `matches` is the number of moments with
    a match by its code. `lines` are the means of the answers and of the truths.
    """
    found = list(moments)

    def mean(value: Callable[[Likeness], float]) -> FigureDocument:
        return clustered_share((cluster, float(value(one))) for cluster, one in found)

    return {
        "code": {
            "matches": sum(one.matches for _, one in found),
            "first_line": mean(lambda one: one.matches),
            "cosine": mean(lambda one: one.first_line_cosine),
        },
        "paper": {"first_line": mean(lambda one: one.first_lines), "cosine": mean(lambda one: one.cosine)},
        "exact": mean(lambda one: one.exact),
        "edit_similarity": mean(lambda one: one.edit_similarity),
        "lines": {
            "answers": fmean(one.lines[0] for _, one in found) if found else None,
            "truths": fmean(one.lines[1] for _, one in found) if found else None,
        },
    }


def first_line(text: str) -> str:
    r"""The first line of a text that is not blank, without white space at its ends. Example: `x = 1` of "\n  x = 1\ny"."""
    return text.strip().split("\n")[0].strip()


def token_cosine(one: str, other: str) -> float:
    """The cosine of the angle between the counts of words of two texts, in [0, 1]; upper and lower case are alike.

    Where neither text has a word, sequences of one to three characters are counted instead. This is what scikit-learn's `CountVectorizer`
    and `cosine_similarity` give in DevBench's code. Equal texts have 1; an empty text and another have 0.
    Example: `a b` and `b c` have 0.5; `a b` and `a a` have 0.707.
    """
    if one == other:
        return 1.0
    if not one or not other:
        return 0.0
    counts = [Counter(_WORD.findall(text.lower())) for text in (one, other)]
    return _cosine(*counts) if any(counts) else _cosine(_grams(one), _grams(other))


def edit_similarity(one: str, other: str) -> float:
    """1 less the Levenshtein distance by the length of the longer text, in [0, 1] (Svyatkovskiy et al. 2020, arXiv 2005.08025); 1 for two empty texts.

    White space at the ends of both does not count. Example: `abcd` and `abxd` have 0.75.
    """
    plain = one.strip(), other.strip()
    return 1 - Levenshtein.distance(*plain) / max(1, *map(len, plain))


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _grams(text: str) -> Counter[str]:
    """The counts of all sequences of one to three characters, with runs of white space as one space."""
    plain = _SPACES.sub(" ", text.lower())
    return Counter(plain[at : at + size] for size in _GRAMS for at in range(len(plain) - size + 1))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    scale = sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return min(1.0, sum(n * other[word] for word, n in one.items()) / scale) if scale else 0.0
