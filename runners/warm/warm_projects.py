"""The tests of a project in interpreters that have imported pytest and the project's libraries: the verdicts of `Project.run`, sooner."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Self

from runners import witness
from runners.errors import SandboxFailed
from runners.files import copy_into, remove_content, write_all
from runners.limits.processes import in_thread
from runners.other_files import make_executable
from runners.processes.open_sandbox import ReusableSandbox
from runners.project import ONLY, Project, note_tests, only_variables, result_of
from runners.protocol import PROJECT, Completed, Job, Limits, Mount
from runners.toolchains import language_of
from runners.verdicts import Result
from runners.verdicts.junit_files import places
from runners.warm.inside import FOLDER, INSIDE
from runners.warm.inside.holding import LATE
from runners.warm.inside.preloaded import IMPORTS, OWN
from runners.warm.pool import Pool
from runners.warm.warm_programs import CURIOUS
from runners.warm.worker import Worker

_CONTROL = re.compile(r"[;&|<>`$()*?~\n]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_PATH = "PYTHONPATH"
_HERE = re.compile(r"\$PWD\b")
_EARLY = frozenset(
    {
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "pyproject.toml",
        "pytest.ini",
        ".pytest.ini",
        "tox.ini",
        "setup.cfg",
    }
)
"""The files that Python or pytest reads before it collects tests."""
_SHOWN = 500
"""Characters of a reason at most."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A command of pytest that can be held just before it begins."""

    variables: Mapping[str, str]
    words: tuple[str, ...]

    @classmethod
    def of(cls, command: str) -> Self | None:
        """The command; None if it is no plain call of pytest, or one that reports in files. It runs in the project's own folder."""
        command = _HERE.sub(PROJECT, command)
        try:
            words = [] if _CONTROL.search(command) or places(command) else shlex.split(command)
        except ValueError:
            return None
        first = next((at for at, word in enumerate(words) if not _VARIABLE.match(word)), len(words))
        if not any(PurePosixPath(word).name == "pytest" for word in words[first:]):
            return None
        pairs = (word.partition("=") for word in words[:first])
        return cls({name: value for name, _, value in pairs}, tuple(words[first:]))

    @property
    def line(self) -> str:
        """The command line that holds it: `exec` of it is process 1."""
        known = {**self.variables, _PATH: os.pathsep.join(filter(None, (FOLDER, self.variables.get(_PATH, ""))))}
        return shlex.join(["env", *(f"{name}={value}" for name, value in known.items()), *self.words])


def imported(files: Mapping[str, str]) -> Iterator[str]:
    """The modules that the Python files of a project (path → text) import when they are imported themselves; not those that functions import."""
    for path, text in files.items():
        if path.endswith(".py"):
            try:
                todo: list[ast.AST] = [ast.parse(text)]
            except (SyntaxError, ValueError, RecursionError):
                continue
            while todo:
                node = todo.pop()
                if isinstance(node, ast.Import):
                    yield from (each.name for each in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield node.module
                elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
                    todo += ast.iter_child_nodes(node)


def own_names(files: Mapping[str, str]) -> Iterator[str]:
    """The names under which modules of a project can be imported at the top level, wherever its path may begin."""
    packages = {str(PurePosixPath(path).parent) for path in files if PurePosixPath(path).name == "__init__.py"}
    for path in files:
        place = PurePosixPath(path)
        if place.suffix == ".py":
            inside = [place.with_suffix(""), *place.parents]
            yield from (each.name for each in inside if each.name and str(each.parent) not in packages)


@dataclass(slots=True)
class _TestWorker:
    """One interpreter that is held, and the folder in which it finds the names of the tests to run."""

    worker: Worker
    only: Path

    @property
    def fit(self) -> bool:
        """Say whether it can run tests again."""
        return self.worker.fit

    async def run(
        self,
        base: Path,
        changed: Mapping[str, str],
        executable: frozenset[str],
        variables: Mapping[str, str],
        limits: Limits,
    ) -> Completed | None:
        """Run tests in a copy of a project; None if a fresh sandbox should say how they end."""
        self.worker.runs += 1
        project = self.worker.session.project
        if os.listdir(project):  # noqa: PTH208 - the supervisor has emptied it after the run before
            self.worker.session.fit = False
            return None
        await in_thread(_lay_out, base, project, changed, executable)
        self.worker.session.open_sandbox.give(project)
        return await self.worker.session.run(variables, limits)

    async def close(self) -> None:
        """End it."""
        await self.worker.close()


def _lay_out(base: Path, project: Path, changed: Mapping[str, str], executable: frozenset[str]) -> None:
    copy_into(base, project)
    write_all(project, changed)
    make_executable(project, executable & changed.keys())


@dataclass(slots=True)
class WarmTests:
    """Runs tests of one project. What is not certain is run in a fresh sandbox, which decides.

    Tests run here only once the same ones have passed here in the project as it is.
    """

    project: Project
    files: Mapping[str, str]
    """The texts of the project, by path."""
    notify: Callable[[str], None]
    pool: Pool
    _held: _Held | None = None
    _late: bool = False
    """Whether pytest reads its configuration before it is held: nothing of the project's code may belong to that."""
    _sound: dict[frozenset[str], asyncio.Task[bool]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)
    _told: set[str] = field(default_factory=set)

    @classmethod
    async def of(cls, project: Project, files: Mapping[str, str], notify: Callable[[str], None], workers: int) -> Self:
        """The tests of a project, in at most so many sandboxes at once."""
        held = _Held.of(project.plan.command)
        reason = await in_thread(_fault, project, held)
        if reason:
            notify(f"its tests run in a fresh sandbox each time: {reason}")
        late = not any(PurePosixPath(path).name == "conftest.py" for path in files)
        return cls(project, files, notify, Pool(workers, workers), None if reason else held, late)

    async def run(
        self, changed: Mapping[str, str], only: frozenset[str], *, timeout_s: float | None = None, first: bool = False
    ) -> Result:
        """Run these tests in a copy of the project with these files changed, as `Project.run` does."""
        project = self.project
        if timeout_s is not None:
            project = replace(project, plan=replace(project.plan, timeout_s=timeout_s))
        async with self.pool.place():
            if self._held is not None and not self._is_curious(changed) and await self._is_sound(only):
                result = await self._run(project, changed, only, first=first)
                if result is not None:
                    return result
            return await project.run(changed, only, first=first)

    async def passes(self, only: frozenset[str]) -> bool:
        """Whether these tests pass here in the project as it is, which is found out once; False where nothing is held ready."""
        async with self.pool.place():
            return self._held is not None and await self._is_sound(only)

    def _is_curious(self, changed: Mapping[str, str]) -> bool:
        """Whether a changed file is read before an interpreter is held, or may ask more than the project itself what is imported, or how."""
        return any(PurePosixPath(path).name in _EARLY for path in changed) or any(
            len(CURIOUS.findall(text)) > len(CURIOUS.findall(self.files.get(path, "")))
            for path, text in changed.items()
        )

    async def _is_sound(self, only: frozenset[str]) -> bool:
        """Whether these tests pass here in the project as it is."""
        if only not in self._sound:
            self._sound[only] = asyncio.create_task(self._pass(only))
        return await asyncio.shield(self._sound[only])

    async def _pass(self, only: frozenset[str]) -> bool:
        result = await self._run(self.project, {}, only)
        if result is not None and result.tests is None and result.message not in self._told:
            self._told.add(result.message)
            self.notify(
                f"some tests run in a fresh sandbox each time, as they do not pass in an interpreter that is held ready: {result.message}"
            )
        return result is not None and result.tests is not None and only <= result.tests

    async def _run(
        self, project: Project, changed: Mapping[str, str], only: frozenset[str], *, first: bool = False
    ) -> Result | None:
        if self._held is None:
            return None
        nonce = witness.new_nonce()
        variables = {
            **self._held.variables,
            **witness.environment(nonce),
            "GHOSTTAPE_ROOT": PROJECT,
            **only_variables(first=first),
        }
        limits = replace(project.plan.limits, wall_s=project.plan.timeout_s)
        try:
            async with self.pool.lend("tests", self._open) as worker:
                await in_thread(note_tests, worker.only, only)
                base = project.workspace.folder / "base"
                done = await worker.run(base, changed, project.executable, variables, limits)
        except (SandboxFailed, OSError) as error:
            return await self._given_up(error, project, changed, only, first=first)
        if done is None or (done.signal and not done.limit):
            return None  # of a signal, the shell that is there in a fresh sandbox tells in words of its own
        return result_of(done, project.plan.command, nonce)[0]

    async def _given_up(
        self, error: Exception, project: Project, changed: Mapping[str, str], only: frozenset[str], *, first: bool
    ) -> Result | None:
        """Hold the interpreter sooner from now on, or no more."""
        if self._late:
            self._late = False
            return await self._run(project, changed, only, first=first)
        if self._held is not None:
            self.notify(f"its tests run in a fresh sandbox each time: {' '.join(str(error).split())[:_SHOWN]}")
            self._held = None
        return None

    async def _open(self) -> _TestWorker:
        """Start an interpreter and hold it just before pytest begins."""
        assert self._held is not None
        project, sandbox = self.project, self.project.sandbox
        assert isinstance(sandbox, ReusableSandbox)
        folder = project.workspace.folder / f"warm-{next(self._numbers)}"
        only = project.workspace.folder / f"{folder.name}-only"
        await in_thread(only.mkdir)
        late = {LATE: "1", "PYTEST_PLUGINS": "holding"} if self._late else {}
        env = {
            **late,
            **project.layer.env,
            **project.witnesses,
            "GHOSTTAPE": witness.FOLDER,
            IMPORTS: " ".join(dict.fromkeys(imported(self.files))),
            OWN: " ".join(sorted({*own_names(self.files)})),
        }
        mounts = (*project.layer.mounts, witness.MOUNT, INSIDE, Mount(only, ONLY))
        job = Job(folder, self._held.line, env=env, mounts=mounts, limits=project.plan.limits)
        base = project.workspace.folder / "base"
        worker = await Worker.open(sandbox, job, lambda place: copy_into(base, place))
        await in_thread(remove_content, worker.session.project)
        return _TestWorker(worker, only)

    async def close(self) -> None:
        """End the interpreters; the project stays."""
        await self.pool.close()


def _fault(project: Project, held: _Held | None) -> str:
    """Why tests of a project cannot be held ready; empty if they can."""
    if language_of(project.plan.toolchain) != "python" or held is None or project.plan.cwd != ".":
        return "only a plain call of pytest in the project's own folder can be held ready"
    sandbox = project.sandbox
    return sandbox.fault() if isinstance(sandbox, ReusableSandbox) else f"{sandbox.name} cannot stay open"
