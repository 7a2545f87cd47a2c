from __future__ import annotations

import asyncio
import base64
import re
import time
import unicodedata
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from runners import witness
from runners.errors import SandboxFailed
from runners.limits.processes import in_thread
from runners.processes.open_sandbox import ReusableSandbox
from runners.programs import (
    HIDE,
    SHOW,
    Cold,
    Command,
    Program,
    Programs,
    files_of,
    plan_of,
    variables_of,
    verdict,
    witness_files,
)
from runners.project import ProjectPlan
from runners.protocol import Completed, Job, Limits, Mount, Sandbox
from runners.temporary import temporary_folder
from runners.toolchains import Layer
from runners.toolchains.python import VENV
from runners.verdicts import Result, first_line
from runners.warm.compilers import LANGUAGES, Build, Builds, Compiler, is_fixed
from runners.warm.headers import Headers
from runners.warm.inside import FOLDER, INSIDE
from runners.warm.inside.preloaded import MORE
from runners.warm.inside.supervisor import COMMAND
from runners.warm.pool import Pool
from runners.warm.worker import BUILT, RunRequest, Worker

_PYTHON = ProjectPlan("python")
SUPERVISOR = f"{VENV}/bin/python -I -S {FOLDER}/supervisor.py"
_KINDS = 6
_SOONER = "{{ {compiler} {option} {rest} 2>/tmp/.said && cat /tmp/.said >&2 || {build}; }}"
_TAKE, _PLACE = "base64 -w0 /tmp/program", f"install -m 755 {BUILT['cpp']}/program /tmp/program"
_BINARY = 64 << 20
"""Bytes that a program may have, written as text, with all that g++ says of it."""
_SLOW = 0.1
"""A build that took this share of a program's time may have met a busy machine."""
_MACHINES = re.compile(
    r"Killed|Terminated|internal compiler error|memory exhausted|out of memory|cannot (?:execute|allocate)|No space left|Resource temporarily"
)
"""What g++ says where the machine, or a limit, did not let it compile."""
_MORE = re.compile(
    r"\b(?:asyncio|concurrent|csv|decimal|email|http|mock|sqlite3|ssl|unittest|urllib|uuid|xml|zipfile)\b"
)
_PRIMERS = {"typescript": "export {};", "java": "class Main { }"}
# A program that asks what is imported, or how, gets an interpreter that has imported nothing before it. One that sends
# signals may mean the processes beside it: the shell that is there in a fresh sandbox. One that writes a module of its own may
# have chosen a name that is put away here. Words, not syntax: they may come from any import, under any other name, in a text
# that is evaluated; a word too many costs only time.
CURIOUS = re.compile(
    r"\b(?:modules|meta_path|path_hooks|path_importer_cache|__import__|reload|find_spec|find_loader|pkgutil|modulefinder"
    r"|getrefcount|get_(?:objects|referrers|referents|stats|count|freeze_count)|loggerDict|kill|killpg|pidfd_send_signal)\b"
    r"|\b(?:sys|os|gc|signal|importlib) +import +\*|\.py\b"
)


def _never_warm(program: Program) -> bool:
    """Return whether a program must use a fresh sandbox from the start."""
    if program.language == "python":
        return CURIOUS.search(unicodedata.normalize("NFKC", program.text)) is not None  # as Python reads names
    return program.language == "csharp"


@dataclass(frozen=True, slots=True)
class Warm:
    """Runs programs in sandboxes that stay open; what is not certain there is run again in a fresh one, which decides."""

    cold: Cold
    sandbox: ReusableSandbox
    pool: Pool
    headers: Headers
    builds: Builds = field(default_factory=Builds)
    _numbers: count[int] = field(default_factory=count)
    _noted: set[str] = field(default_factory=set)

    async def prepare(self, program: Program) -> None:
        """Make the layer of the program's toolchain, or find it; no worker waits for it."""
        await self.cold.prepare(program)

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Run the program; raises what `Cold.run` raises."""
        nonce = witness.new_nonce()
        async with self.pool.place():
            files = {**files_of(program), **witness_files(program, nonce)}
            limits = replace(Limits(), wall_s=timeout_s)
            order = RunRequest(files, variables_of(program, nonce), limits)
            done = await self._run(program, order)
            if done is None:
                return await self._cold(program, timeout_s)
        return verdict(done, program, nonce)

    async def execute(self, command: Command, *, timeout_s: float) -> Completed:
        """Run a command in a fresh sandbox, while no more is at work than there are places."""
        async with self.pool.place():
            return await self.cold.execute(command, timeout_s=timeout_s)

    async def _cold(self, program: Program, timeout_s: float) -> Result:
        """Run it in a fresh sandbox; if it may have had a try already, a pass must come twice, so that chance gains little."""
        result = await self.cold.run(program, timeout_s=timeout_s)
        if result.verdict_class != "passed" or _never_warm(program):
            return result
        return await self.cold.run(program, timeout_s=timeout_s)

    async def _run(self, program: Program, order: RunRequest) -> Completed | None:
        way = {
            "python": self._interpret,
            "javascript": self._execute,
            "cpp": self._build_and_execute,
            "java": self._compile_and_execute,
            "typescript": self._compile_and_execute,
        }.get(program.language)
        try:
            return await way(program, order) if way else None
        except (SandboxFailed, OSError) as error:
            self._tell(program.language, f"{error}")
            return None  # what it was, the fresh sandbox will meet too

    def _tell(self, language: str, why: str) -> None:
        if language not in self._noted:
            self._noted.add(language)
            self.cold.progress(
                f"{language}: a program, perhaps more of them, gets a fresh sandbox, not a warm worker: {first_line(why)}"
            )

    async def _interpret(self, program: Program, order: RunRequest) -> Completed | None:
        """Let a Python that has imported the usual modules go on with the program, in a fork."""
        plan = plan_of(program)
        if _never_warm(program):
            return None
        more = {MORE: "1"} if _MORE.search(program.text) else {}
        job = await self._job(plan, plan.command, env={"PYTHONPATH": FOLDER, **more})
        async with self._worker((plan.command, plan.requires, bool(more)), job) as worker:
            done = await worker.run(order)
        # Of a signal, the shell that is there in a fresh sandbox tells in words of its own.
        return None if done and done.signal and not done.limit else done

    async def _execute(self, program: Program, order: RunRequest) -> Completed | None:
        """Run the program's own command in a sandbox that stands ready."""
        plan = plan_of(program)
        return await self._command(plan, plan.command, order)

    async def _build_and_execute(self, program: Program, order: RunRequest) -> Completed | None:
        """Build with g++ in a sandbox in which no program runs, and run what it made in another one."""
        plan = plan_of(program)
        command, run = _halves(replace(plan, command=plan.command.removeprefix(HIDE)))
        if (build := self._kept(program)) is None:
            done = await self._gxx(plan, program, command, order)
            if done is None or done.limit or done.signal:
                return None if done is None or done.limit == "output" else done
            if (build := _gxx_build(done)) is None:
                return None
            self._keep(program, build)
        return await self._execute_built(plan, run.replace(SHOW, _PLACE), build, replace(order, built=build.files))

    def _kept(self, program: Program) -> Build | None:
        """Return what was made of a program before, which costs nothing now."""
        found = self.builds.get(_made_from(program))
        return replace(found, took_s=0.0) if found else None

    def _keep(self, program: Program, build: Build) -> None:
        if is_fixed(program.text):
            self.builds.put(_made_from(program), build)

    async def _gxx(self, plan: ProjectPlan, program: Program, command: str, order: RunRequest) -> Completed | None:
        """Compile and link, with the program's headers compiled ahead if they are; what then fails is built without."""
        python, layer = await self.cold.layer(_PYTHON), await self.cold.layer(plan)
        option = ""
        if is_fixed(program.text):
            option = await self.headers.option(program.text, command, (self.sandbox, layer, self.cold.workspace))
        compiler, _, rest = command.partition(" ")
        if option:
            command = _SOONER.format(compiler=compiler, option=option, rest=rest, build=command)
        order = RunRequest(
            files_of(program),
            {COMMAND: f"{command} && {_TAKE}"},
            replace(order.limits, output_bytes=_BINARY),
        )
        job = await self._job(plan, SUPERVISOR, (*python.mounts, self.headers.mount))
        async with self._worker(("compiler", plan.toolchain, plan.requires), job) as worker:
            return await worker.run(order)

    async def _compile_and_execute(self, program: Program, order: RunRequest) -> Completed | None:
        """Let the resident compiler do the first half of the program's command, and a fresh process the other."""
        plan = plan_of(program)
        command, run = _halves(plan)
        if (build := self._kept(program)) is None:
            build = await self._compile(plan, program, command, order.limits.wall_s)
            if build is None:
                return None
            self._keep(program, build)
        return await self._execute_built(plan, run, build, _with(build, order, program.language))

    async def _execute_built(self, plan: ProjectPlan, run: str, build: Build, order: RunRequest) -> Completed | None:
        """Run what was built, with what is left of the program's time; if that was little, and is not enough, with all of it."""
        if build.status:
            return _failed(build)
        left_s = max(0.1, order.limits.wall_s - build.took_s)
        done = await self._command(plan, run, replace(order, limits=replace(order.limits, wall_s=left_s)))
        if done is not None and done.limit == "wall" and build.took_s > _SLOW * order.limits.wall_s:
            return await self._execute_built(plan, run, replace(build, took_s=0.0), order)
        if done is None:
            return None
        stdout, stderr = build.stdout + done.stdout, build.stderr + done.stderr
        return replace(done, stdout=stdout, stderr=stderr, wall_ms=done.wall_ms + build.took_s * 1000)

    async def _compile(self, plan: ProjectPlan, program: Program, command: str, timeout_s: float) -> Build | None:
        python, language = await self.cold.layer(_PYTHON), program.language
        job = await self._job(plan, "", python.mounts)  # in a container Python starts what is to stay

        async def make() -> Compiler:
            primer = Program(language, _PRIMERS[language])
            compiler = await Compiler.open(LANGUAGES[language], self.sandbox, job)
            await compiler.build(files_of(primer), _halves(plan_of(primer))[0])
            return compiler

        async with self.pool.lend(("compiler", language, plan.requires), make) as compiler:
            try:
                async with asyncio.timeout(timeout_s):
                    started = time.perf_counter()  # what its own start took is not the program's
                    build = await compiler.build(files_of(program), command)
                    return replace(build, took_s=time.perf_counter() - started) if build else None
            except TimeoutError:
                return None  # it is not fit until it has answered

    async def _command(self, plan: ProjectPlan, command: str, order: RunRequest) -> Completed | None:
        python = await self.cold.layer(_PYTHON)
        built = [Mount(self.cold.workspace.folder, BUILT[plan.toolchain])] if order.built is not None else []
        job = await self._job(plan, SUPERVISOR, (*python.mounts, *built))
        async with self._worker((plan.toolchain, plan.requires), job) as worker:
            return await worker.run(replace(order, variables={**order.variables, COMMAND: command}))

    async def _job(
        self, plan: ProjectPlan, command: str, mounts: tuple[Mount, ...] = (), env: Mapping[str, str] | None = None
    ) -> Job:
        """Return what a sandbox that stays is opened with, in a folder that is yet to be made."""
        layer: Layer = await self.cold.layer(plan)
        folder = self.cold.workspace.folder / f"warm-{next(self._numbers)}"
        variables = {**layer.env, "GHOSTTAPE": witness.FOLDER, **(env or {})}
        return Job(folder, command, env=variables, mounts=(*layer.mounts, *mounts, witness.MOUNT, INSIDE))

    def _worker(self, kind: tuple[object, ...], job: Job) -> AbstractAsyncContextManager[Worker]:
        return self.pool.lend(kind, lambda: Worker.open(self.sandbox, job))

    async def close(self) -> None:
        """End all workers and remove their files."""
        await self.headers.close()
        await self.pool.close()
        await self.cold.close()


def _made_from(program: Program) -> Hashable:
    """Return everything that what a compiler makes of a program depends on."""
    plan = plan_of(program)
    return plan.command, plan.toolchain, plan.requires, *files_of(program).items()


def _failed(build: Build) -> Completed:
    """Return how a program ends that could not be built."""
    return Completed(build.status, None, build.stdout, build.stderr, build.took_s * 1000)


def _gxx_build(done: Completed) -> Build | None:
    """Return what g++ made, or why it made nothing; None if the machine may be to blame."""
    took_s = done.wall_ms / 1000
    if len(done.stderr) > Limits().output_bytes:
        return None
    if done.exit == 0:
        with suppress(ValueError):  # else something else was printed there too
            return Build(0, "", done.stderr, {"program": base64.b64decode(done.stdout, validate=True)}, took_s)
        return None
    if _MACHINES.search(done.stderr):
        return None
    return Build(done.exit or 1, done.stdout, done.stderr, {}, took_s)


def _with(build: Build, order: RunRequest, language: str) -> RunRequest:
    """Return the order with what was built, where the second half of the command looks for it."""
    if language == "java":
        return replace(order, built=build.files)
    return replace(order, files={**order.files, **build.files})


def _halves(plan: ProjectPlan) -> tuple[str, str]:
    """Return the command that builds, and the one that then runs what was built."""
    build, _, run = plan.command.partition(" && ")
    return build, run


async def warm(sandbox: Sandbox, cache: Path, progress: Callable[[str], None], *, workers: int) -> Programs:
    """Return what gives the same results as `cold`, in at most so many sandboxes at a time that stay open.

    A sandbox that cannot stay open, or in which a program could leave something to the next, runs each program in a fresh
    one, and `progress` is told why.
    """
    fresh = Cold(sandbox, cache, progress, await in_thread(temporary_folder))
    if not isinstance(sandbox, ReusableSandbox):
        return _closed(fresh, "it cannot stay open")
    if fault := await in_thread(sandbox.fault):
        return _closed(fresh, fault)
    folder = cache / "headers"
    folder.mkdir(parents=True, exist_ok=True)
    return Warm(fresh, sandbox, Pool(workers, workers * _KINDS), Headers(folder.resolve()))


def _closed(fresh: Cold, why: str) -> Cold:
    fresh.progress(f"{fresh.sandbox.name}: a fresh one for each program, no warm workers: {why}")
    return fresh
