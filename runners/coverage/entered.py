"""What is found out of the calls that tests make, whoever counted them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, order=True)
class EnteredFunction:
    """A function of the project: its file, from the project's root, its first line (from 1, decorators included), and its name with what it lies in.

    Where only outermost functions of scripts are known, the line is the first one of the body, and the name is empty.
    """

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class CallsOfTests:
    """For each test the calls that were made while it ran: (function that was entered, function of the project that called it; None: none, or it is not known).

    `unseen` are tests of which not everything is known, as they start processes, trace themselves, or are not reported.
    """

    calls: Mapping[str, frozenset[tuple[EnteredFunction, EnteredFunction | None]]]
    unseen: frozenset[str] = frozenset()
    exact: bool = True
    """Whether each function is known by itself; else only outermost ones, with what lies in them."""

    def tests_of(self) -> Mapping[EnteredFunction, frozenset[str]]:
        """Function → the tests that enter it."""
        found: dict[EnteredFunction, set[str]] = defaultdict(set)
        for test, calls in self.calls.items():
            for function, _ in calls:
                found[function].add(test)
        return MappingProxyType({function: frozenset(tests) for function, tests in found.items()})
