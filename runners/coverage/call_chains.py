"""Which functions of a project its tests enter, and from which, found out in one run of all tests.

Of pytest test by test, with who called. Of `node --test` and mocha test by test as V8 counts (`runners.coverage.v8`); of vitest and jest, and where V8 was given another text, by files
of tests and outermost functions (`runners.coverage.node`); neither says who called. Other toolchains and runners have none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

import msgspec

from runners.coverage import node, v8
from runners.coverage.entered import CallsOfTests, EnteredFunction
from runners.coverage.function_spans import functions
from runners.coverage.line_coverage import Coverage, unpacked
from runners.project import Project
from runners.toolchains import language_of
from runners.verdicts import Result


class _Called(msgspec.Struct, frozen=True):
    """What `witness/calling.py` found out."""

    tests: dict[str, int]
    sets: list[list[tuple[int, int]]]
    functions: list[tuple[str, int, str]]
    unseen: list[str]


async def record_calls(
    project: Project, files: Mapping[str, str], notify: Callable[[str], None]
) -> tuple[Result, CallsOfTests | None]:
    """Test a finished project (`files`: path → text) and find out what its tests call; None where that cannot be had here."""
    match language_of(project.plan.toolchain):
        case "python":
            result, said = await project.run_witnessed({}, {"GHOSTTAPE_CALLS": "new"})
            return result, read(said)
        case "node" | "typescript":
            result, counted = await v8.record_calls(project, files)
            return (result, counted) if counted is not None else await _by_probes(project, files, notify)
        case _:
            return await project.run({}), None


async def _by_probes(
    project: Project, files: Mapping[str, str], notify: Callable[[str], None]
) -> tuple[Result, CallsOfTests | None]:
    result, coverage = await node.record_coverage(project, notify)
    return result, None if coverage is None else of_scripts(coverage, files, result.tests or frozenset())


def read(said: list[str]) -> CallsOfTests | None:
    """Return what our plugin said it found out; None if it said nothing, or what it would not say."""
    text = unpacked(said, "called")
    try:
        return None if text is None else _calls(msgspec.json.decode(text, type=_Called))
    except (msgspec.DecodeError, IndexError):
        return None


def _calls(called: _Called) -> CallsOfTests:
    known = [EnteredFunction(*one) for one in called.functions]
    sets = [
        frozenset((known[entered], known[caller] if caller >= 0 else None) for entered, caller in calls)
        for calls in called.sets
    ]
    return CallsOfTests({test: sets[number] for test, number in called.tests.items()}, frozenset(called.unseen))


def of_scripts(coverage: Coverage, files: Mapping[str, str], passed: frozenset[str]) -> CallsOfTests:
    """The calls of outermost functions of scripts, by the tests that are known to make them; of what is called for all tests at once, as where there is one file of tests, by all that `passed`."""
    found: dict[str, set[tuple[EnteredFunction, None]]] = defaultdict(set)
    for function, tests in _touched(coverage, files, passed):
        for test in tests:
            found[test].add((function, None))
    return CallsOfTests({test: frozenset(calls) for test, calls in found.items()}, coverage.unseen, exact=False)


def _touched(
    coverage: Coverage, files: Mapping[str, str], passed: frozenset[str]
) -> Iterator[tuple[EnteredFunction, frozenset[str]]]:
    """The outermost functions of scripts that were called, with the tests that may have done so."""
    for path, lines in coverage.lines.items():
        text = files.get(path, "")
        for function in functions(path, text):
            first, last = (text.count("\n", 0, at) + 1 for at in (function.body.start, function.body.end))
            if not lines.keys().isdisjoint(range(first, last + 1)):
                some = coverage.touching(path, first, last)
                yield EnteredFunction(path, first, ""), passed if some is None else some
