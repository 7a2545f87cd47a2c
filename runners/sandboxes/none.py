from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass

from runners.limits.processes import in_thread
from runners.processes import leftovers
from runners.processes.launch import launch_job
from runners.protocol import Completed, Job, Mount, environment


@dataclass(frozen=True, slots=True)
class NoSandbox:
    """No walls at all: the command runs as you, in the project's real folder, always with the network. Only for code that you trust."""

    name: str = "none"
    warning: str = "no sandbox: the code under test can read, change and send everything that you can"

    async def run(self, job: Job) -> Completed:
        """Run the job in the project's own folder, with mounts replaced by the folders they show."""
        _link_beside(job)
        mark = f"GHOSTTAPE_RUN={secrets.token_hex(8)}"
        variables = [mark, *(f"{name}={_real(value, job.mounts)}" for name, value in environment(job).items())]
        try:
            return await launch_job(job, lambda inner: ["env", "-i", *variables, *inner], str(job.project))
        finally:
            await in_thread(leftovers.kill_marked, mark)


def _link_beside(job: Job) -> None:
    """Link each mount beside the project, where it would be in a sandbox: `../node_modules` then means the same."""
    for mount in job.mounts:
        link = job.project.parent / mount.target.lstrip("/")
        if "/" not in mount.target.lstrip("/"):
            with suppress(FileExistsError):
                link.symlink_to(mount.source)


def _real(value: str, mounts: tuple[Mount, ...]) -> str:
    """Return a variable (a path, or several with colons) with each mount's target replaced by its source."""
    parts = value.split(":")
    for mount in mounts:
        parts = [
            str(mount.source) + part.removeprefix(mount.target) if f"{part}/".startswith(f"{mount.target}/") else part
            for part in parts
        ]
    return ":".join(parts)
