"""Which of a project's tests touch which of its lines, found out in one run of all tests.

Of pytest by coverage.py, of node's test runners by probes in the project's own functions. Other toolchains and runners have no
coverage here: all of their tests run each time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from runners.coverage import node, python
from runners.coverage.line_coverage import Coverage
from runners.project import Project
from runners.toolchains import language_of
from runners.verdicts import Result

__all__ = ["Coverage", "record_coverage"]


async def record_coverage(
    project: Project, cache: Path, notify: Callable[[str], None]
) -> tuple[Result, Coverage | None]:
    """Test a finished project and find out which lines its tests touch; say so where that cannot be had here.

    Where the tests do not pass while they are watched, they run once more as ever.
    """
    match language_of(project.plan.toolchain):
        case "python":
            return await python.record_coverage(project, cache, notify)
        case "node" | "typescript":
            return await node.record_coverage(project, notify)
        case other:
            notify(f"no coverage here (toolchain {other}): every graft runs all tests")
            return await project.run({}), None
