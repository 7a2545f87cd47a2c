"""How a project is tested, according to its own files, in the words of a tape."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from replay.tapes.tape import Tests
from runners.environments import likeliest
from runners.project import ProjectPlan


def detect_tests(files: Mapping[str, str]) -> Tests | None:
    """The tests of a project with these files (path → text); None if the files do not show how it is tested. Nothing is run."""
    found = likeliest(files)
    return None if found is None else tests_of_plan(found.plan, found.plan.timeout_s)


def tests_of_plan(plan: ProjectPlan, timeout_s: float) -> Tests:
    """A plan in the words of a tape, with a time limit (s) for each run of the tests.

    Equal plans give equal bytes: msgspec leaves out only what *is* the default, and a folder that was read from a file merely equals it.
    """
    toolchain = "none" if plan.toolchain == "system" else plan.toolchain
    tests = Tests(toolchain, plan.command, plan.requires, plan.setup, timeout_s=timeout_s)
    return tests if plan.cwd == tests.cwd else msgspec.structs.replace(tests, cwd=plan.cwd)
