"""A session with the folders that the host fills for it, program by program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from runners.files import remove_content, remove_tree, write_all
from runners.limits.processes import in_thread
from runners.processes.open_sandbox import ReusableSandbox
from runners.protocol import Completed, Job, Limits, Mount
from runners.warm.supervised import SupervisedSandbox

BUILT = {"java": "/tmp/out", "cpp": "/built"}  # noqa: S108 - inside the sandbox
"""Where programs of a toolchain find what was built for them."""
_RUNS = 500


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One program to run: the project's files, the variables that it gets besides, its limits, and files for the folder of `BUILT`."""

    files: Mapping[str, str | bytes]
    variables: Mapping[str, str]
    limits: Limits
    built: Mapping[str, bytes] | None = None


@dataclass(slots=True)
class Worker:
    """Runs programs one after the other in one sandbox; `folder` has its project, and what the host built for it."""

    folder: Path
    session: SupervisedSandbox
    runs: int = 0

    @classmethod
    async def open(cls, sandbox: ReusableSandbox, job: Job, fill: Callable[[Path], None] = lambda _: None) -> Self:
        """Start a worker in the job's folder, which is new; `fill` puts into the project's folder what is there while it starts. Raises `SandboxFailed`."""
        project, built = job.project / "project", job.project / "built"
        for folder in (job.project, project, built):
            folder.mkdir()
        await in_thread(fill, project)
        mounts = tuple(Mount(built, mount.target) if mount.target in BUILT.values() else mount for mount in job.mounts)
        return cls(job.project, await SupervisedSandbox.open(sandbox, replace(job, project=project, mounts=mounts)))

    @property
    def fit(self) -> bool:
        """Say whether it can run another program."""
        return self.session.fit and self.runs < _RUNS

    async def run(self, order: RunRequest) -> Completed | None:
        """Run one program; None if a fresh sandbox should say how it ends."""
        self.runs += 1
        if os.listdir(self.session.project):  # noqa: PTH208 - the supervisor has emptied it after the program before
            self.session.fit = False
            return None
        write_all(self.session.project, order.files)
        self.session.open_sandbox.give(self.session.project)
        if order.built is not None:
            await in_thread(self._replace_built, order.built)
        return await self.session.run(order.variables, order.limits)

    def _replace_built(self, files: Mapping[str, bytes]) -> None:
        folder = self.folder / "built"
        _replace_all(folder, files)
        self.session.open_sandbox.give(folder)

    async def close(self) -> None:
        """End the sandbox and remove its folders."""
        await self.session.close()
        await in_thread(remove_tree, self.folder)


def _replace_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Let the folder hold just these files; it stays the same folder, as a sandbox shows it, and programs only read it."""
    remove_content(folder)
    write_all(folder, files)
