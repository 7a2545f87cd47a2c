"""What a judge is told, the scale that it judges on, and how its score is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SCORE = re.compile(
    r"""[\s*_`"'(\[]*
    (?:(?:the\s+)?(?:final\s+|overall\s+)?(?:score|rating|grade)(?:\s+is)?\s*[:=]?)?
    [\s*_`"'(\[]*
    (?P<number>[+-]?\d+(?:\.\d+)?)
    (?:\s*(?:/|out\s+of)\s*(?P<most>\d+(?:\.\d+)?))?
    [\s*_`"')\].,]*\Z""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rubric:
    """How a judge scores. `low` and `high` are the ends of the scale; a judge never sees whose text it judges."""

    name: str
    instructions: str
    """The system message."""
    low: float = 0.0
    high: float = 10.0
    whole: bool = False
    """Whether only whole numbers are scores, as where a judge says yes (1) or no (0)."""
    titles: tuple[str, str] = ("Ground truth", "Predicted response")
    """What the text that is judged against and the text that is judged are called."""
    draws_order: bool = False
    """Whether the order of the parts is drawn: where they are judged against each other, a judge may prefer the first. Not where one is read before the other."""


def score_in(answer: str, rubric: Rubric) -> float | None:
    """The score that an answer consists of; None where it says anything else, or a number off the scale.

    `7`, `7.0`, `**7**`, `Score: 7` and `7/10` are read on a scale to 10; `7 or 8`, `7/5`, a sentence with a reason, and `11` are not.
    """
    found = _SCORE.match(answer)
    if found is None or (found["most"] is not None and float(found["most"]) != rubric.high):
        return None
    score = float(found["number"])
    allowed = rubric.low <= score <= rubric.high and (not rubric.whole or score.is_integer())
    return score if allowed else None
