"""Which tests execute which lines, and how long they take: recorded once, by pytest with this plugin, and asked for each mutant.

`pytest -p tools.mutants.tests_of_lines` writes into the folder that MUTANTS_FOLDER names: `lines*` (data of coverage.py, whose contexts
are tests) and `tests.jsonl` (one `RecordedTest` a line).
"""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import msgspec
import pytest

from tools.mutants.mutations import ROOMS, Mutant

ROOT = Path(__file__).parents[2]
LINES = "lines"
TESTS = "tests.jsonl"


class RecordedTest(msgspec.Struct, frozen=True):
    """A test as it ran without a mutant."""

    name: str
    """Its node id."""
    seconds: float
    """Of its setup, call and teardown, by the clock."""
    passed: bool


class LineRecorder:
    """The plugin: coverage of the rooms with a context for each test, and the durations of tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._passed: set[str] = set()
        include = [str(ROOT / room / "*") for room in ROOMS]
        self._coverage = coverage.Coverage(
            data_file=str(folder / LINES), data_suffix=True, config_file=False, include=include
        )
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Ascribe all lines from a test's setup to its teardown to it."""
        self._coverage.switch_context(item.nodeid)
        found = yield
        self._coverage.switch_context("")
        return found

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up durations, and remember outcomes."""
        self._seconds[report.nodeid] += report.duration
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.passed and report.when == "call":
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the lines of this process, and the tests where it is no worker."""
        self._coverage.stop()
        self._coverage.save()
        if "PYTEST_XDIST_WORKER" not in os.environ:
            tests = [RecordedTest(name, took, self._has_passed(name)) for name, took in self._seconds.items()]
            (self._folder / TESTS).write_bytes(msgspec.json.Encoder().encode_lines(tests))

    def _has_passed(self, name: str) -> bool:
        return name in self._passed and name not in self._failed


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder, in the process that controls the workers too."""
    config.pluginmanager.register(LineRecorder(Path(os.environ["MUTANTS_FOLDER"])))


class TestsOfLines:
    """The recorded tests, and those that can notice a mutant."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        recorded = msgspec.json.decode(
            b"[" + b",".join((folder / TESTS).read_bytes().splitlines()) + b"]", type=list[RecordedTest]
        )
        self.seconds = {test.name: test.seconds for test in recorded if test.passed}
        self._lines: dict[str, dict[int, list[str]]] = {}
        data = coverage.CoverageData(basename=str(folder / "combined"), no_disk=True)
        for part in sorted(folder.glob(f"{LINES}.*")):
            data.update(_read(part))
        for path in data.measured_files():
            self._lines[Path(path).relative_to(ROOT).as_posix()] = data.contexts_by_lineno(path)
        self._importers = _importers(list(self._lines))

    def noticing(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute the statement of a mutant, fastest first.

        A fault that acts when its module is imported may be noticed by all tests that execute any line of that module, or of
        one in the rooms that imports it.
        """
        if mutant.at_import:
            files = [mutant.file, *self._importers.get(mutant.file, [])]
            found = {test for file in files for tests in self._lines.get(file, {}).values() for test in tests}
        else:
            lines = self._lines.get(mutant.file, {})
            found = {test for line in range(mutant.lines[0], mutant.lines[1] + 1) for test in lines.get(line, [])}
        return sorted(found & self.seconds.keys(), key=lambda test: (self.seconds[test], test))


def _read(part: Path) -> coverage.CoverageData:
    data = coverage.CoverageData(basename=str(part))
    data.read()
    return data


def _importers(files: list[str]) -> dict[str, list[str]]:
    """Return for each file the files among these that import from it."""
    found = defaultdict(list)
    by_module = {file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in files}
    for file in files:
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
                for name in names:
                    if name in by_module:
                        found[by_module[name]].append(file)
    return found
