"""The questions of an evaluation, one by one through a language server, while tests run beside them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from corpora.errors import CorpusError
from corpora.judging import Judge
from corpora.rounds import Question, Round
from replay.client import Editor
from replay.connection import server_command
from replay.engine import Ended, Judged, Listener, Played
from replay.errors import ReplayError
from replay.flights import suggestion_of
from replay.instructions import Answer, Ask, DidClose, DidOpen
from replay.records import Ending, Record
from replay.store import Store
from runners.errors import RunnerError

_AHEAD = 8
"""How many answers, for each core, may wait for their test before more are asked for."""


@dataclass(slots=True)
class Asking:
    """Asks what has no record yet, and judges what has no verdict yet; a record is kept at once, and again with its verdict."""

    corpus: str
    store: Store
    listen: Listener
    judge: Judge | None
    folder: Path
    records: dict[str, Record]
    _of: int = 0
    _done: int = 0
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AHEAD * (os.cpu_count() or 1)))

    async def all(self, rounds: Sequence[Round]) -> None:
        """Ask and judge; a failure of the machinery ends all."""
        self._of = sum(len(one.questions) for one in rounds)
        self.listen(Played(self.corpus, 0, self._of))
        try:
            async with asyncio.TaskGroup() as verdicts:
                for one in rounds:
                    await self._round(one, verdicts)
        except* (ReplayError, RunnerError, CorpusError) as group:
            raise _first(group) from None

    async def _round(self, one: Round, verdicts: asyncio.TaskGroup) -> None:
        new = [question for question in one.questions if not self._is_known(question, verdicts)]
        if not new:
            return
        editor = Editor()
        try:
            await editor.start(server_command(), folder=self.folder, options=one.settings)
            for question in new:
                await self._one(editor, question, verdicts)
        finally:
            await editor.close()

    def _is_known(self, question: Question, verdicts: asyncio.TaskGroup) -> bool:
        """Whether an earlier process asked this; what it left without a verdict, or the machine failed at, is judged."""
        record = self.records.get(question.task.moment(question.sample).id)
        if record is None or record.ending.name == "failed":
            return False
        if record.verdict is None or record.verdict.name == "infrastructure":
            self._ended(question, structs.replace(record, verdict=None), verdicts)
        else:
            self._finish()
        return True

    async def _one(self, editor: Editor, question: Question, verdicts: asyncio.TaskGroup) -> None:
        async with self._room:  # no more is asked for while too many answers wait for their tests
            pass
        task, moment = question.task, question.task.moment(question.sample)
        editor.open(DidOpen(task.path, task.language, task.before + task.after))
        ask = Ask(moment, task.before, task.after)
        answer = await editor.ask(ask)
        editor.shut(DidClose(task.path))
        suggestion = None if answer.failed else suggestion_of(answer, ask, answer.measured)
        self._ended(question, Record(moment=moment, ending=_ending(answer), suggestion=suggestion), verdicts)

    def _ended(self, question: Question, record: Record, verdicts: asyncio.TaskGroup) -> None:
        judged = self.judge is not None and record.ending.name != "failed"
        self._keep(record)
        self.listen(Ended(record, awaits_verdict=judged))
        if judged and self.judge is not None:
            verdicts.create_task(self._judge(self.judge, question, record))
        else:
            self._finish()

    async def _judge(self, judge: Judge, question: Question, record: Record) -> None:
        async with self._room:
            record = structs.replace(record, verdict=await judge.verdict(question.task, record.suggestion))
        self._keep(record)
        self.listen(Judged(record))
        self._finish()

    def _keep(self, record: Record) -> None:
        self.records[record.moment.id] = record
        self.store.put(record)

    def _finish(self) -> None:
        self._done += 1
        self.listen(Played(self.corpus, self._done, self._of))


def _first(group: BaseExceptionGroup) -> BaseException:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


def _ending(answer: Answer) -> Ending:
    """How a moment ends in an editor that shows what it gets; nobody accepts or rejects it."""
    if answer.failed:
        return Ending("failed", answer.failed)
    if answer.filtered:
        return Ending("filtered", answer.filtered)
    return Ending("shown" if answer.text else "empty")
