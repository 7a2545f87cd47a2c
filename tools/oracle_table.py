"""Whether what the developer wrote passes under every policy, by real tests: a table for the docs.

`python -m tools.oracle_table PAGE NAME SAMPLE TAPE…` asks where each policy asks on the tapes, and answers with what the developer wrote there: the whole
of what is wanted, its first statement, its first half (of its tokens), and up to some token further on. `blocks` says how much it wants, so there only the
whole is asked for. Each answer is judged as in a replay, by the tests of the project. There is no server in between, so that nothing but the judge can be wrong. SAMPLE moments of each policy and tape are drawn with seed 0 (`all`: every moment). The table goes into a page between `<!-- NAME -->` and `<!-- /NAME -->`.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

from replay.judge.alignment import statement_ends
from replay.judge.grafts import Hole, language_at, written_since
from replay.judge.tape_cases import TapeTests, prepare_tests
from replay.numbers.clusters import cluster_of
from replay.numbers.intervals import clustered_share
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded, Spot
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.records import Ending, Suggestion, Verdict
from replay.run.engine import cache_folder
from replay.tapes import tape as tape_files
from replay.tapes.timeline import Timeline
from runners.sandboxes import pick
from syntax.parse import parse
from syntax.tokens import tokens
from tools.policy_tables import put

POLICIES = ("blocks", "vscode", "copilot", "tabby", "continue", "cody", "zed", "pause:300", "every")
HEAD = """\
| policy | moments | testable | passed: the whole | its first statement | its first half | longer | code twice |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
Cut: TypeAlias = Callable[[Timeline, Spot, Hole, random.Random], str]


def whole(_: Timeline, __: Spot, hole: Hole, ___: random.Random) -> str:
    """All that is wanted at the moment."""
    return hole.truth


def first_statement(_: Timeline, spot: Spot, hole: Hole, __: random.Random) -> str:
    """What is wanted up to the end of its first statement."""
    ends = statement_ends(parse(language_at(spot.moment), hole.final))
    return hole.final[hole.start : min((end for end in ends if hole.start < end <= hole.end), default=hole.end)]


def first_half(_: Timeline, spot: Spot, hole: Hole, __: random.Random) -> str:
    """Half of the tokens that are wanted, at least one."""
    ends = _token_ends(spot, hole, hole.end)
    return hole.final[hole.start : ends[(len(ends) - 1) // 2]] if ends else hole.truth


def longer(timeline: Timeline, spot: Spot, hole: Hole, luck: random.Random) -> str:
    """What was written there up to some token, at most 1,500 characters on."""
    ends = _token_ends(spot, hole, written_since(timeline, spot.moment, hole.start, hole.start + 1500))
    return hole.final[hole.start : luck.choice(ends)] if ends else hole.truth


def _token_ends(spot: Spot, hole: Hole, far: int) -> Sequence[int]:
    found = tokens(parse(language_at(spot.moment), hole.final), hole.start, far)
    return [token.end for token in found if hole.start < token.end <= far]


CUTS: Mapping[str, Cut] = {
    "whole": whole,
    "first statement": first_statement,
    "first half": first_half,
    "longer": longer,
}


def spots(timeline: Timeline, policy: str) -> Iterator[Spot]:
    """The places where a policy asks on a tape, each answered with nothing at once."""
    steps = Player(timeline, policy_of(policy), user_of("exact"), latency_of("fixed:0", 0)).play()
    reply = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return
        reply = Answer(0.0) if isinstance(step, Ask) else None
        if isinstance(step, Ask) and step.spot is not None:
            yield step.spot


def drawn(timeline: Timeline, policy: str, sample: int | None) -> Sequence[Spot]:
    """Some places where a policy asks, in their order; all of them without a number."""
    found = list(spots(timeline, policy))
    if sample is None or sample >= len(found):
        return found
    return [found[number] for number in sorted(random.Random(0).sample(range(len(found)), sample))]  # noqa: S311 - a repeatable draw


def offer(timeline: Timeline, tests: TapeTests, spot: Spot, cut: Cut) -> MomentEnded:
    """A moment that ended with a part of what the developer wrote there; with nothing where there is no hole."""
    hole, moment = tests.cases.hole(spot), spot.moment
    text = "" if isinstance(hole, str) else cut(timeline, spot, hole, random.Random(moment.id))  # noqa: S311 - a repeatable draw
    suggestion = Suggestion(text=text, start=moment.offset, end=moment.offset, latency=0.0)
    return MomentEnded(moment, spot.before, spot.after, Ending("accepted"), suggestion, spot=spot)


def has_code_twice(tests: TapeTests, asked: MomentEnded) -> bool:
    """Whether a graft of the developer's own text differs from the finished document."""
    case = tests.cases.case(asked)
    return not isinstance(case, Verdict) and case.hole is not None and case.graft.text != case.hole.final


class PolicyVerdicts:
    """The verdicts of one policy: by cut, and clusters of the moments."""

    def __init__(self) -> None:
        self.moments, self.twice = 0, 0
        self.reasons: Counter[str] = Counter()
        self.passed: dict[str, list[tuple[str, float]]] = {name: [] for name in CUTS}
        self.failures: list[str] = []

    async def add(self, timeline: Timeline, tests: TapeTests, spot: Spot) -> None:
        """Judge every cut at a place."""
        assert tests.judge is not None
        self.moments += 1
        for name, cut in CUTS.items() if spot.moment.stop == "auto" else [("whole", whole)]:
            asked = offer(timeline, tests, spot, cut)
            verdict = await tests.judge.verdict(asked)
            if verdict.name == "untestable":
                self.reasons[verdict.reason] += name == "whole"
                continue
            cluster = cluster_of(tests.cases.located(asked))
            self.passed[name].append((cluster, float(verdict.name == "passed")))
            self.twice += has_code_twice(tests, asked)
            if verdict.name != "passed":
                self.failures.append(
                    f"{spot.moment.path}:{spot.moment.line + 1}:{spot.moment.character} {name} {verdict.name}"
                )

    def row(self, policy: str) -> str:
        """A line of the table."""
        counts = [
            f"{sum(value for _, value in own):.0f} of {len(own):,}" if own else "" for own in self.passed.values()
        ]
        low = clustered_share(self.passed["whole"])["low"]
        first = counts[0] if low is None else f"{counts[0]} (≥ {100 * low:.1f} %)"
        cells = [
            f"`{policy}`",
            f"{self.moments:,}",
            f"{len(self.passed['whole']):,}",
            first,
            *counts[1:],
            str(self.twice),
        ]
        return f"| {' | '.join(cells)} |"


async def judged(
    tapes: Sequence[tuple[Timeline, TapeTests]], policies: Sequence[str], sample: int | None
) -> dict[str, PolicyVerdicts]:
    """The verdicts of each policy over some tapes. A state of a project is tested once, whichever policy meets it."""
    found = {policy: PolicyVerdicts() for policy in policies}
    for policy, own in found.items():
        for timeline, tests in tapes:
            async with asyncio.TaskGroup() as group:
                for spot in drawn(timeline, policy, sample):
                    group.create_task(own.add(timeline, tests, spot))
        sys.stderr.write(f"{own.row(policy)}\n{dict(own.reasons)}\n{own.failures[:5]}\n")
    return found


async def table(files: Sequence[str], sample: int | None) -> str:
    """Judge all policies on some tapes: the table in Markdown."""
    slots, sandbox = asyncio.Semaphore(os.cpu_count() or 1), pick("auto")
    async with AsyncExitStack() as stack:
        tapes = []
        for file in files:
            timeline = Timeline(tape_files.read(Path(file)))
            tests = await prepare_tests(timeline, sandbox, cache_folder(), slots, print)
            stack.push_async_callback(tests.close)
            tapes.append((timeline, tests))
        found = await judged(tapes, POLICIES, sample)
    return "\n".join([HEAD, *(own.row(policy) for policy, own in found.items())])


def main(page: Path, name: str, sample: str, files: Sequence[str]) -> None:
    """Write the table into a page."""
    found = asyncio.run(table(files, None if sample == "all" else int(sample)))
    page.write_text(put(page.read_text(encoding="utf-8"), name, found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
