"""Report on standard error, signed with this run's number, which tests passed and failed: a plugin of pytest, and a hook in unittest.

Runs inside the sandbox, in whatever Python a project is tested with: nothing but the standard library. It lies in the
layer's environment: a `.pth` file imports it at the start of each interpreter, and pytest finds it as an entry point.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64encode
from zlib import compress

TYPE_CHECKING = False  # typing itself takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

_NONCE = os.environ.get("GHOSTTAPE_WITNESS", "")
_ERRORS = os.dup(2) if _NONCE else -1
_PROCESS = os.getpid()


class _Tests:
    """The tests of one runner, by name.

    A test passed if a part of it passed, and no part failed or made something else of it. Its parts are its phases (set-up, call, tear-down) and its subtests.
    """

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.otherwise: set[str] = set()
        """Skipped as a whole, or expected to fail."""

    def say(self, runner: str) -> None:
        """Report the counts, and the names packed: those of 60,000 tests would take more than the output that a run may write."""
        passed = self.passed - self.failed - self.otherwise
        _say(f"counts {len(passed)} {len(self.failed)} {runner}")
        for word, names in (("tests", passed), ("failing", self.failed)):
            _say(f"{word} {b64encode(compress(json.dumps(sorted(names)).encode())).decode()}")


class _Runner:
    """The test runner that reports in this process. One that a test starts itself reports nothing: its failures are that test's matter."""

    current: object = None

    @classmethod
    def begin(cls, runner: object) -> bool:
        """Make this one the runner that reports, if there is none. Processes that its tests start then know no number to sign with."""
        if cls.current is None and _NONCE:
            cls.current = runner
            os.environ.pop("GHOSTTAPE_WITNESS", None)
        return cls.current is runner

    @classmethod
    def end(cls, runner: object) -> bool:
        """Let the next one report, if this one did; return whether it did."""
        did = cls.current is runner
        if did:
            cls.current = None
        return did


def _say(words: str) -> None:
    if not _NONCE or os.getpid() != _PROCESS:
        return
    line = f"\n{_NONCE} {words}\n".encode()
    while line:
        line = line[os.write(_ERRORS, line) :]


# What pytest calls.


def pytest_load_initial_conftests(early_config: Any) -> None:
    """Choose among the tests, or find out what they touch, where that is asked for: of this run, not of those it starts."""
    only, library = os.environ.pop("GHOSTTAPE_ONLY", ""), os.environ.pop("GHOSTTAPE_COVERAGE", "")
    root, calls = os.environ.pop("GHOSTTAPE_ROOT", ""), os.environ.pop("GHOSTTAPE_CALLS", "")
    if not _NONCE or not (only or library or calls):
        return
    from runpy import run_path

    if calls:
        called = run_path(f"{os.environ['GHOSTTAPE']}/calling.py")["plugin"](root, _say)
        early_config.pluginmanager.register(called, "ghosttape_calling")
        return

    chosen = run_path(f"{os.environ['GHOSTTAPE']}/selecting.py")["plugin"](only, library, root, _say)
    if chosen is not None:
        early_config.pluginmanager.register(chosen, "ghosttape_selecting")


def pytest_configure(config: Any) -> None:
    """Take note of this session's tests, unless a test has started it. No share of covered lines may fail the run: it says nothing of a test."""
    if not _NONCE:
        return
    measuring = config.pluginmanager.getplugin("_cov")
    if measuring is not None:
        measuring.options.cov_fail_under = 0
    if not hasattr(config, "workerinput") and _Runner.begin(
        config
    ):  # workers of pytest-xdist leave it to the process that leads them
        config.pluginmanager.register(_Session(config), "ghosttape_session")


class _Session:
    """Takes note of the tests of one session of pytest."""

    def __init__(self, config: Any) -> None:
        self.config, self.tests = config, _Tests()

    def pytest_collectreport(self, report: Any) -> None:
        """Take note of a file that cannot be collected."""
        if report.failed:
            self.tests.failed.add(report.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take note of a test's phase, or of a subtest, which has a context and the name of its test."""
        if report.failed:
            self.tests.failed.add(report.nodeid)
        elif report.when == "call" and report.passed and not hasattr(report, "context"):
            self.tests.passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Report when all tests have run."""
        if _Runner.end(self.config):
            self.tests.say("pytest")


# unittest has no plugins: its TestResult, the base of all others, is made to take note.


def _watch(result_class: Any) -> None:
    def noting(name: str, note: Callable[..., object]) -> None:
        original = getattr(result_class, name)

        def method(self: Any, *arguments: Any) -> Any:
            note(self, self.__dict__.setdefault("_ghosttape_tests", _Tests()), *arguments)
            return original(self, *arguments)

        setattr(result_class, name, method)

    def add_skip(_: object, tests: _Tests, test: Any, __: object) -> None:
        if type(test).__name__ != "_SubTest":  # a subtest that is skipped leaves its test what it is
            tests.otherwise.add(test.id())

    def add_subtest(_: object, tests: _Tests, test: Any, __: object, error: object) -> None:
        (tests.failed if error else tests.passed).add(test.id())

    noting("startTestRun", lambda result, _: _Runner.begin(result))
    noting("addSuccess", lambda _, tests, test: tests.passed.add(test.id()))
    noting("addError", lambda _, tests, test, __: tests.failed.add(test.id()))
    noting("addFailure", lambda _, tests, test, __: tests.failed.add(test.id()))
    noting("addUnexpectedSuccess", lambda _, tests, test: tests.failed.add(test.id()))
    noting("addExpectedFailure", lambda _, tests, test, __: tests.otherwise.add(test.id()))
    noting("addSkip", add_skip)
    noting("addSubTest", add_subtest)
    noting("stopTestRun", lambda result, tests: _Runner.end(result) and tests.say("unittest"))


class _Finder:
    """Waits for `unittest.result` to be imported."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "unittest.result":
            return None
        sys.meta_path.remove(_Finder)
        from importlib.util import find_spec

        spec = find_spec(name)
        loader: Any = spec.loader if spec else None
        if loader is not None:
            run = loader.exec_module

            def exec_module(module: Any) -> None:
                run(module)
                _watch(module.TestResult)

            loader.exec_module = exec_module
        return spec


if _NONCE:
    sys.meta_path.insert(0, _Finder)
