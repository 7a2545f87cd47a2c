"""Which of a project's tests a graft needs: those that touch the function it stands in; and a sample that runs all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from replay.grafts import Hole
from replay.latency import share_of
from replay.records import Moment, Verdict
from runners.coverage import Coverage
from syntax.languages import language_of
from syntax.parse import parse

SAMPLE = 0.1
"""The share of grafts that are tested in full as well."""


@dataclass(slots=True)
class Selection:
    """What one tape's grafts are tested with, and how that went.

    `selected` counts the verdicts that went by some of the tests, `sampled` those of them that were found by all tests as
    well, `disagreed` the sampled whose two verdicts were not the same: after the first, all tests run each time.
    """

    coverage: Coverage | None
    seed: int = 0
    share: float = SAMPLE
    counts: dict[str, int] = field(default_factory=lambda: {"selected": 0, "sampled": 0, "disagreed": 0})

    def tests(self, hole: Hole, *changed: str) -> frozenset[str] | None:
        """Return the tests that can notice what stands in the hole in the changed documents; None: any of them may."""
        if self.coverage is None or self.counts["disagreed"]:
            return None
        lines = function_lines(hole, changed)
        return None if lines is None else self.coverage.touching(hole.path, *lines)

    def samples(self, moment: Moment) -> bool:
        """Count a moment that goes by some of the tests; return whether it is to go by all of them as well."""
        self.counts["selected"] += 1
        drawn = not self.counts["sampled"] or share_of(self.seed, moment, "selection") < self.share
        self.counts["sampled"] += drawn
        return drawn

    def compare(self, some: Verdict, whole: Verdict) -> None:
        """Take note of what some of the tests said, and what all did."""
        told = "infrastructure" not in {some.name, whole.name}
        self.counts["disagreed"] += told and (some.name, some.reason) != (whole.name, whole.reason)


def function_lines(hole: Hole, changed: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the first and last line (from 1) of the body of the outermost function around a hole.

    None if there is none, or if one of the changed documents differs outside of its body: who breaks out of a function
    may be noticed by tests that never call it.
    """
    first = hole.start + len(hole.truth) - len(hole.truth.lstrip())
    last = hole.start + len(hole.truth.rstrip())
    body = next((body for body in _bodies(hole.path, hole.final) if body[0] <= first and last <= body[1]), None)
    if body is None or "\r" in hole.final.replace("\r\n", "\n"):  # where Python counts lines in another way
        return None
    start, end = body
    head, tail = hole.final[:start], hole.final[end:]
    if not all(_stays(hole.path, text, head, tail) for text in changed):
        return None
    code = end - len(hole.final[start:end].lstrip())
    return hole.final.count("\n", 0, code) + 1, hole.final.count("\n", 0, end) + 1


def _stays(path: str, text: str, head: str, tail: str) -> bool:
    """Whether all that stands between the head and the tail is one function's body."""
    if not (text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail)):
        return False
    end = len(text) - len(tail)
    return any(start == len(head) and last <= end and not text[last:end].strip() for start, last in _bodies(path, text))


@lru_cache(maxsize=64)
def _bodies(path: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where the bodies of the functions that lie in no other one begin (behind the colon) and end; Python's alone."""
    language = language_of(path)
    if language is None or language.id != "python":
        return ()
    tree = parse(language, text)
    spans, reached = list[tuple[int, int]](), 0
    for node in tree.nodes():
        body = node.child_by_field_name("body") if node.type == "function_definition" else None
        if body is not None and node.start_byte >= reached:
            colon = next(child for child in node.children if child.type == ":")
            spans.append((tree.index(colon.end_byte), tree.index(body.end_byte)))
            reached = body.end_byte
    return tuple(spans)
