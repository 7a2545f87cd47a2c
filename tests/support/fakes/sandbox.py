"""A sandbox that runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runners.protocol import Completed, Job


@dataclass(frozen=True, slots=True)
class FakeSandbox:
    """A sandbox for tests: runs nothing, keeps the jobs it was given, and answers with what a function makes of each.

    The project's files lie in `job.project` while the function runs.
    """

    answer: Callable[[Job], Completed]
    name: str = "fake"
    jobs: list[Job] = field(default_factory=list)

    async def run(self, job: Job) -> Completed:
        """Keep the job and answer for it."""
        self.jobs.append(job)
        return self.answer(job)
