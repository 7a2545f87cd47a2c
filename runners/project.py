"""A project laid out once, and its tests run many times, each time in a fresh copy."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from runners.errors import SandboxFailed, SetupFailed
from runners.files import copy_tree, remove_tree, write_all
from runners.protocol import Completed, Job, Limits, Sandbox
from runners.toolchains import Layer, toolchain
from runners.verdicts import Result, classify, infrastructure, tail

SETUP_S = 600.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How a project is tested: what must be installed, what is run once, and what is run each time (in `cwd`)."""

    toolchain: str
    requires: tuple[str, ...] = ()
    setup: str = ""
    command: str = ""
    cwd: str = "."
    timeout_s: float = 30.0
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Project:
    """A project ready to be tested; runs are independent, and may go on at the same time."""

    plan: Plan
    sandbox: Sandbox
    layer: Layer
    folder: Path
    _numbers: count[int] = field(default_factory=count)

    async def run(self, changed: Mapping[str, str]) -> Result:
        """Run the tests in a copy of the project with these files changed. A sandbox that did not start is retried once.

        Raises `PathRefused` if a changed file would lie outside the project.
        """
        try:
            return await self._run_once(changed)
        except SandboxFailed:
            pass
        try:
            return await self._run_once(changed)
        except SandboxFailed as error:
            return infrastructure(str(error))

    async def _run_once(self, changed: Mapping[str, str]) -> Result:
        copy = self.folder / f"copy-{next(self._numbers)}"
        try:
            await asyncio.to_thread(_copy_changed, self.folder / "base", copy, changed)
            return classify(await self._complete(copy), self.plan.command)
        finally:
            await asyncio.to_thread(remove_tree, copy)

    async def _complete(self, copy: Path) -> Completed:
        limits = replace(self.plan.limits, wall_s=self.plan.timeout_s)
        return await self.sandbox.run(_job(self.plan, self.layer, copy, self.plan.command, limits))

    def close(self) -> None:
        """Remove the project from the disk."""
        remove_tree(self.folder)


async def prepare(
    files: Mapping[str, str], plan: Plan, sandbox: Sandbox, cache: Path, progress: Callable[[str], None]
) -> Project:
    """Install what the plan requires (or find it in the cache), lay out the files, and run the setup without network.

    Raises `ToolchainMissing`, `RequirementRefused`, `PathRefused`, `SetupFailed`, `SandboxFailed`.
    """
    layer = await toolchain(plan.toolchain).layer(plan.requires, cache, progress)
    folder = Path(tempfile.mkdtemp(prefix="ghosttape-project-"))
    try:
        (folder / "base").mkdir()
        write_all(folder / "base", files)
        if plan.setup:
            progress(f"setup: {plan.setup}")
            await _set_up(plan, sandbox, layer, folder / "base")
    except BaseException:
        remove_tree(folder)
        raise
    return Project(plan, sandbox, layer, folder)


async def _set_up(plan: Plan, sandbox: Sandbox, layer: Layer, base: Path) -> None:
    done = await sandbox.run(_job(plan, layer, base, plan.setup, replace(plan.limits, wall_s=SETUP_S)))
    if done.exit != 0 or done.limit:
        how = (
            done.limit and f"the {done.limit} limit" or f"status {done.exit}"
            if done.signal is None
            else f"signal {done.signal}"
        )
        raise SetupFailed(f"the setup {plan.setup!r} ended with {how}: {tail(done.stdout + done.stderr, 2000)}")


def _copy_changed(base: Path, copy: Path, changed: Mapping[str, str]) -> None:
    copy_tree(base, copy)
    write_all(copy, changed)


def _job(plan: Plan, layer: Layer, folder: Path, command: str, limits: Limits) -> Job:
    return Job(folder, command, plan.cwd, layer.env, layer.mounts, limits)
