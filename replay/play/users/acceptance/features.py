"""What the acceptance model looks at: six figures of a suggestion as it is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from replay.play.users.offers import Offer

SCREEN = 30
"""Lines above the cursor's line, and as many below it, that count as being on screen."""
_NAME = re.compile(r"[^\W\d]\w*")
_TAIL = re.compile(r"\w*\Z")
_HEAD = re.compile(r"\A\w*")


@dataclass(frozen=True, slots=True)
class Feature:
    """A figure as it is measured on an offer (None: not known), and the scale on which it enters the score."""

    unit: str
    measure: Callable[[Offer], float | None]
    scale: Callable[[float], float]


def match(offer: Offer) -> float | None:
    """The share of the names in a suggestion that are on screen already; None if it has none.

    A name is a run of letters, digits and underscores that begins with no digit; each time that it occurs counts. A name
    that the cursor stands in counts as it will stand there, with what was typed of it, and is not itself on screen.
    """
    above, below = _last_lines(offer.before), _first_lines(offer.after)
    left, right = _word(_TAIL, above), _word(_HEAD, below)
    seen = {*_NAME.findall(above.removesuffix(left)), *_NAME.findall(below.removeprefix(right))}
    whole, end = left + offer.text + right, len(left + offer.text)
    names = [found.group() for found in _NAME.finditer(whole) if found.start() < end and found.end() > len(left)]
    return sum(name in seen for name in names) / len(names) if names else None


def _word(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found.group() if found else ""


def _last_lines(text: str) -> str:
    return "\n".join(text.split("\n")[-SCREEN - 1 :])


def _first_lines(text: str) -> str:
    return "\n".join(text.split("\n", SCREEN + 1)[: SCREEN + 1])


def _as_is(value: float) -> float:
    return value


FEATURES: Mapping[str, Feature] = {
    "characters": Feature("ln(1 + characters)", lambda offer: len(offer.text), math.log1p),
    "lines": Feature("ln(lines)", lambda offer: offer.text.count("\n") + 1, math.log),
    "latency": Feature("ln(1 + ms from the question until it was shown)", lambda offer: offer.latency, math.log1p),
    "idle": Feature("ln(1 + ms since the last edit)", lambda offer: offer.idle, math.log1p),
    "match": Feature("share of its names that are on screen", match, _as_is),
    "confidence": Feature("mean natural log-probability of a token", lambda offer: offer.confidence, _as_is),
}
