"""What the questions of one process may cost: told tokens count as they were told, a question under way at the most that it can be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import msgspec

from server.errors import LIMIT_REACHED, ProviderLimited
from server.providers.wrappers.question_log import QuestionLine


class SharedAnswers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How several runs share one file of answers, and what one of them may still ask. It comes with `initializationOptions` (`{"shared": {"places": 4}}`) and is no setting: it belongs to an experiment, and changes no answer.

    Each answer is read to its end, also if its reader has enough before, and a session uses whole answers of others only; what was asked and what was used is noted
    beside the file (`questions.jsonl`).
    """

    places: int = 1
    """How many questions the provider gets at once, those included whose answers nobody reads on."""
    most_questions: int | None = None
    """How many questions may still be asked (None: no limit)."""
    most_cost: float | None = None
    """What further questions may cost at most (None: no limit), at `price`."""
    price: tuple[float, float] = (0.0, 0.0)
    """Of a token of a prompt, and of one of an answer."""


@dataclass(slots=True)
class Spending:
    """The questions and the cost of a process, under the limits of its record. A question whose tokens are never told stays at the most."""

    shared: SharedAnswers
    questions: int = 0
    cost: float = 0.0
    _under_way: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def allow(self, question: QuestionLine) -> None:
        """Count one more question. One that fits only if those under way cost less than the most waits for them.

        Raises:
            ProviderLimited: it could pass a limit.

        """
        most_questions, most = self.shared.most_questions, self._cost(question.most_input, question.most_output)
        if most_questions is not None and self.questions >= most_questions:
            raise ProviderLimited(LIMIT_REACHED)
        while self.shared.most_cost is not None and self.cost + most > self.shared.most_cost:
            if not self._under_way:
                raise ProviderLimited(LIMIT_REACHED)
            self._settled.clear()
            await self._settled.wait()
        self.questions += 1
        self._under_way += 1
        self.cost += most

    def settle(self, question: QuestionLine, told: tuple[int | None, int | None]) -> None:
        """Take in that a question is no longer under way, and the tokens of prompt and answer if the server told them."""
        sent, written = told
        if sent is not None and written is not None:
            self.cost += self._cost(sent, written) - self._cost(question.most_input, question.most_output)
        self._under_way -= 1
        self._settled.set()

    def _cost(self, sent: int, written: int) -> float:
        return sent * self.shared.price[0] + written * self.shared.price[1]
