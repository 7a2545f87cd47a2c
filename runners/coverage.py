"""Which of a project's tests touch which of its lines: for pytest, as coverage.py finds it out in one run of all tests.

Other toolchains and runners have no coverage here: all of their tests run each time.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from runners.errors import RunnerError
from runners.project import Project
from runners.protocol import Mount
from runners.toolchains import toolchain
from runners.verdicts import Result

REQUIRED = "coverage>=7.6"
FOLDER = "/ghosttape-coverage"
_LARGEST = 64 << 20


class _Told(msgspec.Struct, frozen=True):
    """What `witness/selecting.py` found out; tests are told by number, an empty set of them means all."""

    tests: list[str]
    unseen: list[int]
    sets: list[list[int]]
    files: dict[str, dict[int, int]]


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each file (path from the project's root) and line the tests that execute it; None: whatever all of them need.

    `unseen` are tests of which it is not known what they touch, as they start processes, or trace themselves.
    """

    lines: Mapping[str, Mapping[int, frozenset[str] | None]]
    unseen: frozenset[str] = frozenset()

    def touching(self, path: str, first: int, last: int) -> frozenset[str] | None:
        """Return the tests that may notice a change in these lines (from 1, both included); None: any of them may.

        That is so where a line is executed when files are imported or tests collected, and where no test is known to
        execute any.
        """
        own = self.lines.get(path, {})
        touched = [own[line] for line in range(first, last + 1) if line in own]
        names = [tests for tests in touched if tests is not None]
        if not touched or len(names) < len(touched):
            return None
        return self.unseen.union(*names)


async def recorded(project: Project, cache: Path, told: Callable[[str], None]) -> tuple[Result, Coverage | None]:
    """Test a finished project and find out which lines its tests touch; say so where that cannot be had here.

    coverage.py comes from a layer of its own, as it is not for the project to import: it is there in this run only. Where
    the tests do not pass beside it, they run once more without.
    """
    library = await _library(project, cache, told)
    if library is None:
        return await project.run({}), None
    result, said = await project.heard({}, {"GHOSTTAPE_COVERAGE": FOLDER}, library)
    coverage = _read(said)
    if result.klass != "passed":
        result, coverage = await project.run({}), None
    if coverage is None:
        told("no coverage here (these tests are not pytest's, or hide what they do): every graft runs all tests")
    return result, coverage


async def _library(project: Project, cache: Path, told: Callable[[str], None]) -> Mount | None:
    if project.plan.toolchain != "python":
        told(f"no coverage here (toolchain {project.plan.toolchain}): every graft runs all tests")
        return None
    try:
        layer = await toolchain("python").layer([REQUIRED], cache, told)
    except RunnerError as error:
        told(f"no coverage here, every graft runs all tests: {error}")
        return None
    packages = next(layer.mounts[0].source.glob("lib/python*/site-packages"))
    return Mount(packages, FOLDER)


def _read(said: list[str]) -> Coverage | None:
    packed = [word.removeprefix("touched ") for word in said if word.startswith("touched ")]
    if len(packed) != 1:
        return None
    try:
        text = zlib.decompressobj().decompress(base64.b64decode(packed[0], validate=True), _LARGEST)
        return _coverage(msgspec.json.decode(text, type=_Told))
    except (ValueError, IndexError, zlib.error):  # not what our plugin says: the project wrote into it
        return None


def _coverage(told: _Told) -> Coverage | None:
    """Return what was told; None if it says nothing of any test."""
    unseen = frozenset(told.tests[number] for number in told.unseen)
    if unseen.issuperset(told.tests):
        return None
    sets = [frozenset(told.tests[number] for number in numbers) or None for numbers in told.sets]
    files = {path: {line: sets[number] for line, number in own.items()} for path, own in told.files.items()}
    return Coverage(files, unseen)
