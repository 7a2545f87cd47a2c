"""A run: tapes under one configuration. The thin shell around the player: processes, files, the wall clock."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from replay.ablation import ALL, Ablation, ablation_of, trial_of
from replay.answers import Oracle
from replay.client import Editor
from replay.connection import server_command
from replay.effects import ablation as effects_of
from replay.errors import ReplayError
from replay.instructions import Ask, Check, DidChange, DidClose, DidOpen, DidSave, Instruction, Settled, Tell, Try
from replay.judge import Judge, lost
from replay.latency import latency_of
from replay.metrics import summary
from replay.options import Options
from replay.playback import Playback
from replay.player import Player, Reply
from replay.policies import Policy, policy_of
from replay.projects import ProjectMissingError, starting_files, with_tests
from replay.records import ANSWERED, Effort, Moment, Record, Trial, Verdict
from replay.store import Store
from replay.tape import Tape
from replay.timeline import Timeline
from replay.users import user_of
from runners.errors import MachineFails, RunnerError, ToolchainMissing
from runners.protocol import Sandbox
from runners.sandboxes import pick
from runners.verdicts import machine_failure
from server.providers import registry
from server.settings import Settings, merge

ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that takes time begins: for progress on the screen."""

    tape: str
    text: str


@dataclass(frozen=True, slots=True)
class Played:
    """How far the tape has been played: events done, of all."""

    tape: str
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class Ended:
    """A moment has ended. Its verdict, if it gets one, comes later as `Judged`."""

    record: Record
    awaits_verdict: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """A moment has its verdict."""

    record: Record


@dataclass(frozen=True, slots=True)
class Tried:
    """In an ablation: a moment's answer has its verdict in an arm other than that with all repairs, which is `Judged`."""

    trial: Trial


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tape cannot be played here, and why."""

    tape: str
    reason: str


Happening: TypeAlias = Note | Played | Ended | Judged | Tried | LeftOut
Listener: TypeAlias = Callable[[Happening], None]


def cache_folder() -> Path:
    """Where toolchains are kept between runs: `GHOSTTAPE_CACHE`, or the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("GHOSTTAPE_CACHE") or platformdirs.user_cache_dir("ghosttape"))


def _refuse_twins(tapes: Sequence[Tape]) -> None:
    """Refuse two tapes of one id: their moments could not be told apart."""
    first: dict[str, Tape] = {}
    for tape in tapes:
        twin = first.setdefault(tape.header.id, tape)
        if twin is not tape:
            raise ReplayError(
                f"two tapes have the id {tape.header.id!r}: {twin.source} and {tape.source}; replay them apart"
            )


@dataclass(slots=True)
class Engine:
    """Plays tapes into a store and tells a listener what happens."""

    options: Options
    store: Store
    listen: Listener
    cache: Path = field(default_factory=cache_folder)
    playback: Playback = field(default_factory=Playback)
    command: Callable[[], Sequence[str]] = server_command
    records: list[Record] = field(default_factory=list)
    left_out: list[dict[str, str]] = field(default_factory=list)
    faults: list[dict[str, str]] = field(default_factory=list)
    typed: dict[str, int] = field(default_factory=dict)
    efforts: dict[str, Effort] = field(default_factory=dict)
    checkpoints: dict[str, int] = field(default_factory=lambda: {"matched": 0, "of": 0})
    ablation: Ablation | None = field(default=None, init=False)
    reads_record: bool = field(default=False, init=False)
    trials: list[Trial] = field(default_factory=list)
    selection: Counter[str] = field(default_factory=Counter)

    async def replay(self, tapes: Sequence[Tape]) -> dict[str, Any]:
        """Play the tapes one after the other; give and keep the summary.

        Raises:
            MachineFails: tests fail one after the other for want of a machine that works.
            ReplayError: the policy, user, latency, ablation, server or a tape's project is not usable.
            SandboxMissing: no sandbox works here, though tests are wanted.
            ServerRoomError: the provider is not known, or lacks what it needs.

        """
        policy = policy_of(self.options.policy, self.options.policies)
        _can_decide(self.options)
        self.ablation = ablation_of(self.options, policy)
        for tape in tapes:
            latency_of(self.options.latency, 0, tape)
        self._check_provider()
        self.reads_record = self._has_times_of_a_record()
        sandbox = pick(self.options.sandbox) if self.options.tests else None
        _refuse_twins(tapes)
        slots = asyncio.Semaphore(self._slots())
        for tape in [with_tests(tape, self.options) for tape in tapes if sandbox is None or self._has_project(tape)]:
            try:
                await self._one(tape, policy, sandbox, slots)
            except MachineFails:
                raise
            except RunnerError as error:
                self._leave_out(tape, str(error), lacking=isinstance(error, ToolchainMissing))
            except BaseExceptionGroup as group:
                raise machine_failure(group) or group from None
        return self._summed()

    @property
    def _clones(self) -> list[Path]:
        return [Path(folder) for folder in self.options.projects]

    def _has_project(self, tape: Tape) -> bool:
        """Whether the project of a tape can be laid out; where only a clone is missing, the tape is left out."""
        try:
            starting_files(tape, self._clones)
        except ProjectMissingError as error:
            self._leave_out(tape, str(error), lacking=True)
            return False
        return True

    def _slots(self) -> int:
        """How many test runs at once: one core stays free for the model where its time is measured."""
        cores = os.cpu_count() or 1
        return max(1, cores - 1) if self.options.latency == "measured" else cores

    def _check_provider(self) -> None:
        """Find out before anything is run whether the provider can be had at all (the oracle's answers come later)."""
        provider = merge(Settings(), self.options.settings).provider
        if provider.name != ORACLE:
            registry.make(provider)

    def _has_times_of_a_record(self) -> bool:
        """Whether the latency would be that of a file: measured, of answers that a record holds before the run begins."""
        record = merge(Settings(), self.options.settings).provider.record
        holds = bool(record.path) and record.mode != "write" and Path(record.path).exists()
        return holds and self.options.latency == "measured"

    def _leave_out(self, tape: Tape, reason: str, *, lacking: bool) -> None:
        self.left_out.append({"tape": tape.header.id, "reason": reason, "why": "lacking" if lacking else "failed"})
        self.listen(LeftOut(tape.header.id, reason))

    def _summed(self) -> dict[str, Any]:
        about: dict[str, Any] = {
            "checkpoints": self.checkpoints,
            "left_out": self.left_out,
            "run": str(self.store.folder),
        }
        about["faults"] = [*self.faults, *lost(self.records)]
        result = summary(self.records, self.typed, self.efforts, measured=not self.reads_record) | about
        if self.options.which_tests == "touching":
            result["selection"] = {name: self.selection[name] for name in ("selected", "sampled", "disagreed")}
        if self.ablation is not None:
            result["ablation"] = effects_of(self.trials, self.ablation.steps)
            self.store.put_fact("ablation", result["ablation"])
        self.store.put_fact("summary", result)
        return result

    async def _one(self, tape: Tape, policy: Policy, sandbox: Sandbox | None, slots: asyncio.Semaphore) -> None:
        name = tape.header.id
        timeline = Timeline(tape)
        told = lambda text: self.listen(Note(name, text))  # noqa: E731
        judge = await Judge.prepare(
            timeline,
            sandbox,
            self.cache,
            slots,
            told,
            clones=self._clones,
            selects=self.options.which_tests == "touching",
            seed=self.options.seed,
        )
        if user_of(self.options.user).needs_tests and not judge.can_judge:
            reason = f"the tape names no tests, and the user {self.options.user!r} goes by them"
            self._leave_out(tape, reason, lacking=False)
            return
        if self.options.tests and (fault := judge.fault):
            self.faults.append({"tape": name, "fault": fault.name, "reason": fault.reason})
            self.listen(Note(name, f"{fault.name}: {fault.reason}"))
        self.typed[name] = sum(map(timeline.is_by_hand, range(len(tape.events))))
        async with AsyncExitStack() as stack:
            stack.push_async_callback(judge.close)
            oracle = self._oracle(timeline, stack)
            editor = Editor()
            stack.push_async_callback(editor.close)
            self.listen(Note(name, "the language server starts"))
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ghosttape-")))
            await editor.start(self.command(), folder=folder, options=self._settings(policy, oracle))
            await _Tape(self, timeline, policy, judge=judge, editor=editor, oracle=oracle).play()
            self.selection.update(judge.selection.counts if judge.selection else {})

    def _oracle(self, timeline: Timeline, stack: AsyncExitStack) -> Oracle | None:
        """The oracle, if it is the provider, and its answers are not given."""
        provider = self.options.settings.get("provider", {})
        if provider.get("name") != ORACLE or provider.get("answers"):
            return None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ghosttape-oracle-")))
        return Oracle(timeline, folder / "answers.jsonl")

    def _settings(self, policy: Policy, oracle: Oracle | None) -> Mapping[str, Any]:
        provider = dict(self.options.settings.get("provider", {}))
        provider["seed"] = self.options.seed or provider.get("seed", 0)
        if oracle is not None:
            provider["answers"] = str(oracle.path)
        settings = {
            **self.options.settings,
            "context": {**self.options.settings.get("context", {}), "workspace": False},
        }
        if self.ablation is not None:
            settings["repairs"] = ()
        if not policy.is_timed:  # moments out of their time: one must not be answered from another's answer
            return {**settings, "provider": provider, "cache": {"entries": 0}}
        return {**settings, "provider": provider}


def _can_decide(options: Options) -> None:
    """Refuse a user who goes by the tests where none are run."""
    if user_of(options.user).needs_tests and not options.tests:
        raise ReplayError(f"the user {options.user!r} accepts what passes the tests: run them (leave --no-tests out)")


class _Tape:
    """One tape while it is played: carries the player's instructions out."""

    def __init__(
        self,
        engine: Engine,
        timeline: Timeline,
        policy: Policy,
        *,
        judge: Judge,
        editor: Editor,
        oracle: Oracle | None,
    ) -> None:
        self.engine, self.timeline, self.judge, self.editor, self.oracle = engine, timeline, judge, editor, oracle
        self.name, self.size = timeline.tape.header.id, len(timeline.tape.events)
        options = engine.options
        self.player = Player(
            timeline,
            policy,
            user_of(options.user),
            latency_of(options.latency, options.seed, timeline.tape),
            drive=options.mode == "drive",
            seed=options.seed,
            limit=options.limit,
            paths=options.paths,
        )

    async def play(self) -> None:
        """Play to the end, while verdicts are found out beside it; a failure of one ends all."""
        try:
            async with asyncio.TaskGroup() as verdicts:
                await self._play(verdicts)
        except* (ReplayError, RunnerError) as group:
            raise group.exceptions[0] from None

    async def _play(self, verdicts: asyncio.TaskGroup) -> None:
        steps = self.player.play()
        reply: Reply = None
        try:
            while True:
                step = steps.send(reply)
                await self.engine.playback.reach(self.player.now)
                reply = await self._carry_out(step, verdicts)
        except StopIteration:
            if self.player.drive:
                self.engine.efforts[self.name] = self.player.effort
            self.engine.listen(Played(self.name, self.size, self.size))

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
            case Check():
                self.engine.checkpoints["of"] += 1
                await self.editor.check(step)
                self.engine.checkpoints["matched"] += 1
            case Ask():
                self.engine.listen(Played(self.name, step.moment.event, self.size))
                if self.oracle is not None:
                    self.oracle.tell(step)
                answer = await self.editor.ask(step)
                return self.engine.ablation.repaired(answer, step) if self.engine.ablation else answer
            case Tell():
                await self.editor.tell(step)
            case Try():
                return self.judge.can_judge and (await self.judge.verdict(step)).name == "passed"
            case Settled():
                self._settled(step, verdicts)
                await asyncio.sleep(0)
        return None

    def _settled(self, settled: Settled, verdicts: asyncio.TaskGroup) -> None:
        answered = settled.ending.name in ANSWERED
        record = Record(
            moment=self._with_truth(settled) if answered else settled.moment,
            ending=settled.ending,
            suggestion=settled.suggestion,
            covered=settled.covered,
            keys=settled.keys,
        )
        judged = answered and self.judge.can_judge
        self.engine.store.put(record)
        self.engine.listen(Ended(record, awaits_verdict=judged))
        if judged:
            verdicts.create_task(self._judge(settled, record))
        else:
            self.engine.records.append(record)

    def _with_truth(self, settled: Settled) -> Moment:
        hole = self.judge.hole(settled.spot)
        return settled.moment if isinstance(hole, str) else msgspec.structs.replace(settled.moment, truth=hole.truth)

    async def _judge(self, settled: Settled, record: Record) -> None:
        record = msgspec.structs.replace(record, verdict=await self.judge.verdict(settled))
        self.engine.store.put(record)
        self.engine.records.append(record)
        self.engine.listen(Judged(record))
        if self.engine.ablation is not None and record.verdict is not None:
            await self._ablate(self.engine.ablation, settled, record.verdict)

    async def _ablate(self, ablation: Ablation, settled: Settled, verdict: Verdict) -> None:
        """Judge the answer in the other arms; where the texts are equal nothing is tested twice."""
        ending = settled.ending
        self._keep(trial_of(settled, ALL, ending.reason if ending.name == "filtered" else "", verdict))
        for arm, step, other in ablation.others(settled):
            trial = trial_of(other, arm, step, await self.judge.verdict(other))
            self._keep(trial)
            self.engine.listen(Tried(trial))

    def _keep(self, trial: Trial) -> None:
        self.engine.store.put_trial(trial)
        self.engine.trials.append(trial)
