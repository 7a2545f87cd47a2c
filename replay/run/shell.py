"""Carries out what a player says: messages to the language server, records to the store, verdicts beside it."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from msgspec import structs

from replay.editor.client import Editor
from replay.errors import LimitReachedError, ReplayError, first_of
from replay.play.assistant import Reply
from replay.play.player_instructions import (
    Answer,
    Ask,
    DidChange,
    DidClose,
    DidOpen,
    DidSave,
    Instruction,
    MomentEnded,
    SendFeedback,
    Try,
    VerifyCheckpoint,
)
from replay.records import ALL, ANSWERED, ArmTrial, Record, Verdict
from replay.run.ablation import Ablation, trial_of
from replay.run.events import (
    Answered,
    Asked,
    Ended,
    Judged,
    Played,
    Reached,
    ReplayedDocumentChanged,
    SessionBegan,
    Stalled,
    Streamed,
    Tried,
)
from replay.run.findings import RunContext
from replay.run.missed import SessionLog
from replay.run.sources.known_answers import KnownAnswers
from replay.run.sources.seam import Plays, Source, Subject
from runners.errors import RunnerError
from server.errors import LIMIT_REACHED

# Several questions at once, where moments stand alone: a second player goes ahead, and the answers are
# there when the shell comes to them.
#
# The one connection to the language server carries all messages in the order of a run that asks one by one; only nobody waits for an answer before
# the next message is sent. So each question is asked about the same documents, and has the same answer.

_UNREAD = 8
"""How many answers, for each question that may be under way, wait to be read at most."""


@dataclass(slots=True)
class AskingAhead:
    """Stands in the place of an editor (`Editor`) whose documents the shell changes: `player` has changed them before, and asked.

    At most `places` questions are under way. What `is_known` needs no answer. Use it as an asynchronous context manager.
    """

    editor: Editor
    player: Plays
    places: int
    is_known: Callable[[Ask], bool]
    _answers: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)
    _under_way: dict[tuple[str, int, int], asyncio.Task[None]] = field(default_factory=dict)
    _free: asyncio.Semaphore = field(init=False)
    _unread: asyncio.Semaphore = field(init=False)
    _going: asyncio.Task[None] = field(init=False)

    async def __aenter__(self) -> Self:
        self._free = asyncio.Semaphore(self.places)
        self._unread = asyncio.Semaphore(_UNREAD * self.places)
        self._going = asyncio.create_task(self._go())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [self._going, *self._under_way.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def ask(self, ask: Ask) -> Answer:
        """The answer to a question, which is asked once.

        Raises:
            ServerError: the language server ended.

        """
        answer = self._answer(ask)
        waited: set[asyncio.Future[Any]] = {answer, self._going}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            await self._going  # raises what ended it
        found = await answer
        self._unread.release()
        return found

    # What was done ahead of the shell

    def open(self, step: DidOpen) -> None:
        """Nothing: the document was opened."""

    def change(self, step: DidChange) -> None:
        """Nothing: the document was changed."""

    def save(self, step: DidSave) -> None:
        """Nothing: the document was saved."""

    def shut(self, step: DidClose) -> None:
        """Nothing: the document was closed."""

    async def check(self, step: VerifyCheckpoint) -> None:
        """Nothing: the document was compared; had it differed, the run would have ended."""

    async def send_feedback(self, step: SendFeedback) -> None:
        """Nothing: no provider that is asked ahead takes feedback."""

    def watch_streams(self, streamed: Callable[[str, str], None]) -> None:
        """As the editor does."""
        self.editor.watch_streams(streamed)

    async def _go(self) -> None:
        steps, reply = self.player.play(), None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration:
                await asyncio.gather(*self._under_way.values())
                return
            reply = await self._carried_out(step)

    async def _carried_out(self, step: Instruction) -> Reply:
        match step:
            case DidOpen():
                self.editor.open(step)
            case DidChange():
                self.editor.change(step)
            case DidSave():
                self.editor.save(step)
            case DidClose():
                self.editor.shut(step)
            case VerifyCheckpoint():
                await self.editor.check(step)
            case Ask():
                if not self.is_known(step):
                    await self._send(step)
                return Answer(0.0)  # where moments stand alone, no answer changes what follows
            case Try():
                return False
            case _:
                pass
        return None

    async def _send(self, ask: Ask) -> None:
        """Send a question when there is room. One at the same place of its document waits: what the server says of an answer goes by the place."""
        await self._unread.acquire()
        place = (ask.moment.path, ask.moment.line, ask.moment.character)
        if (other := self._under_way.get(place)) is not None:
            await asyncio.wait({other})
        await self._free.acquire()
        task = self._under_way[place] = asyncio.create_task(self._ask(ask))
        task.add_done_callback(lambda _: self._landed(place, task))
        await asyncio.sleep(0)  # the request is written before the next message

    def _landed(self, place: tuple[str, int, int], task: asyncio.Task[None]) -> None:
        self._free.release()
        if self._under_way.get(place) is task:
            del self._under_way[place]

    async def _ask(self, ask: Ask) -> None:
        answer = self._answer(ask)
        try:
            found = await self.editor.ask(ask)
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is read
            answer.set_exception(error)
        else:
            answer.set_result(found)

    def _answer(self, ask: Ask) -> asyncio.Future[Answer]:
        return self._answers.setdefault(ask.moment.id, asyncio.get_running_loop().create_future())


_AHEAD = 8
"""How many answers, for each core, may wait for their tests before the next question is asked."""


@dataclass(slots=True)
class Shell:
    """One player at one language server."""

    run: RunContext
    source: Source
    subject: Subject
    player: Plays
    editor: Editor | AskingAhead
    known_answers: KnownAnswers | None = None
    sample: int = 0
    samples: int = 1
    log: SessionLog = field(default_factory=SessionLog)
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AHEAD * (os.cpu_count() or 1)))

    async def play(self) -> None:
        """Play to the end, while verdicts are found out beside it; a failure of one ends all."""
        self._begin()
        self._progress()
        try:
            async with asyncio.TaskGroup() as verdicts:
                await self._play(verdicts)
        except* (ReplayError, RunnerError) as group:
            raise first_of(group) from None

    async def _play(self, verdicts: asyncio.TaskGroup) -> None:
        steps = self.player.play()
        reply: Reply = None
        try:
            while True:
                step = steps.send(reply)
                await self.run.playback.reach(self.player.now, ends_moment=isinstance(step, MomentEnded))
                self._report(step)
                reply = await self._carry_out(step, verdicts)
                if isinstance(step, Ask | Try):
                    self.log.reply(reply)
                if isinstance(step, Ask) and isinstance(reply, Answer):
                    self._report_answer(step, reply)
        except StopIteration:
            self._reached()
            self._progress()

    # What those are told who watch

    def _begin(self) -> None:
        player, notify = self.player, self.run.notify
        self.editor.watch_streams(lambda moment, text: notify(Streamed(self.source.name, moment, text)))
        name, size, unit = self.source.name, player.size, player.unit
        notify(SessionBegan(name, size, unit, player.duration, player.as_recorded, self.sample, player.planned))

    def _reached(self) -> None:
        now = self.player.now if self.player.now < math.inf else self.player.duration
        self.run.notify(Reached(self.source.name, self.player.reached, now))

    def _report(self, step: Instruction) -> None:
        """Say what is about to be carried out."""
        self._reached()
        name = self.source.name
        match step:
            case Ask(moment=moment):
                block = "/".join(filter(None, (moment.kind, moment.scenario)))
                self.run.notify(Asked(name, moment.id, moment.path, moment.offset, moment.t, block))
            case DidOpen() if not self.player.as_recorded:
                self.run.notify(ReplayedDocumentChanged(name, step.path, step.language, step.text))
            case DidChange() if not self.player.as_recorded:
                self.run.notify(ReplayedDocumentChanged(name, step.path, changes=step.changes))
            case _:
                pass

    def _report_answer(self, ask: Ask, answer: Answer) -> None:
        why = answer.failed or ("given up" if answer.given_up else answer.filtered and f"repair {answer.filtered}")
        answered = (answer.text, answer.start, answer.end, answer.measured)
        self.run.notify(Answered(self.source.name, ask.moment.id, *answered, why))

    def _progress(self) -> None:
        size = self.player.size
        done, of = self.sample * size + self.player.reached, self.samples * size
        self.run.notify(Played(self.source.name, done, of, self.player.unit))

    async def _carry_out(self, step: Instruction, verdicts: asyncio.TaskGroup) -> Reply:
        match step:
            case DidOpen():
                self.editor.open(step)
            case DidChange():
                self.editor.change(step)
            case DidSave():
                self.editor.save(step)
            case DidClose():
                self.editor.shut(step)
            case VerifyCheckpoint():
                self.run.findings.checkpoints["of"] += not self.sample
                await self.editor.check(step)
                self.run.findings.checkpoints["matched"] += not self.sample
            case Ask():
                self._progress()
                return await self._asked(step)
            case SendFeedback():
                await self.editor.send_feedback(step)
            case Try():
                return await self._tried(step)
            case MomentEnded():
                self._moment_ended(step, verdicts)
                await asyncio.sleep(0)
        return None

    async def _asked(self, ask: Ask) -> Answer:
        if self.run.playback.speed is None:
            async with self.room:  # nothing more is asked while too many answers wait for their tests
                pass
        earlier = self.run.earlier
        if not self.source.is_timed and (known := earlier.answer(ask)):
            return known
        if self.known_answers is not None and self.subject.answer is not None:
            self.known_answers.add(ask, self.subject.answer(ask))
        answer = await self._answered(ask)
        if answer.failed == LIMIT_REACHED:
            raise LimitReachedError(LIMIT_REACHED)
        while self.run.guard.is_halted(answer.failed):
            await self._wait_for_provider(answer.failed)
            answer = await self._answered(ask)
        return self.run.ablation.repaired(answer, ask) if self.run.ablation else answer

    async def _answered(self, ask: Ask) -> Answer:
        if not self.run.measures:
            return await self.editor.ask(ask)
        earlier = self.run.earlier
        return earlier.timed(await self.editor.ask(earlier.asked_again(ask)), ask)

    async def _wait_for_provider(self, reason: str) -> None:
        """Say that the provider fails again and again, and wait before it is asked again."""
        guard = self.run.guard
        self.run.notify(Stalled(self.source.name, reason, guard.remedy(reason), guard.pause_s))
        await guard.sleep(guard.pause_s)

    async def _tried(self, step: Try) -> bool:
        judge = self.subject.judge
        return judge is not None and (await judge.verdict(step)).name == "passed"

    def _moment_ended(self, ended: MomentEnded, verdicts: asyncio.TaskGroup) -> None:
        judge = self.subject.judge
        record = Record(
            moment=self.subject.located(ended),
            ending=ended.ending,
            suggestion=ended.suggestion,
            covered=ended.covered,
            keys=ended.keys,
        )
        missed = self.run.earlier.missed(record)
        record = self.run.earlier.kept(record)
        ended = replace(ended, ending=record.ending, suggestion=record.suggestion)
        record = structs.replace(record, verdict=self.run.earlier.verdict(record), missed=missed)
        judged = record.ending.name in ANSWERED and judge is not None
        self.run.store.put(record)
        self.run.notify(Ended(record, awaits_verdict=judged))
        if judged:
            verdicts.create_task(self._judge(ended, record))
        else:
            self.log.moment_ended(record, len(self.run.findings.records))
            self.run.findings.records.append(record)

    async def _judge(self, ended: MomentEnded, record: Record) -> None:
        async with self.room:
            if record.verdict is None:
                record = structs.replace(record, verdict=await self._verdict(ended))
                self.run.store.put(record)
            self.run.findings.records.append(record)
            self.run.notify(Judged(record))
            if self.run.ablation is not None and record.verdict is not None:
                await self._ablate(self.run.ablation, ended, record.verdict)

    async def _verdict(self, ended: MomentEnded) -> Verdict:
        assert self.subject.judge is not None
        return await self.subject.judge.verdict(ended)

    async def _ablate(self, ablation: Ablation, ended: MomentEnded, verdict: Verdict) -> None:
        """Judge the answer in the other arms; where the texts are equal nothing is tested twice."""
        ending = ended.ending
        self._keep(trial_of(ended, ALL, ending.reason if ending.name == "filtered" else "", verdict))
        for arm, step, other in ablation.others(ended):
            known = self.run.earlier.trial(ended.moment.id, arm)
            trial = known or trial_of(other, arm, step, await self._verdict(other))
            self._keep(trial)
            self.run.notify(Tried(trial))

    def _keep(self, trial: ArmTrial) -> None:
        self.run.store.put_trial(trial)
        self.run.findings.trials.append(trial)
