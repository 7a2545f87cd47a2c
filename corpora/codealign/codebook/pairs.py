"""Pairs of passing solutions of one problem, for people to compare.

As in CodeAlignBench, section 2.1: both pass all tests, and sources are drawn evenly. A plain draw would show the strongest model most often, because it passes most.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path

import msgspec

from corpora.codealign.benchmark.benchmark_run import AlignmentOutcome
from corpora.codealign.codebook.json_lines import read_lines
from corpora.errors import DataError

REFERENCE = "reference"
"""The source of first solutions that no model wrote."""
Solutions = Mapping[str, Mapping[str, Sequence[str]]]
"""Problem → source → its passing programs, each once."""


class SolutionPair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two different programs that pass the tests of one problem. Who wrote them is kept, and never shown to a rater."""

    name: str
    problem: str
    language: str
    request: str
    first: str
    second: str
    sources: tuple[str, str]


def drawn_pairs(runs: Mapping[str, Sequence[AlignmentOutcome]], count: int, seed: int) -> list[SolutionPair]:
    """Draw at most so many pairs, at most one a problem, from the tasks of runs, by the names of their sources.

    The next pair is one of the two sources that were drawn least so far, of those that some problem still offers; problem, programs and who is first are drawn.
    """
    found, requests = _solutions(runs)
    draw = random.Random(seed)  # noqa: S311 - a sample, not a secret
    left = {problem: list(_combinations(found[problem])) for problem in draw.sample(sorted(found), len(found))}
    used: Counter[str] = Counter()
    pairs: list[SolutionPair] = []
    while len(pairs) < count and any(left.values()):
        _, problem, sources = min(
            ((sorted(map(used.__getitem__, both), reverse=True), problem, both) for problem, own in left.items() for both in own),
            key=lambda each: each[0],
        )  # fmt: skip
        del left[problem]
        used.update(sources)
        (one, first), (other, second) = draw.sample(_programs(found[problem], sources, draw), 2)
        language, request = requests[problem]
        pairs.append(SolutionPair(name=f"{len(pairs) + 1}", problem=problem, language=language, request=request, first=first, second=second, sources=(one, other)))  # fmt: skip
    return draw.sample(pairs, len(pairs))


def _combinations(by_source: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Each two sources that have programs which differ."""
    for one, other in combinations(sorted(by_source), 2):
        if {_plain(program) for source in (one, other) for program in by_source[source]} > {_plain(by_source[one][0])}:
            yield one, other


def _programs(
    by_source: Mapping[str, Sequence[str]], sources: tuple[str, str], draw: random.Random
) -> list[tuple[str, str]]:
    """A program of each of two sources, with its source; they differ."""
    choices = product(*(by_source[source] for source in sources))
    programs = draw.choice([both for both in choices if _plain(both[0]) != _plain(both[1])])
    return list(zip(sources, programs, strict=True))


def _solutions(runs: Mapping[str, Sequence[AlignmentOutcome]]) -> tuple[Solutions, Mapping[str, tuple[str, str]]]:
    """The passing solutions of each problem by source, and language and request of each problem."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    requests: dict[str, tuple[str, str]] = {}
    for source, outcomes in runs.items():
        for one in outcomes:
            requests[one.problem] = one.language, one.request
            passing = [(source, one.program)] if one.program and one.tests == "passed" else []
            if one.initial_tests == "passed":
                passing.append((source if one.initial_by_model else REFERENCE, one.initial))
            for name, program in passing:
                known = found[one.problem][name]
                if _plain(program) not in map(_plain, known):
                    known.append(program)
    return found, requests


def _plain(program: str) -> str:
    """A program without white space: two that differ in nothing else are one."""
    return "".join(program.split())


def read_pairs(file: Path) -> list[SolutionPair]:
    """The pairs of a file.

    Raises:
        DataError: the file cannot be read, a line is no pair, a name stands there twice, or there is no pair.

    """
    found: dict[str, SolutionPair] = {}
    for number, pair in read_lines(file, SolutionPair, "pair of solutions (`ghosttape instructions pairs` draws them)"):
        if pair.name in found:
            raise DataError(file, number, f"the pair {pair.name!r} stands there twice")
        found[pair.name] = pair
    if not found:
        raise DataError(file, 0, "has no pair")
    return list(found.values())


def write_pairs(file: Path, pairs: Iterable[SolutionPair]) -> None:
    """Write pairs, a line each.

    Raises:
        DataError: there is such a file, which may have been rated already, or it cannot be written.

    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as lines:
            lines.writelines(msgspec.json.encode(pair) + b"\n" for pair in pairs)
    except FileExistsError as error:
        raise DataError(file, 0, "is there already, and may have been rated: name another file") from error
    except OSError as error:
        raise DataError(file, 0, f"cannot be written: {error.strerror}") from error
