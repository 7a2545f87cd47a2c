"""What the cells of an experiment did themselves, and what they had from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from replay.judge.shared_results import SharedResults, StateCounts
from replay.numbers.costs import Price, TokenUse, token_use
from replay.run.sharing import ANSWERS, questions_with_tokens, run_of
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.question_log import QuestionLine, QuestionLog


class SharedWork(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one cell, or of all. Providers that cost nothing (`QUICK`) are not counted among those that are asked."""

    asked: int = 0
    """Questions that went to a provider, also those that were given up or whose process was killed."""
    answered_from_record: int = 0
    """Questions that an answer served which was given before: to another cell, or earlier in this one."""
    tested: int = 0
    """States (texts of a document in its project) that were tested."""
    saved: int = 0
    """States whose result was there: from another cell, or from earlier runs in the cache."""
    input_tokens: int = 0
    output_tokens: int = 0
    untold: int = 0
    """Questions asked of which the server did not tell its tokens, or whose process was killed: they are in no sum and no cost."""
    cost: float | None = None
    """What the told tokens cost; None where a model has no price, or nothing was told."""


@dataclass(frozen=True, slots=True)
class SharedCounts:
    """The counts of an experiment whose shared files lie in a folder; they are read once."""

    asked: Sequence[QuestionLine]
    used: Sequence[QuestionLine]
    tests: Mapping[str, StateCounts]
    tokens: Mapping[tuple[str, str, int], tuple[int | None, int | None]]
    """The tokens of each question that was answered."""
    tokens_by_key: Mapping[str, tuple[int | None, int | None]]
    """The tokens of the whole answer to each prompt."""
    prices: Mapping[str, Price]

    @classmethod
    def of(cls, folder: Path, prices: Mapping[str, Price]) -> SharedCounts:
        """Read them; nothing was shared where there are no files."""
        lines, file = list(QuestionLog(folder / ANSWERS).read()), AnswerFile(folder / ANSWERS)
        if file.path.exists():
            file.read()
        told = {(row.session, row.key, row.turn): row.token_counts for row in file.rows()}
        used = {(line.session, line.key, line.turn): line for line in lines if line.what == "used"}
        results = SharedResults(folder, "").counts() if folder.is_dir() else {}
        by_key = {row.key: row.token_counts for row in file.rows() if row.is_whole}
        return cls([line for line in lines if line.what == "asked"], list(used.values()), results, told, by_key, prices)

    def as_alone(self, run: str) -> TokenUse:
        """The tokens of all answers that a cell had, whoever asked for them: what it would have cost alone."""
        lines = [line for line in (*self.asked, *self.used) if run_of(line.session) == run]
        questions = {(line.session, line.key, line.turn): line.model for line in lines}
        unknown = (None, None)
        return token_use(
            (
                (model, *self.tokens.get(question, self.tokens_by_key.get(question[1], unknown)))
                for question, model in questions.items()
            ),
            self.prices,
        )

    def work(self, *runs: str) -> SharedWork:
        """The work of some cells, by the names of their runs."""
        asked = [line for line in self.asked if run_of(line.session) in runs]
        tests = [self.tests[run] for run in runs if run in self.tests]
        use = token_use(
            ((line.model, *tokens) for line, tokens in questions_with_tokens(asked, self.tokens)), self.prices
        )
        return SharedWork(
            asked=len(asked),
            answered_from_record=sum(run_of(line.session) in runs for line in self.used),
            tested=sum(each.tested for each in tests),
            saved=sum(each.saved for each in tests),
            **msgspec.structs.asdict(use),
        )
