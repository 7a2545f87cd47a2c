"""Which tests touch which lines, found out with coverage.py; and only some of the tests run: two plugins of pytest.

Runs inside the sandbox; `ghosttape_witness.py` loads it where one of the two is asked for.
"""

from __future__ import annotations

import base64
import inspect
import json
import os
import sys
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import pytest

_LARGEST = 1 << 20
_PROCESSES = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "pty.spawn")
_ALL = ""


def plugin(only: str, library: str, root: str, say: Callable[[str], None]) -> object | None:
    """Return what pytest is to call; None if nothing can be found out here.

    `only` names a file with the tests to run, `library` the folder of coverage.py, `root` the project's folder.
    """
    if only:
        with open(only, encoding="utf-8") as file:  # noqa: PTH123 - as in the other witnesses
            return Only(frozenset(json.load(file)), say)
    inside = root + os.sep
    if any((getattr(module, "__file__", None) or "").startswith(inside) for module in list(sys.modules.values())):
        return None  # what ran while it was imported has gone unseen
    return CoverageRecorder(library, inside, say)


class Only:
    """Leaves all tests out but some, and ends with the first that fails where that is asked for."""

    def __init__(self, names: frozenset[str], say: Callable[[str], None]) -> None:
        self.names, self.say = names, say
        self.is_first_enough = bool(os.environ.pop("GHOSTTAPE_FIRST", ""))
        self.session: pytest.Session | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End with a failure, as `pytest --exitfirst` does, and say whose it is."""
        if self.is_first_enough and report.failed and self.session is not None:
            self.say(f"failed {base64.b64encode(zlib.compress(report.nodeid.encode())).decode()}")
            self.session.shouldfail = "stopping after 1 failures"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Choose when all other plugins have chosen."""
        self.session = session
        left_out = [item for item in items if item.nodeid not in self.names]
        items[:] = [item for item in items if item.nodeid in self.names]
        config.hook.pytest_deselected(items=left_out)


class CoverageRecorder:
    """Runs coverage.py with a context for each test, and none while files are imported and tests collected.

    What fixtures of more than one test do, and all that happens after a test, is laid to the charge of none as well: it counts
    as touched by all of them.
    """

    def __init__(self, library: str, inside: str, say: Callable[[str], None]) -> None:
        self.inside, self.say = inside, say
        self.tests: list[str] = []
        self.test = _ALL
        self.unseen: set[str] = set()
        sys.path.insert(0, library)
        import coverage

        sys.path.remove(library)
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[f"{inside}*"])
        self.coverage.set_option("run:core", "ctrace")
        self.coverage.start()
        self.tracer = sys.gettrace()
        sys.addaudithook(self._watch)

    def _watch(self, event: str, _: object) -> None:
        """Record the tests that start processes, because coverage does not see what these do."""
        if event in _PROCESSES:
            self.unseen.add(self.test)

    @contextmanager
    def _as(self, test: str) -> Iterator[None]:
        """Record the executed lines for a test."""
        before = self.test
        self._switch(test)
        try:
            yield
        finally:
            self._switch(before)

    def _switch(self, test: str) -> None:
        if sys.gettrace() is not self.tracer:  # a debugger, or another coverage, is in its place
            self.unseen.add(self.test)
        self.test = test
        self.coverage.switch_context(test)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Begin with a test, and end with it."""
        self.tests.append(item.nodeid)
        with self._as(str(len(self.tests) - 1)):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Iterator[None]:
        """Leave the test, as others' fixtures may end with it."""
        with self._as(_ALL):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Leave the test where the fixture is not for it alone."""
        with self._as(self.test if fixturedef.scope == "function" else _ALL):
            yield

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Report the recorded coverage, unless it is too large."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.coverage.stop()
            found = self._found()
        packed = base64.b64encode(zlib.compress(json.dumps(found).encode())).decode()
        if _ALL not in self.unseen and len(packed) <= _LARGEST:
            self.say(f"touched {packed}")

    def _found(self) -> dict[str, Any]:
        """Return the tests, and for each line of each file the number of its set of tests; an empty set means all."""
        sets: dict[tuple[int, ...], int] = defaultdict(lambda: len(sets))
        data, files, seen = self.coverage.get_data(), {}, set[str]()
        for path in data.measured_files():
            own = data.contexts_by_lineno(path)
            seen.update(test for tests in own.values() for test in tests)
            outside = _outside_of_functions(path)
            touched = {
                line: () if _ALL in tests or line in outside else tuple(sorted(map(int, tests)))
                for line, tests in own.items()
            }
            files[path.removeprefix(self.inside)] = {line: sets[tests] for line, tests in touched.items()}
        unseen = [number for number in range(len(self.tests)) if str(number) in self.unseen or str(number) not in seen]
        return {"tests": self.tests, "unseen": unseen, "sets": list(sets), "files": files}


def _outside_of_functions(path: str) -> set[int]:
    """Return the lines that are executed once, when a file is imported, whichever test that happens in."""
    with open(path, "rb") as file:  # noqa: PTH123
        todo = [compile(file.read(), path, "exec", dont_inherit=True)]
    lines = set[int]()
    for code in todo:
        lines.update(line for _, _, line in code.co_lines() if line)
        todo += [one for one in code.co_consts if isinstance(one, CodeType) and not one.co_flags & inspect.CO_OPTIMIZED]
    return lines
