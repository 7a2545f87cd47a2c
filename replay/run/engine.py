"""A run: sources of moments under one configuration, asked through a language server and judged, into one store."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import structs

from replay.editor.client import Editor
from replay.editor.command import server_command
from replay.errors import LeftOutError, ReplayError
from replay.judge.judge import Adherence, Judge
from replay.numbers.clusters import cluster_of
from replay.numbers.costs import no_cost
from replay.numbers.effects import ablation as effects_of
from replay.options import QUICK, RunOptions
from replay.play.playback import Playback
from replay.run.ablation import Ablation, ablation_of
from replay.run.calibration import Calibration, calibrate, described
from replay.run.earlier import Earlier
from replay.run.events import LeftOut, Listener, Note, RunBegan, RunEvent, RunPlan, StateRunChanged
from replay.run.findings import Findings, RunContext
from replay.run.guard import guard_of, probe_provider
from replay.run.live.control import controlled
from replay.run.live.live_reader import birth_of
from replay.run.live.live_stream import LiveStream
from replay.run.missed import MissedAnswers
from replay.run.run_spending import OWN_ANSWERS
from replay.run.sharing import CELL, Sharing
from replay.run.shell import AskingAhead, Shell
from replay.run.sources.known_answers import KnownAnswers
from replay.run.sources.seam import Source, Subject, TestContext
from replay.run.store import Store
from runners.errors import MachineFails, RunnerError, ToolchainMissing
from runners.protocol import Sandbox
from runners.sandboxes import pick
from runners.temporary import temporary_folder
from runners.verdicts import infrastructure_failure
from server.providers import registry
from server.providers.wrappers.answer_file import keeps_times
from server.settings import AnswerRecord, CacheSettings, ProviderSettings, Settings

Summarise: TypeAlias = Callable[[Any, Findings], dict[str, Any]]
"""Makes one JSON document of the options and the findings of a run."""


def cache_folder() -> Path:
    """Where toolchains are kept between runs: `GHOSTTAPE_CACHE`, or the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("GHOSTTAPE_CACHE") or platformdirs.user_cache_dir("ghosttape"))


@dataclass(slots=True)
class Engine:
    """Plays sources into a store, and tells a listener what happens."""

    options: RunOptions
    notify: Listener
    summarise: Summarise
    cache: Path = field(default_factory=cache_folder)
    playback: Playback = field(default_factory=Playback)
    command: Callable[[], Sequence[str]] = server_command
    store: type[Store] = Store
    waits: bool = False
    """Whether somebody watches who can mend a model server that fails: then the run waits for it."""
    sharing: Sharing | None = None
    """What this run has in common with others of an experiment."""
    adherence: Adherence | None = None
    """Says what suggestions do to the instructions of the options."""
    _live: Listener = field(default=lambda _: None)
    _ahead: list[tuple[Editor, Path]] = field(default_factory=list)
    """The server of a source's first session, which starts while the source is opened."""

    async def run(self, sources: Sequence[Source], folder: Path) -> dict[str, Any]:
        """Play the sources one after the other; give and keep the summary.

        A folder that holds a run of the same configuration over the same sources is continued. What is wrong with the
        options or the provider is found before the folder is made.

        Raises:
            MachineFails: the infrastructure failed in too many tests in a row, or there is no room for the run.
            ProviderFailsError: the provider cannot answer, or failed too often in a row.
            ReplayError: an option, the server, the project of a tape or the folder is not usable.
            SandboxMissing: no sandbox works here, though tests are wanted.
            ServerRoomError: the provider is not known, or lacks what it needs.

        """
        sandbox = self._check(sources)
        known = self.sharing is not None and self.sharing.is_probed(self.options.settings.provider)
        warning = "" if known else await probe_provider(self.options, folder)
        with self.store.continued(folder, self._config(sources)) as store, LiveStream(folder, self.playback) as live:
            self._live = live.listen
            store.remove_facts("summary", "ablation")  # of the process that this one continues
            store.put_fact("cluster_by", self.options.cluster_by)
            if self.sharing is not None:
                store.put_fact(CELL, self.sharing.run)
            store.put_fact("concurrency", sorted({*(store.fact("concurrency") or ()), *map(self._places, sources)}))
            self._tell(self._begun(store, sources))
            async with controlled(folder, self.playback, live.flush) as problem:
                for name, said in (("watching", live.problem), ("watching", problem), ("model server", warning)):
                    if said:
                        self._note(name, said)
                return await self._all(store, sources, sandbox)

    async def _all(self, store: Store, sources: Sequence[Source], sandbox: Sandbox | None) -> dict[str, Any]:
        """Play the sources into a store that is open; give the summary. What failed before the run had to wait for the provider is asked again."""
        run = await self._played(store, sources, sandbox)
        if run.guard.has_waited and any(record.ending.name == "failed" for record in run.findings.records):
            self._tell(self._begun(store, sources))
            self._note("model server", "it answers again, and what failed before is asked again")
            run = await self._played(store, sources, sandbox)
        return self._summed(run)

    async def _played(self, store: Store, sources: Sequence[Source], sandbox: Sandbox | None) -> RunContext:
        """Play the sources once."""
        run = self._context(store, sources)
        self._calibrate(run, "start")
        slots = asyncio.Semaphore(self._slots())
        for source in sources:
            try:
                await self._one(run, source, sandbox, slots)
            except LeftOutError as error:
                self._leave_out(run, source.name, str(error), error.lacking, error.project)
            except MachineFails:
                raise
            except RunnerError as error:
                self._leave_out(run, source.name, str(error), isinstance(error, ToolchainMissing))
            except (
                BaseExceptionGroup
            ) as group:  # of a task group: the failure of the machine that is in it, or all of it, goes on
                raise infrastructure_failure(group) or group from None
            _go_on_unless_cancelled()
            self._calibrate(run, source.name)
        return run

    def _tell(self, event: RunEvent) -> None:
        self.notify(event)
        self._live(event)

    def _begun(self, store: Store, sources: Sequence[Source]) -> RunBegan:
        provider, options = self.options.settings.provider, self.options
        plan = RunPlan(
            provider=provider.name,
            model=provider.model,
            policy=getattr(options, "policy", ""),
            mode=getattr(options, "mode", ""),
            cluster_by=options.cluster_by,
            tests=options.tests,
            samples=options.samples,
            measured=not self._reads_record(store),
            arms=2 + len(options.settings.repairs) if options.ablate else 1,
        )
        process = os.getpid()
        origins = {source.name: str(Path(source.origin).absolute()) for source in sources}
        sizes = {source.name: source.size for source in sources}
        return RunBegan(time.time(), process, birth_of(process), plan, origins, sizes)

    def _check(self, sources: Sequence[Source]) -> Sandbox | None:
        """Find out before anything is made whether the run is possible at all; give the sandbox of the tests."""
        _reject_duplicate_ids(sources)
        if not self.options.answers_are_known:
            registry.make(self.options.settings.provider)
        for source in sources:
            source.check()
        self._ablation(sources)
        return pick(self.options.sandbox) if self.options.tests else None

    def _ablation(self, sources: Sequence[Source]) -> Ablation | None:
        return ablation_of(self.options, is_timed=any(source.is_timed for source in sources))

    def _context(self, store: Store, sources: Sequence[Source]) -> RunContext:
        measures = self.options.times_the_model
        store.put_fact("origins", {source.name: str(Path(source.origin).absolute()) for source in sources})
        findings = Findings(reads_record=self._reads_record(store))
        ablation = self._ablation(sources)
        taken = msgspec.convert(store.fact("machine") or [], list[list[Calibration]])
        return RunContext(
            store,
            self._tell,
            self.playback,
            Earlier.of(store),
            findings,
            guard_of(self.options, waits=self.waits and self.options.concurrency == 1),
            ablation,
            measures,
            [*filter(None, taken), []],
        )

    def _reads_record(self, store: Store) -> bool:
        if store.fact("reads_record") is None:  # a run that is continued finds the record that it has begun itself
            store.put_fact("reads_record", self.options.times_the_model and reads_untimed(self.options.settings))
        return bool(store.fact("reads_record"))

    def _calibrate(self, run: RunContext, when: str) -> None:
        """Look at the machine if a model's time is measured on it, and say at once what is wrong with it."""
        if not run.measures or self.options.is_oracle or self.options.settings.provider.record.mode == "require":
            return
        said = {*described(run.calibrations)["warnings"]}
        run.calibrations[-1].append(calibrate(when))
        run.store.put_fact("machine", msgspec.to_builtins(run.calibrations))
        for warning in described(run.calibrations)["warnings"]:
            if warning not in said:
                self._note(when, warning)

    def _config(self, sources: Sequence[Source]) -> dict[str, Any]:
        """The options as they are kept beside the run, with what identifies the sources."""
        answers = self.options.settings.provider.answers
        known = {"answers": _digest(Path(answers))} if answers else {}
        return self.options.kept() | {"sources": {source.name: source.digest for source in sources}} | known

    def _slots(self) -> int:
        """How many test runs at once: one core stays free for the model where its time is measured."""
        cores = os.cpu_count() or 1
        return max(1, cores - 1) if self.options.times_the_model else cores

    def _leave_out(self, run: RunContext, name: str, reason: str, lacking: bool, project: str = "") -> None:
        """Say that a source is not played, and why; `project` names the commit that no clone has."""
        why = {"tape": name, "reason": reason, "why": "lacking" if lacking else "failed"}
        run.findings.left_out.append(why | ({"project": project} if project else {}))
        self._tell(LeftOut(name, reason))

    def _note(self, name: str, text: str) -> None:
        self._tell(Note(name, text))

    async def _one(self, run: RunContext, source: Source, sandbox: Sandbox | None, slots: asyncio.Semaphore) -> None:
        notify = partial(self._note, source.name)
        async with AsyncExitStack() as stack:
            self._ahead = [await stack.enter_async_context(self._launched())]
            subject = await source.open(self._test_context(run, source, sandbox, slots), stack)
            for warning in subject.warnings:
                run.findings.warnings.append({"tape": source.name, "fault": warning.name, "reason": warning.reason})
                notify(f"{warning.name}: {warning.reason}")
            run.findings.skipped += [
                {"tape": source.name, "reason": f"{path}: {kind}"} for path, kind in subject.skipped.items()
            ]
            run.findings.keys[source.name] = subject.keys
            if subject.tests_from:
                run.findings.tests_from[source.name] = subject.tests_from
            if any(subject.no_person.values()):
                run.findings.no_person[source.name] = subject.no_person
            for text in replaced(self.options, source):
                notify(text)
            for sample in range(self.options.samples):
                await self._session(run, source, subject, sample)
            if source.is_timed:  # elsewhere each record stands alone, whatever this process asks
                run.store.forget(run.earlier.unreached(source.name))
            if subject.judge and subject.judge.selection:
                run.findings.selection.update(subject.judge.selection.counts)

    def _test_context(
        self, run: RunContext, source: Source, sandbox: Sandbox | None, slots: asyncio.Semaphore
    ) -> TestContext:
        """What a source gets to make its tests ready."""
        return TestContext(
            sandbox,
            self.cache,
            slots,
            self._slots(),
            partial(self._note, source.name),
            partial(self._leave_out, run),
            lambda state: self._tell(StateRunChanged(source.name, state)),
            self.sharing.results if self.sharing else None,
            self.adherence,
        )

    async def _session(self, run: RunContext, source: Source, subject: Subject, sample: int) -> None:
        """Play a source once at a language server of its own."""
        player = subject.player(sample)
        async with (
            self._served(run, source, subject) as (editor, known_answers),
            self._asked_through(run, source, subject, editor, sample) as asked,
        ):
            shell = Shell(run, source, subject, player, asked, known_answers, sample, self.options.samples)
            await shell.play()
        if player.effort is not None:
            run.findings.efforts[source.name] = player.effort
        elif subject.judge is not None and shell.log.missed:
            await self._missed(run, source, subject, subject.judge, shell)

    def _places(self, source: Source) -> int:
        """How many questions may be under way: one where somebody watches at a pace of their own."""
        return self.options.places(is_timed=source.is_timed) if self.playback.speed is None else 1

    @asynccontextmanager
    async def _asked_through(
        self, run: RunContext, source: Source, subject: Subject, editor: Editor, sample: int
    ) -> AsyncIterator[Editor | AskingAhead]:
        """What the shell asks: the editor itself, or what has asked several questions ahead."""
        places = self._places(source)
        if places == 1:
            yield editor
            return
        is_known = lambda ask: run.earlier.answer(ask) is not None  # noqa: E731
        async with AskingAhead(editor, subject.player(sample), places, is_known) as ahead:
            yield ahead

    async def _missed(self, run: RunContext, source: Source, subject: Subject, judge: Judge, shell: Shell) -> None:
        """Find out what the editor did not wait for, at a second server that has no part in the session."""
        found = MissedAnswers(
            shell.log, subject.player(shell.sample), run.findings.records, subject, judge, run.store, shell.room
        )
        if not self.options.asks_missed:
            await found.find()
            return
        self._note(source.name, f"what the editor gave up is asked again (moments: {len(shell.log.missed):,})")
        async with self._served(run, source, subject, missed=True) as (found.editor, found.known_answers):
            await found.find()

    @asynccontextmanager
    async def _served(
        self, run: RunContext, source: Source, subject: Subject, *, missed: bool = False
    ) -> AsyncIterator[tuple[Editor, KnownAnswers | None]]:
        """An editor at a language server that has just started, and the answers that are told it."""
        self._tell(Note(source.name, "the language server starts"))
        async with AsyncExitStack() as stack:
            if self._ahead:
                editor, folder = self._ahead.pop()
                stack.push_async_callback(editor.close)
            else:
                editor, folder = await stack.enter_async_context(self._launched())
            known_answers = KnownAnswers(folder / "answers.jsonl") if subject.answer else None
            made = ServerSettings(self.options, self.sharing)
            settings = made.of(run, source, known_answers)
            if missed:
                settings = isolated_settings(settings)
            await editor.initialize(msgspec.to_builtins(settings) | made.shared(settings, self._places(source)))
            yield editor, known_answers

    @asynccontextmanager
    async def _launched(self) -> AsyncIterator[tuple[Editor, Path]]:
        """An editor whose language server begins to start, in a folder of its own."""
        async with AsyncExitStack() as stack:
            place = await asyncio.to_thread(temporary_folder)  # it does not outlive us, even when we are killed
            stack.callback(place.close)
            editor = Editor()
            stack.push_async_callback(editor.close)
            await editor.launch(self.command(), folder=place.folder)
            yield editor, place.folder

    def _summed(self, run: RunContext) -> dict[str, Any]:
        found = self.summarise(self.options, run.findings)
        result = found | {"run": str(run.store.folder), "left_out": run.findings.left_out}
        if self.options.is_free:
            result["cost"] = no_cost()
        if any(run.calibrations):
            result["machine"] = described(run.calibrations) | {"concurrency": run.store.fact("concurrency")}
        if run.ablation is not None:
            by = self.options.cluster_by
            clusters = {record.moment.id: cluster_of(record.moment, by) for record in run.findings.records}
            result["ablation"] = effects_of(run.findings.trials, run.ablation.steps, clusters)
            run.store.put_fact("ablation", result["ablation"])
        run.store.put_fact("summary", result)
        return result


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32] if path.is_file() else ""


def _go_on_unless_cancelled() -> None:
    """Raise `CancelledError` if the run was cancelled while something was closed that took the cancellation for its own."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _reject_duplicate_ids(sources: Sequence[Source]) -> None:
    """Refuse two sources of one name: their moments could not be told apart."""
    first: dict[str, Source] = {}
    for source in sources:
        twin = first.setdefault(source.name, source)
        if twin is not source:
            raise ReplayError(
                f"two tapes have the id {source.name!r}: {twin.origin} and {source.origin}; replay them in separate runs"
            )


# The settings of a run's language servers: the run's own, where an answer may come from, and what is kept
# of it.


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Makes the settings of the servers of one run."""

    options: RunOptions
    sharing: Sharing | None

    def of(self, run: RunContext, source: Source, known_answers: KnownAnswers | None) -> Settings:
        """Nothing of the person's disk; where moments stand alone, none is answered from another's answer."""
        provider = self._provider(run, source)
        settings = self.options.settings
        if known_answers is not None:
            provider = structs.replace(provider, answers=str(known_answers.path), follow=True)
        return structs.replace(
            settings,
            provider=provider,
            context=structs.replace(settings.context, workspace=False),
            cache=settings.cache if source.is_timed else structs.replace(settings.cache, entries=0),
            repairs=settings.repairs if run.ablation is None else (),
        )

    def shared(self, settings: Settings, places: int) -> dict[str, Any]:
        """What a server is told beside its settings: how it shares the record of answers. `places` questions may be under way."""
        shared = self.sharing.shared(settings.provider, places) if self.sharing else None
        return {} if shared is None else {"shared": msgspec.to_builtins(shared)}

    def _provider(self, run: RunContext, source: Source) -> ProviderSettings:
        """The provider with the record that its answers are read from or written to."""
        provider = self.options.settings.provider
        provider = structs.replace(provider, seed=self.options.seed or provider.seed)
        if provider.record.mode == "write" and provider.record.path and run.earlier.records:
            provider = structs.replace(provider, record=structs.replace(provider.record, mode="replay"))
        shared = self.sharing.record(provider, source.name) if self.sharing else None
        if shared is not None:
            return structs.replace(provider, record=shared)
        if source.is_timed and provider.name not in (QUICK | {"lsp"}) and not provider.record.path:
            provider = structs.replace(provider, record=_own_record(run))
        return structs.replace(provider, record=structs.replace(provider.record, session=source.name))


def isolated_settings(settings: Settings) -> Settings:
    """The settings of a server that answers each question by itself, with turns of its own in a record of answers."""
    record = settings.provider.record
    record = structs.replace(record, session=f"{record.session} missed")
    return structs.replace(
        settings,
        provider=structs.replace(settings.provider, record=record),
        cache=structs.replace(settings.cache, entries=0),
    )


def _own_record(run: RunContext) -> AnswerRecord:
    """The run's own file of answers. A run that is continued asks its questions again, and the model only what is new."""
    path = str((run.store.folder / OWN_ANSWERS).absolute())
    return AnswerRecord(path=path, mode="replay" if run.earlier.records else "write")


def reads_untimed(settings: Settings) -> bool:
    """Whether answers come from a record that says nothing of the time they took."""
    record = settings.provider.record
    path = Path(record.path)
    return bool(record.path) and record.mode != "write" and path.is_file() and not keeps_times(path)


def replaced(options: RunOptions, source: Source) -> Iterator[str]:
    """What a run does not take as the settings say, in words."""
    settings = options.settings
    if not source.is_timed and settings.cache != CacheSettings():
        yield "the server's cache is off: each moment stands alone"
    if options.seed and settings.provider.seed not in {0, options.seed}:
        yield f"seed {options.seed} takes the place of provider.seed {settings.provider.seed}"
