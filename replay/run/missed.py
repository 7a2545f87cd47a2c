"""What the editor did not wait for: asked again after the session and apart from it, to say what would have been shown.

A request that was superseded or cancelled has no answer, so the share of suggestions that pass *in time* would be one of those that
were quick. The session's player is played once more with the replies that it had, so it takes the same course; a server of its own, without
a cache, gets the same documents and only the questions without an answer. Nothing of the session can change by it: it is over.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field, replace

from msgspec import structs

from replay.editor.client import Editor
from replay.errors import ReplayError, first_of
from replay.judge.judge import Judge
from replay.play.assistant import Reply
from replay.play.flights import suggestion_of
from replay.play.player_instructions import (
    Answer,
    Ask,
    DidChange,
    DidClose,
    DidOpen,
    DidSave,
    Instruction,
    MomentEnded,
    Try,
)
from replay.records import GIVEN_UP, Missed, Moment, Record, Suggestion
from replay.run.earlier import depends_on_the_machine
from replay.run.sources.known_answers import KnownAnswers
from replay.run.sources.seam import Plays, Subject
from replay.run.store import Store
from runners.errors import RunnerError


@dataclass(slots=True)
class SessionLog:
    """What a session leaves to be asked again: the replies to its questions, in order, and the records of what was given up."""

    replies: list[Reply] = field(default_factory=list)
    missed: dict[str, int] = field(default_factory=dict)
    """Index in the run's findings, by the moment's id."""

    def reply(self, reply: Reply) -> None:
        """Note a reply to the player; without the prompt, which decides nothing."""
        self.replies.append(replace(reply, prompt="", trail=()) if isinstance(reply, Answer) else reply)

    def moment_ended(self, record: Record, index: int) -> None:
        """Note a record that was given up, unless an earlier process of the run has found out what was missed."""
        if record.ending.name in GIVEN_UP and (record.missed is None or _is_unjudged(record.missed)):
            self.missed[record.moment.id] = index


@dataclass(slots=True)
class MissedAnswers:
    """Finds out what the editor missed in a session that is over.

    `player` is a fresh player of the session, `records` are the run's, `editor` has a server of its own (None: nothing may be asked),
    `judge` gives verdicts. At most as many moments as `room` has wait for their tests.
    """

    log: SessionLog
    player: Plays
    records: list[Record]
    subject: Subject
    judge: Judge
    store: Store
    room: asyncio.Semaphore
    editor: Editor | None = None
    known_answers: KnownAnswers | None = None
    _answers: dict[str, Suggestion | str] = field(default_factory=dict)

    async def find(self) -> None:
        """Ask, and judge beside it; what was found goes into the records."""
        try:
            async with asyncio.TaskGroup() as verdicts:
                await self._find(verdicts)
        except* (ReplayError, RunnerError) as group:
            raise first_of(group) from None

    async def _find(self, verdicts: asyncio.TaskGroup) -> None:
        steps, replies, reply = self.player.play(), iter(self.log.replies), None
        left = len(self.log.missed)
        while left:
            step, reply = steps.send(reply), None
            if isinstance(step, Ask | Try):
                reply = next(replies)
            if isinstance(step, MomentEnded) and step.moment.id in self.log.missed:
                left -= 1
                await self.room.acquire()
                verdicts.create_task(self._judge(step))
            elif self.editor is not None:
                await self._pass_on(step, self.editor)

    async def _pass_on(self, step: Instruction, editor: Editor) -> None:
        match step:
            case DidOpen():
                editor.open(step)
            case DidChange():
                editor.change(step)
            case DidSave():
                editor.save(step)
            case DidClose():
                editor.shut(step)
            case Ask() if step.moment.id in self.log.missed and self._record(step.moment).suggestion is None:
                self._answers[step.moment.id] = await self._asked(step, editor)

    async def _asked(self, ask: Ask, editor: Editor) -> Suggestion | str:
        """The answer to a question that nobody gives up now, or why there is none."""
        if self.known_answers is not None and self.subject.answer is not None:
            self.known_answers.add(ask, self.subject.answer(ask))
        patient = replace(ask, patience=math.inf, will_cancel=False)
        answer = await editor.ask(patient)
        return answer.failed or suggestion_of(answer, ask, answer.measured)

    def _record(self, moment: Moment) -> Record:
        return self.records[self.log.missed[moment.id]]

    async def _judge(self, ended: MomentEnded) -> None:
        try:
            record = self._record(ended.moment)
            found = record.suggestion or self._answers.get(ended.moment.id, "")
            if isinstance(found, str):
                missed = Missed(failed=found) if found else None
            else:
                ended = replace(ended, suggestion=found)
                missed = Missed(suggestion=found, verdict=await self.judge.verdict(ended))
            record = structs.replace(record, missed=missed)
            self.records[self.log.missed[record.moment.id]] = record
            self.store.put(record)
        finally:
            self.room.release()


def _is_unjudged(missed: Missed) -> bool:
    return missed.verdict is None or depends_on_the_machine(missed.verdict)
