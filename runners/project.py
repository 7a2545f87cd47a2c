"""A project laid out once, and its tests run many times, each time in a fresh copy."""

from __future__ import annotations

import asyncio
import errno
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec

from runners import reports, witness
from runners.errors import SandboxFailed, SetupFailed
from runners.files import copy_tree, remove_tree, write_all
from runners.protocol import PROJECT, Completed, Job, Limits, Mount, Sandbox
from runners.toolchains import Layer, toolchain
from runners.verdicts import Result, classify, ending, infrastructure, tail
from runners.workspace import Workspace, create

SETUP_S = 600.0
ALLOW_NETWORK = "--allow-network-setup"
"""How the user allows a set-up the network."""

_MISSES_NETWORK = re.compile(
    "name resolution|Name or service not known|(?:could not|couldn't|cannot|unable to) (?:resolve|connect to)|failed to resolve"
    "|getaddrinfo|nodename nor servname|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|UnknownHost|Unknown host|NoRouteToHost"
    r"|connection refused|\(from versions: none\)|network is unreachable|failed to establish a new connection|no such host|dial tcp",
    re.IGNORECASE,
)
"""What package clients, and the libraries under them, say where there is no network."""
_HINT = f" (it seems to want the network, which it does not have: if you trust it, allow it that with {ALLOW_NETWORK})"

_CUT_SHORT = {"wall", "cpu", "output", "disk"}
"""The limits at which a run is stopped: what it has counted so far does not count, and may be too much to be looked at."""

_OF_A_NAME = frozenset({errno.ENAMETOOLONG, errno.EILSEQ})
"""Too long for this file system, or in letters that it does not take."""

_T = TypeVar("_T")
ONLY = "/ghosttape-only"
"""Where a run finds the names of its tests: not on a command line, as they may say anything."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a project is tested: what must be installed, what is run once, and what is run each time (in `cwd`).

    With `network` the set-up has the machine's network, as the user allowed it, and with `setup_env` more variables; the
    tests never have either.
    """

    toolchain: str
    requires: tuple[str, ...] = ()
    setup: str = ""
    command: str = ""
    cwd: str = "."
    timeout_s: float = 30.0
    limits: Limits = field(default_factory=Limits)
    network: bool = False
    setup_env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Project:
    """A project ready to be tested; runs are independent, and may go on at the same time."""

    plan: Plan
    sandbox: Sandbox
    layer: Layer
    workspace: Workspace
    witnesses: Mapping[str, str] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)

    async def run(self, changed: Mapping[str, str], only: frozenset[str] | None = None) -> Result:
        """Run the tests, or only those of these names, in a copy of the project with these files changed.

        Names are what the witness of their runner calls them; runners without one run all. What the machine is to blame for comes back as
        "infrastructure", after one more try in a fresh copy. Raises `PathRefused` if a changed file
        would lie outside the project.
        """
        if only is None:
            return (await self.heard(changed))[0]
        folder = self.workspace.folder / f"only-{next(self._numbers)}"
        try:
            await asyncio.to_thread(_note, folder, only)
            return (await self.heard(changed, {"GHOSTTAPE_ONLY": f"{ONLY}/tests.json"}, Mount(folder, ONLY)))[0]
        except OSError as error:
            return infrastructure(f"{type(error).__name__}: {error}")
        finally:
            await asyncio.to_thread(remove_tree, folder)

    async def heard(
        self, changed: Mapping[str, str], env: Mapping[str, str] = MappingProxyType({}), *mounts: Mount
    ) -> tuple[Result, list[str]]:
        """Run the tests with more variables and folders than usual; give what the witness said as well."""
        try:
            return await once_more(lambda: self._in_a_copy(changed, env, mounts))
        except (SandboxFailed, OSError) as error:
            return infrastructure(f"{type(error).__name__}: {error}"), []

    async def _in_a_copy(
        self, changed: Mapping[str, str], env: Mapping[str, str], mounts: tuple[Mount, ...]
    ) -> tuple[Result, list[str]]:
        copy = self.workspace.folder / f"copy-{next(self._numbers)}"
        try:
            await asyncio.to_thread(self._lay_out, copy, changed)
            return await self._test(copy, env, mounts)
        finally:
            await asyncio.to_thread(remove_tree, copy)

    def _lay_out(self, copy: Path, changed: Mapping[str, str]) -> None:
        copy_tree(self.workspace.folder / "base", copy)
        write_all(copy, changed)
        reports.clear(copy / self.plan.cwd, reports.places(self.plan.command))

    async def _test(self, copy: Path, more: Mapping[str, str], mounts: tuple[Mount, ...]) -> tuple[Result, list[str]]:
        plan, layer, nonce = self.plan, self.layer, witness.fresh()
        root = {"GHOSTTAPE_ROOT": str(copy) if self.sandbox.name == "none" else PROJECT} if more else {}
        env = {**layer.env, **self.witnesses, **witness.environment(nonce), **root, **more}
        limits = replace(plan.limits, wall_s=plan.timeout_s)
        job = Job(copy, plan.command, plan.cwd, env, (*layer.mounts, witness.MOUNT, *mounts), limits)
        done = await self.sandbox.run(job)
        said, stderr = witness.heard(done.stderr, nonce)
        report = await asyncio.to_thread(self._report, copy) if done.limit not in _CUT_SHORT else None
        result = classify(replace(done, stderr=stderr), plan.command, report=report)
        named = witness.tests(said)
        return replace(result, tests=named if named is not None or report is None else report.passed), said

    def _report(self, copy: Path) -> reports.Report | None:
        return reports.read(copy / self.plan.cwd, reports.places(self.plan.command), copy)

    def close(self) -> None:
        """Remove the project from the disk."""
        self.workspace.close()


def _note(folder: Path, only: frozenset[str]) -> None:
    folder.mkdir()
    (folder / "tests.json").write_bytes(msgspec.json.encode(sorted(only)))


async def prepare(
    files: Mapping[str, str], plan: Plan, sandbox: Sandbox, cache: Path, progress: Callable[[str], None]
) -> Project:
    """Install what the plan requires (or find it in the cache), lay out the files, and run the setup once.

    Raises `ToolchainMissing`, `RequirementRefused`, `PathRefused`, `SetupFailed`, `SandboxFailed`.
    """
    layer = await toolchain(plan.toolchain).layer(plan.requires, cache, progress)
    workspace = await asyncio.to_thread(create)
    try:
        base = workspace.folder / "base"
        base.mkdir()
        await asyncio.to_thread(write_all, base, files)
        if plan.setup:
            progress(f"setup: {plan.setup}")
            await _set_up(plan, sandbox, layer, base)
    except BaseException:
        workspace.close()
        raise
    told = witness.options(plan.toolchain, plan.command, files, sandbox)
    return Project(plan, sandbox, layer, workspace, told)


async def _set_up(plan: Plan, sandbox: Sandbox, layer: Layer, base: Path) -> None:
    limits = replace(plan.limits, wall_s=SETUP_S)
    env = {**plan.setup_env, **layer.env}
    job = Job(base, plan.setup, plan.cwd, env, layer.mounts, limits, network=plan.network)
    done = await once_more(lambda: sandbox.run(job))
    if done.exit != 0 or done.limit:
        walled = not plan.network and sandbox.name != "none"
        raise SetupFailed(_told(plan.setup, done, _HINT if walled and _misses_network(done) else ""))


def _told(setup: str, done: Completed, hint: str) -> str:
    return f"the project's setup {setup!r} ended with {ending(done)}{hint}: {tail(done.stdout + done.stderr, 2000) or 'it said nothing'}"


def _misses_network(done: Completed) -> bool:
    return _MISSES_NETWORK.search(done.stdout + done.stderr) is not None


async def once_more(run: Callable[[], Awaitable[_T]]) -> _T:
    """Run, and once more from the beginning if the machine did not let it: a folder in which it was cut off is not what it was.

    What is wrong with a name is so again.
    """
    try:
        return await run()
    except (SandboxFailed, OSError) as error:
        if is_of_a_name(error):
            raise
        return await run()


def is_of_a_name(error: BaseException) -> bool:
    """Tell whether what a file was to be called is to blame for an error: another try would end in the same."""
    return isinstance(error, OSError) and error.errno in _OF_A_NAME
