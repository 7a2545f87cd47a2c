"""Coverage of pytest's tests, one by one: coverage.py with a context for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from runners.coverage.line_coverage import Coverage, unpacked
from runners.errors import RunnerError
from runners.project import Project
from runners.protocol import Mount
from runners.toolchains import toolchain
from runners.verdicts import Result

REQUIRED = "coverage>=7.6"
FOLDER = "/ghosttape-coverage"


class _Touched(msgspec.Struct, frozen=True):
    """What `witness/selecting.py` found out; tests are known by their number, an empty set of them means all."""

    tests: list[str]
    unseen: list[int]
    sets: list[list[int]]
    files: dict[str, dict[int, int]]


async def record_coverage(
    project: Project, cache: Path, notify: Callable[[str], None]
) -> tuple[Result, Coverage | None]:
    """Test a finished project with coverage.py beside it; without, where that cannot be.

    coverage.py comes from a layer of its own, as it is not for the project to import: it is there in this run only.
    """
    library = await _library(project.plan.toolchain, cache, notify)
    if library is None:
        return await project.run({}), None
    result, said = await project.run_witnessed({}, {"GHOSTTAPE_COVERAGE": FOLDER}, library)
    coverage = read(said)
    if result.verdict_class != "passed":
        result, coverage = await project.run({}), None
    if coverage is None:
        notify("no coverage here (these tests are not pytest's, or hide what they do): every graft runs all tests")
    return result, coverage


async def _library(name: str, cache: Path, notify: Callable[[str], None]) -> Mount | None:
    try:
        layer = await toolchain(name).layer([REQUIRED], cache, notify)
    except RunnerError as error:
        notify(f"no coverage here, every graft runs all tests: {error}")
        return None
    packages = next(layer.mounts[0].source.glob("lib/python*/site-packages"))
    return Mount(packages, FOLDER)


def read(said: list[str]) -> Coverage | None:
    """Return what our plugin said it found out; None if it said nothing, or what it would not say."""
    text = unpacked(said)
    try:
        return None if text is None else _coverage(msgspec.json.decode(text, type=_Touched))
    except (msgspec.DecodeError, IndexError):
        return None


def _coverage(touched: _Touched) -> Coverage | None:
    """Return what the witness found; None if it says nothing of any test."""
    unseen = frozenset(touched.tests[number] for number in touched.unseen)
    if unseen.issuperset(touched.tests):
        return None
    sets = [frozenset(touched.tests[number] for number in numbers) or None for numbers in touched.sets]
    files = {path: {line: sets[number] for line, number in own.items()} for path, own in touched.files.items()}
    return Coverage(files, unseen)
