"""How far a judge's scores can be believed: against labels, against itself, and against the length of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from pathlib import Path
from typing import Any

import msgspec

from corpora.errors import DataError
from replay.numbers.agreement import cohens_kappa, spearman
from replay.numbers.intervals import FigureDocument, figure, share, student_quantile
from server.judging import TextJudge


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case with the scores that the judge gave it, one a repeat (None: unparsable)."""

    case: LabelledCase
    scores: tuple[float | None, ...]


async def judge_cases(
    judge: TextJudge, cases: Sequence[LabelledCase], repeats: int, notify: Callable[[JudgedCase], None]
) -> list[JudgedCase]:
    """Have each case judged `repeats` times; the judge sees neither label nor rater.

    Raises:
        ProviderError: the judge's provider failed.

    """
    judged: list[JudgedCase] = []
    for case in cases:
        parts = dict(zip(judge.rubric.titles, (case.truth, case.response), strict=True))
        scores = [(await judge.judge(parts, repeat)).score for repeat in range(repeats)]
        judged.append(JudgedCase(case, tuple(scores)))
        notify(judged[-1])
    return judged


def reliability_of(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """What a judge is worth, as one JSON document; each figure with its 95 % interval.

    `kappa`: Cohen's, unweighted (6 and 7 differ as 0 and 10 do), of the judge's first score and the label, both rounded to whole numbers, halves to the
    even one. `spearman`: their rank correlation. `bias`: the mean of judge
    less label, in points of the scale. `length_bias`: the rank correlation of judge less label with the length of the text, in characters; above 0 the judge likes
    long texts better than people do. `consistency`: the share of cases whose repeats all have one score (None with one repeat). Cases whose first answer holds no
    score are counted as `unparsable`, and are in no figure but `consistency`, where they agree with nothing.
    """
    known = [(each.scores[0], each.case) for each in judged if each.scores[0] is not None]
    pairs = [(score, case.label, len(case.response)) for score, case in known if case.label is not None]
    differences = [score - label for score, label, _ in pairs]
    repeated = [each for each in judged if len(each.scores) > 1]
    return {
        "cases": len(judged),
        "unparsable": len(judged) - len(known),
        "kappa": cohens_kappa([(str(round(score)), str(round(label))) for score, label, _ in pairs]),
        "spearman": spearman([score for score, _, _ in pairs], [label for _, label, _ in pairs]),
        "bias": mean(differences),
        "length_bias": spearman(differences, [float(length) for _, _, length in pairs]),
        "consistency": share(sum(_is_alike(each.scores) for each in repeated), len(repeated)) if repeated else None,
    }


def _is_alike(scores: Sequence[float | None]) -> bool:
    return None not in scores and len(set(scores)) == 1


def mean(values: Sequence[float]) -> FigureDocument:
    """The mean with Student's 95 % interval; no interval for fewer than two values or where all are alike."""
    n = len(values)
    if not n:
        return figure(None, None, 0, 0, None)
    value = fsum(values) / n
    squares = fsum((one - value) ** 2 for one in values)
    if n < 2 or not squares:
        return figure(value, None, n, n, None)
    half = student_quantile(0.975, n - 1) * sqrt(squares / (n - 1) / n)
    return figure(value, (value - half, value + half), n, n, None)


# The file of a calibration: texts that people have scored, a JSON line each.


class LabelledCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two texts and the score that a person gave the second, on the scale of the rubric."""

    name: str
    truth: str
    response: str
    label: float | None = None
    """None: nobody has scored it yet."""
    rater: str = ""
    task: str = ""
    """Whose rubric it is scored by, as `relevance` ("": not said). A label by one rubric says nothing of another."""


_CASES = msgspec.json.Decoder(LabelledCase)


def read_cases(file: Path) -> list[LabelledCase]:
    """All cases of a file; a later line about a name takes the place of an earlier one.

    Raises:
        DataError: the file cannot be read, or a line is no case.

    """
    found: dict[str, LabelledCase] = {}
    try:
        lines = file.read_text("utf-8").split("\n")
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(file, 0, f"cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                case = _CASES.decode(line)
            except msgspec.DecodeError as error:
                raise DataError(file, number, f"no labelled case (name, truth, response, label): {error}") from error
            found[case.name] = case
    return list(found.values())


def write_cases(file: Path, cases: Iterable[LabelledCase]) -> None:
    """Add cases to a file, each line whole.

    Raises:
        OSError: it cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as lines:
        for case in cases:
            lines.write(msgspec.json.encode(case) + b"\n")
