"""Which functions of a project its tests enter, and from which, found out in one run of all tests.

Of pytest test by test; of node's test runners by files of tests (mocha's by tests), by the probes of `runners.coverage.node`, which do not say who called. Other
toolchains and runners have none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from runners.coverage import node
from runners.coverage.functions import functions
from runners.coverage.lines import Coverage, unpacked
from runners.project import Project
from runners.toolchains import language_of
from runners.verdicts import Result


@dataclass(frozen=True, slots=True, order=True)
class EnteredFunction:
    """A function of the project: its file, from the project's root, its first line (from 1, decorators included), and its name with what it lies in.

    Of scripts it is an outermost function, and the first line of its body; their names are not known here.
    """

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class CallsOfTests:
    """For each test the calls that were made while it ran: (function that was entered, function of the project that called it; None: none, or it is not known).

    `unseen` are tests of which not everything is known, as they start processes or trace themselves.
    """

    calls: Mapping[str, frozenset[tuple[EnteredFunction, EnteredFunction | None]]]
    unseen: frozenset[str] = frozenset()

    def tests_of(self) -> Mapping[EnteredFunction, frozenset[str]]:
        """Function → the tests that enter it."""
        found: dict[EnteredFunction, set[str]] = defaultdict(set)
        for test, calls in self.calls.items():
            for function, _ in calls:
                found[function].add(test)
        return MappingProxyType({function: frozenset(tests) for function, tests in found.items()})


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
            result, coverage = await node.record_coverage(project, notify)
            return result, None if coverage is None else of_scripts(coverage, files, result.tests or frozenset())
        case _:
            return await project.run({}), None


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
    return CallsOfTests({test: frozenset(calls) for test, calls in found.items()}, coverage.unseen)


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
