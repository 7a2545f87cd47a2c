"""A project laid out once, and its tests run many times, each time in a fresh copy."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec

from runners import witness
from runners.errors import NoProcesses, SandboxFailed, SetupFailed
from runners.files import copy_tree, remove_tree, write_all
from runners.limits.processes import in_thread
from runners.other_files import NOTHING, OtherFiles, make_executable, write_others
from runners.protocol import PROJECT, Completed, Job, Limits, Mount, Sandbox
from runners.temporary import TemporaryFolder, temporary_folder
from runners.toolchains import Layer, toolchain
from runners.verdicts import Result, classify, ending, infrastructure, junit_files, tail

SETUP_S = 600.0
ALLOW_NETWORK = "--allow-network-setup"
"""The flag with which the user gives a set-up the network."""

_MISSES_NETWORK = re.compile(
    "name resolution|Name or service not known|(?:could not|couldn't|cannot|unable to) (?:resolve|connect to)|failed to resolve"
    "|getaddrinfo|nodename nor servname|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|UnknownHost|Unknown host|NoRouteToHost"
    r"|connection refused|\(from versions: none\)|network is unreachable|failed to establish a new connection|no such host|dial tcp",
    re.IGNORECASE,
)
"""Messages of package clients and their libraries when they have no network."""
_HINT = (
    f" (it seems to need the network, which it does not have: if you trust it, allow the network with {ALLOW_NETWORK})"
)

_CUT_SHORT = {"wall", "cpu", "output", "disk"}
"""The limits that stop a run. The witness's record of a stopped run is not read: it is incomplete, and may be too long."""

_OF_A_NAME = frozenset({errno.ENAMETOOLONG, errno.EILSEQ})
"""A path that is too long for this file system, or has characters that the file system refuses."""

_OF_NODE = frozenset({"node", "typescript"})
_T = TypeVar("_T")
ONLY, ONLY_FILE = "/ghosttape-only", "tests.json"
"""The folder and the file with the names of a run's tests. They are not on a command line, because a name can contain anything."""


@dataclass(frozen=True, slots=True)
class ProjectPlan:
    """How a project is set up and tested."""

    toolchain: str
    """A name of `runners.toolchains.TOOLCHAINS`."""
    requires: tuple[str, ...] = ()
    """Packages that the toolchain installs, outside of the sandbox."""
    setup: str = ""
    """The command that is run once, after the files are written; "": none."""
    command: str = ""
    """The command that runs the tests."""
    cwd: str = "."
    """Where both commands start, relative to the project."""
    timeout_s: float = 30.0
    """How long the tests may take, in seconds; the set-up has `SETUP_S`."""
    limits: Limits = field(default_factory=Limits)
    network: bool = False
    """Whether the set-up has the network of this machine. Only the user can allow this; the tests never have the network."""
    setup_env: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for the set-up only."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project ready to be tested. Runs are independent and may run at the same time."""

    plan: ProjectPlan
    sandbox: Sandbox
    layer: Layer
    workspace: TemporaryFolder
    witnesses: Mapping[str, str] = field(default_factory=dict)
    executable: frozenset[str] = frozenset()
    """The files that can be executed, also when they are changed."""
    _numbers: count[int] = field(default_factory=count)

    async def run(
        self, changed: Mapping[str, str], only: frozenset[str] | None = None, *, first: bool = False
    ) -> Result:
        """Run the tests, or only those of these names, in a copy of the project with these files changed.

        With `first` the run of some tests of pytest ends with the first that fails; other test runners go on.

        Names are those that the witness of the test runner reports; test runners without a witness run all tests. A failure of the machine
        is "infrastructure", after one more try in a fresh copy. Raises `PathRefused` if a changed file would lie outside the project.
        """
        if only is None:
            return (await self.run_witnessed(changed))[0]
        folder = self.workspace.folder / f"only-{next(self._numbers)}"
        try:
            await in_thread(_note, folder, only)
            variables = only_variables(first=first)
            return (await self.run_witnessed(changed, variables, Mount(folder, ONLY)))[0]
        except OSError as error:
            return infrastructure(f"{type(error).__name__}: {error}")
        finally:
            await in_thread(remove_tree, folder)

    async def run_witnessed(
        self, changed: Mapping[str, str], env: Mapping[str, str] = MappingProxyType({}), *mounts: Mount
    ) -> tuple[Result, list[str]]:
        """Run the tests with additional variables and folders; return the witness's record too."""
        try:
            return await with_one_retry(lambda: self._in_a_copy(changed, env, mounts))
        except (SandboxFailed, OSError) as error:
            return infrastructure(f"{type(error).__name__}: {error}"), []

    async def _in_a_copy(
        self, changed: Mapping[str, str], env: Mapping[str, str], mounts: tuple[Mount, ...]
    ) -> tuple[Result, list[str]]:
        copy = self.workspace.folder / f"copy-{next(self._numbers)}"
        try:
            await in_thread(self._lay_out, copy, changed)
            return await self._test(copy, env, mounts)
        finally:
            await in_thread(remove_tree, copy)

    def _lay_out(self, copy: Path, changed: Mapping[str, str]) -> None:
        copy_tree(self.workspace.folder / "base", copy)
        write_all(copy, changed)
        make_executable(copy, self.executable & changed.keys())
        junit_files.clear(copy / self.plan.cwd, junit_files.places(self.plan.command))

    async def _test(self, copy: Path, more: Mapping[str, str], mounts: tuple[Mount, ...]) -> tuple[Result, list[str]]:
        plan, layer, nonce = self.plan, self.layer, witness.new_nonce()
        root = {"GHOSTTAPE_ROOT": str(copy) if self.sandbox.name == "none" else PROJECT} if more else {}
        env = {**layer.env, **self.witnesses, **witness.environment(nonce), **root, **more}
        limits = replace(plan.limits, wall_s=plan.timeout_s)
        job = Job(copy, plan.command, plan.cwd, env, (*layer.mounts, witness.MOUNT, *mounts), limits)
        done = await self.sandbox.run(job)
        report = await in_thread(self._report, copy) if done.limit not in _CUT_SHORT else None
        return result_of(done, plan.command, nonce, report)

    def _report(self, copy: Path) -> junit_files.JUnitReport | None:
        return junit_files.read(copy / self.plan.cwd, junit_files.places(self.plan.command), copy)

    def close(self) -> None:
        """Remove the project from the disk."""
        self.workspace.close()


def result_of(
    done: Completed, command: str, nonce: str, report: junit_files.JUnitReport | None = None
) -> tuple[Result, list[str]]:
    """How a run of tests ended, and the record of the witness that signed with a number.

    Tests are counted by the witness, if it saw any; else by the JUnit files; else by the summary of their runner.
    """
    said, stderr = witness.split_words(done.stderr, nonce)
    counted = witness.counts(said) or (report.counts if report else None)
    result = classify(replace(done, stderr=stderr), command, counted=counted)
    tests, failing = witness.tests(said), witness.failing(said)
    if report is not None and report.counts is not None:
        tests, failing = report.passed if tests is None else tests, failing or report.failed
    damage = report.damage if report else ""
    log = f"{result.log}\n[ghosttape: damaged JUnit file {damage}]" if damage else result.log
    first_failed = witness.first_failed(said)
    return replace(result, tests=tests, first_failed=first_failed, failing=failing, damage=damage, log=log), said


def _note(folder: Path, only: frozenset[str]) -> None:
    folder.mkdir()
    note_tests(folder, only)


def only_variables(*, first: bool) -> dict[str, str]:
    """The variables by which the witnesses know that only some tests run, and whether the first failure is enough."""
    return {"GHOSTTAPE_ONLY": f"{ONLY}/{ONLY_FILE}", **({"GHOSTTAPE_FIRST": "1"} if first else {})}


def note_tests(folder: Path, only: frozenset[str]) -> None:
    """Write down, in a folder that is shown at `ONLY`, which tests are to run."""
    (folder / ONLY_FILE).write_bytes(msgspec.json.encode(sorted(only)))


async def prepare(
    files: Mapping[str, str],
    plan: ProjectPlan,
    sandbox: Sandbox,
    cache: Path,
    progress: Callable[[str], None],
    *,
    others: OtherFiles = NOTHING,
) -> Project:
    """Install the plan's requirements (or find them in the cache), write the files (path → text, and the `others`), and run the set-up once.

    Raises `ToolchainMissing`, `RequirementRefused`, `PathRefused`, `SetupFailed`, `SandboxFailed`.
    """
    layer = await toolchain(plan.toolchain).layer(plan.requires, cache, progress)
    workspace = await in_thread(temporary_folder)
    try:
        base = workspace.folder / "base"
        base.mkdir()
        await in_thread(write_all, base, files)
        await in_thread(write_others, base, others)
        if plan.toolchain in _OF_NODE:
            await in_thread(_own_packages, base / plan.cwd)
        if plan.setup:
            progress(f"setup: {plan.setup}")
            await _set_up(plan, sandbox, layer, base)
    except BaseException:  # a cancellation too: the folder goes, and the error goes on
        workspace.close()
        raise
    witness_options = witness.options(plan.toolchain, plan.command, files, sandbox)
    return Project(plan, sandbox, layer, workspace, witness_options, others.executable)


def _own_packages(folder: Path) -> None:
    """Give a project of node a folder of packages beside the read-only one of all: programs such as vite write into the nearest. What the project itself has of that name stays."""
    place = folder / "node_modules"
    nearest = next(each for each in (place, *place.parents) if os.path.lexists(each))
    if nearest != place and nearest.is_dir():
        place.mkdir(parents=True)


async def _set_up(plan: ProjectPlan, sandbox: Sandbox, layer: Layer, base: Path) -> None:
    limits = replace(plan.limits, wall_s=SETUP_S)
    env = {**plan.setup_env, **layer.env}
    job = Job(base, plan.setup, plan.cwd, env, layer.mounts, limits, network=plan.network)
    done = await with_one_retry(lambda: sandbox.run(job))
    if done.exit != 0 or done.limit:
        walled = not plan.network and sandbox.name != "none"
        raise SetupFailed(_setup_failure(plan.setup, done, _HINT if walled and _misses_network(done) else ""))


def _setup_failure(setup: str, done: Completed, hint: str) -> str:
    return f"the project's setup {setup!r} ended with {ending(done)}{hint}: {tail(done.stdout + done.stderr, 2000) or 'it said nothing'}"


def _misses_network(done: Completed) -> bool:
    return _MISSES_NETWORK.search(done.stdout + done.stderr) is not None


async def with_one_retry(run: Callable[[], Awaitable[_T]]) -> _T:
    """Run the set-up; after a failure of the machine, run it once more in a fresh folder, because the first try may have changed files.

    A name that the file system refuses raises at once. Raises `NoProcesses` if no process can be started twice in a row.
    """
    try:
        return await run()
    except (SandboxFailed, NoProcesses, OSError) as error:
        if is_file_name_error(error):
            raise
        return await run()


def is_file_name_error(error: BaseException) -> bool:
    """Return whether a file's name caused the error: another try would fail in the same way."""
    return isinstance(error, OSError) and error.errno in _OF_A_NAME
