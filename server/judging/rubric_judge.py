"""A judge: a chat that scores text by a rubric, without knowing whose text it is."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from server.chat import Chat
from server.prompt import ChatMessage


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said: its score (None: unparsable), and each of its answers, the last of which holds the score."""

    score: float | None
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextJudge:
    """Scores by a rubric. An answer without a score is asked for again, at most `tries` times in all; then the judgement is unparsable.

    The order of the parts is drawn from `seed` and the parts, where the rubric draws it.
    """

    chat: Chat
    rubric: Rubric
    tries: int = 2
    seed: int = 0

    async def judge(self, parts: Mapping[str, str], repeat: int = 0) -> Judgement:
        """Score some parts, by their titles; `repeat` asks the same once more, from 0, for the judge's consistency.

        Raises:
            ProviderError: the judge's provider failed.

        """
        messages = ChatMessage("system", self.rubric.instructions), ChatMessage("user", self._shown(parts))
        answers: list[str] = []
        for number in range(self.tries):
            answers.append(await self.chat.answer(messages, repeat * self.tries + number))
            if (score := score_in(answers[-1], self.rubric)) is not None:
                return Judgement(score, tuple(answers))
        return Judgement(None, tuple(answers))

    def _shown(self, parts: Mapping[str, str]) -> str:
        titles = list(parts)
        if self.rubric.draws_order:
            told = "\0".join(f"{title}\0{text}" for title, text in parts.items())
            digest = hashlib.sha256(f"{self.seed}\0{told}".encode("utf-8", "surrogatepass")).hexdigest()
            random.Random(digest).shuffle(titles)  # noqa: S311 - an order, not a secret
        return "\n\n".join(f"{title}:\n{parts[title]}" for title in titles)


# What a judge is told, the scale that it judges on, and how its score is read.

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
