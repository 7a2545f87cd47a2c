"""Which of a project's tests a graft needs: those that touch the function it stands in; and a sample that runs all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from replay.judge.grafts import Hole
from replay.judge.states import Case
from replay.play.latency import share_of
from replay.records import Moment, Verdict
from runners.coverage import Coverage
from runners.coverage.function_spans import bodies

SAMPLE = 0.1
"""The share of grafts that are tested in full as well."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(slots=True)
class Selection:
    """What one tape's grafts are tested with, and how that went.

    `selected` counts the verdicts that went by some of the tests, `sampled` those of them that were found by all tests as
    well, `disagreed` the sampled whose two verdicts were not the same: after the first, all tests run each time. The verdict on one suggestion
    at one moment counts once, also if it is asked for again, or given by two holes (`Case.fixed`).
    """

    coverage: Coverage | None
    passing: frozenset[str] = frozenset()
    """The names of the tests that pass in the finished project."""
    seed: int = 0
    share: float = SAMPLE
    counts: dict[str, int] = field(default_factory=lambda: {"selected": 0, "sampled": 0, "disagreed": 0})
    _drawn: dict[tuple[str, str], bool] = field(default_factory=dict)

    def tests(self, case: Case) -> frozenset[str] | None:
        """Return the tests that can notice what stands in a hole; None: any test may, or none that is known to pass."""
        hole = case.hole
        if self.coverage is None or hole is None or self.counts["disagreed"]:
            return None
        changed = (case.emptied, case.graft)
        lines = function_lines(hole, tuple(state.text for state in changed if state is not None))
        touching = None if lines is None else self.coverage.touching(hole.path, *lines)
        return touching if touching is not None and touching & self.passing else None

    def samples(self, moment: Moment, suggestion: str = "") -> bool:
        """Count a verdict that goes by some of the tests; return whether it is to go by all of them as well."""
        key = (moment.id, suggestion)
        if key not in self._drawn:
            drawn = not self.counts["sampled"] or share_of(self.seed, moment, "selection") < self.share
            self._drawn[key] = drawn
            self.counts["selected"] += 1
            self.counts["sampled"] += drawn
        return self._drawn[key]

    def compare(self, some: Verdict, whole: Verdict) -> None:
        """Take note of what some of the tests said, and what all did; times and counts aside, which are never the same."""
        tested = "infrastructure" not in {some.name, whole.name}
        found = [(each.name, _NUMBER.sub("", each.reason)) for each in (some, whole)]
        self.counts["disagreed"] += tested and found[0] != found[1]


def function_lines(hole: Hole, changed: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the first and last line (from 1) of the body of the outermost function around a hole.

    None if there is none, or if one of the changed documents differs outside of its body: who breaks out of a function
    may be noticed by tests that never call it.
    """
    first = hole.start + len(hole.truth) - len(hole.truth.lstrip())
    last = hole.start + len(hole.truth.rstrip())
    body = next((body for body in bodies(hole.path, hole.final) if body.start <= first and last <= body.end), None)
    if body is None or "\r" in hole.final.replace("\r\n", "\n"):  # where Python counts lines in another way
        return None
    head, tail = hole.final[: body.start], hole.final[body.end :]
    if not all(_stays(hole.path, text, head, tail) for text in changed):
        return None
    code = body.end - len(hole.final[body.start : body.end].lstrip())
    return hole.final.count("\n", 0, code) + 1, hole.final.count("\n", 0, body.end) + 1


def _stays(path: str, text: str, head: str, tail: str) -> bool:
    """Whether all that stands between the head and the tail is one function's body."""
    if not (text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail)):
        return False
    end = len(text) - len(tail)
    return any(
        body.start == len(head) and body.end <= end and not text[body.end : end].strip() for body in bodies(path, text)
    )
