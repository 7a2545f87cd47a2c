"""What the questions of one process may cost: told tokens count as they were told, a question under way at the most that it can be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from server.errors import LIMIT_REACHED, ProviderLimited
from server.providers.wrappers.question_log import QuestionLine
from server.settings import AnswerRecord


@dataclass(slots=True)
class Spending:
    """The questions and the cost of a process, under the limits of its record. A question whose tokens are never told stays at the most."""

    record: AnswerRecord
    questions: int = 0
    cost: float = 0.0
    _under_way: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def allow(self, question: QuestionLine) -> None:
        """Count one more question. One that fits only if those under way cost less than the most waits for them.

        Raises:
            ProviderLimited: it could pass a limit.

        """
        most_questions, most = self.record.most_questions, self._cost(question.most_input, question.most_output)
        if most_questions is not None and self.questions >= most_questions:
            raise ProviderLimited(LIMIT_REACHED)
        while self.record.most_cost is not None and self.cost + most > self.record.most_cost:
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
        return sent * self.record.price[0] + written * self.record.price[1]
