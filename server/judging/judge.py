"""A judge: a chat that scores text by a rubric, without knowing whose text it is."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass

from server.chat import Chat
from server.judging.rubric import Rubric, score_in
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
