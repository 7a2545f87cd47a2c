"""Which functions of a project each test enters, and from which: a plugin of pytest.

Runs inside the sandbox; `ghosttape_witness.py` loads it where that is asked for. It asks `sys.monitoring` where Python has that (3.12), else `sys.settrace`.
"""

from __future__ import annotations

import base64
import inspect
import json
import os
import sys
import threading
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import pytest

_LARGEST = 8 << 20
_PROCESSES = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "pty.spawn")
_PARTS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_NONE = ""
_STOPPED = "\0"
_Function = tuple[str, int, str]
"""Path, first line (with decorators), name."""
_OUTSIDE = -1
"""Stands for a caller that is no function of the project."""


def plugin(root: str, say: Callable[[str], None]) -> object:
    """Return what pytest is to call; `root` is the project's folder."""
    return CallRecorder(root + os.sep, say)


class CallRecorder:
    """Notes each function of the project that is entered or resumed, with the nearest function of the project that called it, for the test that runs.

    What a fixture of more than one test enters is noted for that fixture, and so for each test that uses it. What is entered before and between tests belongs to none.
    """

    def __init__(self, inside: str, say: Callable[[str], None]) -> None:
        self.inside, self.say = inside, say
        self.context = _NONE
        self.entered: dict[str, set[tuple[_Function, _Function | None]]] = defaultdict(set)
        self.known: dict[int, tuple[CodeType, _Function | None]] = {}
        self.tests: dict[str, tuple[str, ...]] = {}
        self.unseen: set[str] = set()
        self.tracer = self._start()
        sys.addaudithook(self._watch)

    def _start(self) -> object:
        if sys.version_info >= (3, 12):
            _monitor(self._on_start)
            return None
        threading.settrace(self._on_event)
        sys.settrace(self._on_event)
        return sys.gettrace()

    def _stop(self) -> None:
        if sys.version_info >= (3, 12):
            _unmonitor()
        else:
            threading.settrace(None)
            sys.settrace(None)
        self.context = _STOPPED

    def _on_event(self, frame: FrameType, event: str, _: object) -> None:
        """Take a call (`sys.settrace`); no function is followed line by line."""
        if (entered := self._own(frame.f_code)) is not None:
            self._note(entered, frame)

    def _on_start(self, code: CodeType) -> bool:
        """Take a call (`sys.monitoring`); whether the function is the project's."""
        if (entered := self._own(code)) is not None:
            self._note(entered, sys._getframe(2))  # noqa: SLF001 - the only way to the caller
        return entered is not None

    def _note(self, entered: _Function, frame: FrameType) -> None:
        around, caller = frame.f_back, None
        while around is not None and (caller := self._own(around.f_code)) is None:
            around = around.f_back
        self.entered[self.context].add((entered, caller))

    def _own(self, code: CodeType) -> _Function | None:
        """Return the function of the project that code is; None for modules, bodies of classes, and comprehensions, which are parts of one.

        It is remembered by identity: functions of two files with the same text on the same line are equal as code.
        """
        known = self.known.get(id(code))
        if known is None:
            known = self.known[id(code)] = (code, self._function(code))  # kept, so that no other gets its identity
        return known[1]

    def _function(self, code: CodeType) -> _Function | None:
        name, file = code.co_name, code.co_filename
        is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and name not in _PARTS
        if not is_function or file.startswith("<"):  # of a frozen module, or of `exec`
            return None
        path = file if os.path.isabs(file) else os.path.join(self.inside, file)  # noqa: PTH117,PTH118
        if not path.startswith(self.inside):
            return None
        return path.removeprefix(self.inside), code.co_firstlineno, getattr(code, "co_qualname", name)

    def _watch(self, event: str, _: object) -> None:
        """Record the tests that start processes, because what these call is not seen."""
        if event in _PROCESSES and self.context != _STOPPED:
            self.unseen.add(self.context)

    @contextmanager
    def _as(self, context: str) -> Iterator[None]:
        before, self.context = self.context, context
        try:
            yield
        finally:
            if sys.version_info < (3, 12) and sys.gettrace() is not self.tracer:
                self.unseen.add(self.context)  # a debugger, or a coverage, has taken the place
                sys.settrace(self._on_event)
                self.tracer = sys.gettrace()
            self.context = before

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Begin with a test, and end with it."""
        found = getattr(item, "_fixtureinfo", None)
        wide = found.name2fixturedefs.values() if found is not None else ()
        self.tests[item.nodeid] = tuple(_named(each[-1]) for each in wide if each and each[-1].scope != "function")
        with self._as(item.nodeid):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Leave the test where the fixture is not for it alone."""
        with self._as(self.context if fixturedef.scope == "function" else _named(fixturedef)):
            yield

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Report what was called, unless it is too large."""
        self._stop()
        packed = base64.b64encode(zlib.compress(json.dumps(self._found()).encode())).decode()
        self.say(f"called {packed}" if len(packed) <= _LARGEST else "called")

    def _found(self) -> dict[str, Any]:
        """Return the functions, and for each test the number of its set of calls: pairs of the numbers of two functions, the entered one first."""
        functions: dict[_Function, int] = {}
        sets: dict[tuple[tuple[int, int], ...], int] = {}

        def number(function: _Function | None) -> int:
            return _OUTSIDE if function is None else functions.setdefault(function, len(functions))

        def calls(test: str, fixtures: tuple[str, ...]) -> int:
            found = set[tuple[_Function, _Function | None]]().union(*(self.entered[each] for each in (test, *fixtures)))
            numbered = tuple(sorted((number(entered), number(caller)) for entered, caller in found))
            return sets.setdefault(numbered, len(sets))

        tests = {test: calls(test, fixtures) for test, fixtures in self.tests.items()}
        unseen = [test for test, fixtures in self.tests.items() if not self.unseen.isdisjoint({test, *fixtures})]
        return {"tests": tests, "sets": list(sets), "functions": list(functions), "unseen": unseen}


def _named(fixture: Any) -> str:
    return f"\0{fixture.baseid}\0{fixture.argname}"


if sys.version_info >= (3, 12):
    _TOOL = 4

    def _monitor(started: Callable[[CodeType], bool]) -> None:
        """Call `started` with each function that begins, goes on after a `yield`, or is thrown into; those that it says no to are not told again."""
        monitoring = sys.monitoring
        monitoring.use_tool_id(_TOOL, "ghosttape")

        def begins(code: CodeType, _: int) -> object:
            return None if started(code) else monitoring.DISABLE

        def is_thrown(code: CodeType, _: int, __: BaseException) -> None:
            started(code)

        events = monitoring.events
        monitoring.register_callback(_TOOL, events.PY_START, begins)
        monitoring.register_callback(_TOOL, events.PY_RESUME, begins)
        monitoring.register_callback(_TOOL, events.PY_THROW, is_thrown)
        monitoring.set_events(_TOOL, events.PY_START | events.PY_RESUME | events.PY_THROW)

    def _unmonitor() -> None:
        sys.monitoring.set_events(_TOOL, 0)
        sys.monitoring.free_tool_id(_TOOL)
