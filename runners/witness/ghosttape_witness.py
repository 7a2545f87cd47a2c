"""Say on standard error, signed with this run's number, which tests passed: a plugin of pytest, and a hook in unittest.

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
    """The names of the tests that passed, and of those of which a part did not."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()

    def say(self) -> None:
        """Say them packed: names of 60,000 tests would take more than the output that a run may write."""
        for word, names in (("tests", self.passed - self.failed), ("failing", self.failed)):
            _say(f"{word} {b64encode(compress(json.dumps(sorted(names)).encode())).decode()}")


def _say(words: str) -> None:
    if not _NONCE or os.getpid() != _PROCESS:
        return
    line = f"\n{_NONCE} {words}\n".encode()
    while line:
        line = line[os.write(_ERRORS, line) :]


# What pytest calls.

_tests = _Tests()


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
    """Let no share of covered lines fail a run: it says nothing of a test, and is another one where some of the tests run."""
    measuring = config.pluginmanager.getplugin("_cov") if _NONCE else None
    if measuring is not None:
        measuring.options.cov_fail_under = 0


def pytest_runtest_logreport(report: Any) -> None:
    """Take note of a test's phase: set-up, call or tear-down."""
    if report.failed:
        _tests.failed.add(report.nodeid)
    elif report.when == "call" and report.passed:
        _tests.passed.add(report.nodeid)


def pytest_sessionfinish(session: Any) -> None:
    """Speak when all tests have run; the workers of pytest-xdist leave that to the process that leads them."""
    if not hasattr(session.config, "workerinput"):
        _tests.say()


# unittest has no plugins: its TestResult, the base of all others, is made to take note.


def _watch(result_class: Any) -> None:
    def noting(name: str, note: Callable[..., object]) -> None:
        original = getattr(result_class, name)

        def method(self: Any, *arguments: Any) -> Any:
            note(self.__dict__.setdefault("_ghosttape_tests", _Tests()), *arguments)
            return original(self, *arguments)

        setattr(result_class, name, method)

    noting("addSuccess", lambda tests, test: tests.passed.add(test.id()))
    noting("addError", lambda tests, test, error: tests.failed.add(test.id()))
    noting("addFailure", lambda tests, test, error: tests.failed.add(test.id()))
    noting("addUnexpectedSuccess", lambda tests, test: tests.failed.add(test.id()))
    noting("addSubTest", lambda tests, test, part, error: error and tests.failed.add(test.id()))
    noting("stopTestRun", lambda tests: tests.say())


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
