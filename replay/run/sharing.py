"""What the runs of an experiment share: answers to equal prompts, and results of tests of equal states. Both survive a process that is killed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import msgspec

from replay.judge.shared_results import SharedResults
from replay.numbers.costs import Price
from replay.options import QUICK
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.question_log import QuestionLine, QuestionLog
from server.providers.wrappers.spending import SharedAnswers
from server.settings import AnswerRecord, ProviderSettings

ANSWERS = "answers.jsonl"
CELL = "cell"
"""The fact of a run that says what it is called in the counts of its experiment; its end is the beginning of the cell's key."""
Tokens: TypeAlias = tuple[int | None, int | None]
"""Of a prompt and of its answer; None: not told."""


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """The most questions that go to model servers, and the most that they may cost; None: no limit."""

    questions: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class UsedUp:
    """What was asked. Where a server did not tell its tokens, or the process was killed, `most_cost` has the most that it can be."""

    questions: int
    most_cost: float


def used_up(answers: Path, prices: Mapping[str, Price]) -> UsedUp:
    """Count the questions beside a file of answers."""
    file, asked, cost = AnswerFile(answers), 0, 0.0
    if answers.exists():
        file.read()
    told = {(row.session, row.key, row.turn): row.token_counts for row in file.rows()}
    for line, (sent, written) in questions_with_tokens(QuestionLog(answers).read(), told):
        asked += 1
        if price := prices.get(line.model):
            most = (line.most_input, line.most_output)
            cost += price.of(*most) if sent is None or written is None else price.of(sent, written)
    return UsedUp(asked, cost)


def questions_with_tokens(
    lines: Iterable[QuestionLine], told: Mapping[tuple[str, str, int], Tokens]
) -> Iterator[tuple[QuestionLine, Tokens]]:
    """Give each question that was asked with its tokens. One whose process was killed was asked again: the last line has the answer, those before have none."""
    answered = set[tuple[str, str, int]]()
    for line in reversed([line for line in lines if line.what == "asked"]):
        question = (line.session, line.key, line.turn)
        yield line, (None, None) if question in answered else told.get(question, (None, None))
        answered.add(question)


@dataclass
class Sharing:
    """What one run of an experiment has in common with the others: `folder` holds it, `run` is the run's name in the counts."""

    folder: Path
    run: str
    limits: QuestionLimits = QuestionLimits()
    """What all runs together may ask and cost."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    probed: set[str] = field(default_factory=set)
    """The providers of which this process knows that they answer."""

    @cached_property
    def results(self) -> SharedResults:
        """The results of tests."""
        return SharedResults(self.folder, self.run)

    @property
    def answers(self) -> Path:
        """The file of answers."""
        return self.folder / ANSWERS

    def record(self, provider: ProviderSettings, source: str) -> AnswerRecord | None:
        """Where a provider's answers to the questions of a source are kept; None where they cost nothing, or have a record of their own."""
        if provider.name in QUICK | {"lsp"} or provider.record.path:
            return None
        return AnswerRecord(path=str(self.answers.absolute()), mode="replay", session=session_of(self.run, source))

    def shared(self, provider: ProviderSettings, places: int) -> SharedAnswers | None:
        """How a provider uses the record, and what it may still ask; None where its answers are kept elsewhere, or not at all."""
        if provider.record.path != str(self.answers.absolute()):
            return None
        price, used = self.prices.get(provider.model), self.used()
        most_questions, most_cost = self.limits.questions, self.limits.cost
        return SharedAnswers(
            places=places,
            most_questions=None if most_questions is None else max(0, most_questions - used.questions),
            most_cost=None if most_cost is None else max(0.0, most_cost - used.most_cost),
            price=(price.input / 1e6, price.output / 1e6) if price else (0.0, 0.0),
        )

    def used(self) -> UsedUp:
        """What the runs have asked so far, and what that costs at the most."""
        return used_up(self.answers, self.prices)

    def is_probed(self, provider: ProviderSettings) -> bool:
        """Whether this process has found out that a provider answers; from now on it counts as found out."""
        name = msgspec.json.encode(provider).decode()
        known = name in self.probed
        self.probed.add(name)
        return known


def session_of(run: str, source: str) -> str:
    """Whose questions those of a run about a source are, in the record of answers."""
    return f"{run}\0{source}"


def run_of(session: str) -> str:
    """The run that a session belongs to."""
    return session.partition("\0")[0]
