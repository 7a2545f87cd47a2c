"""The moments that two runs share. A moment is a question: with several samples each run has several answers to it, and they are one moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from replay.numbers.metrics import UNJUDGED, by_question
from replay.records import Moment, Record


@dataclass(frozen=True, slots=True)
class SharedMoment:
    """A moment that two runs have, with the answers of each: one, or with several samples as many.

    Where several runs are taken together, `part` says of which of them it is, from 0; `policy` and `repairs` are what that run was made with ("": not known, or
    a corpus, which has no policy).
    """

    first: Sequence[Record]
    second: Sequence[Record]
    part: int = 0
    policy: str = ""
    repairs: str = ""

    @property
    def moment(self) -> Moment:
        """The moment, as the first run has it."""
        return self.first[0].moment

    @property
    def sides(self) -> tuple[Sequence[Record], Sequence[Record]]:
        """The answers of the first run and of the second."""
        return self.first, self.second


def shared_moments(first: Iterable[Record], second: Iterable[Record]) -> list[SharedMoment]:
    """Return the moments that two runs have, in the order of the first run; samples in theirs."""
    known = {own[0].moment.question: own for own in by_question(second)}
    questions = [(own, known.get(own[0].moment.question)) for own in by_question(first)]
    return [SharedMoment(_in_order(one), _in_order(other)) for one, other in questions if other]


def _in_order(records: Sequence[Record]) -> Sequence[Record]:
    return sorted(records, key=lambda record: record.moment.sample)


def tested_moments(shared: Iterable[SharedMoment]) -> list[SharedMoment]:
    """Return the moments at which an answer of each run could be tested, with these answers alone."""
    tested = ((pair, [list(filter(could_be_tested, side)) for side in pair.sides]) for pair in shared)
    return [replace(pair, first=first, second=second) for pair, (first, second) in tested if first and second]


def fixed_verdict(record: Record) -> str:
    """The verdict by a hole that is the same for every suggestion at the moment; empty if there is no verdict."""
    verdict = record.verdict
    return "" if verdict is None else verdict.fixed or verdict.name


def could_be_tested(record: Record) -> bool:
    """Whether there is a verdict by which runs are compared."""
    return fixed_verdict(record) not in {"", *UNJUDGED}


def passes(record: Record) -> bool:
    """Whether the tests pass with an answer, by the verdict by which runs are compared."""
    return fixed_verdict(record) == "passed"


def passed_share(records: Sequence[Record]) -> Fraction:
    """Return the share of some answers that pass. Example: of five answers two pass: 2/5."""
    return Fraction(sum(map(passes, records)), len(records))


def shared_by_all(runs: Sequence[Iterable[Record]]) -> list[dict[tuple[object, ...], list[Record]]]:
    """Return for each of several runs the answers that could be tested, by moment, at the moments at which every run has one."""
    tested = [
        {own[0].moment.question: list(own) for own in by_question(filter(could_be_tested, records))} for records in runs
    ]
    common = set.intersection(*map(set, tested)) if tested else set()
    return [{moment: own for moment, own in each.items() if moment in common} for each in tested]


def count_moments(records: Iterable[Record]) -> int:
    """Return how many moments some records are of: the samples of one question are one."""
    return len(list(by_question(records)))
