"""The funnel of mined tasks: found → not trivial, long or there already → drawn → the tests notice that it is missing → kept.

Everything but the result stands in a folder of its own: the gaps that are tried (a corpus, `candidates.jsonl`) and the run that tests them. Both depend on the repository and the
choices alone, so that the same command finds them again.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import structs

from corpora.mined.checkout import Checkout, digest_of
from corpora.mined.corpus_file import MinedHead, MinedLine
from corpora.mining.gap_selection import FoundGaps, constant
from corpora.mining.source_repository import licence_of
from corpora.run.error_classes import is_unbuilt
from corpora.tasks import Task
from replay.numbers.metrics import UNJUDGED
from replay.options import ReplayOptions
from replay.records import Record, Verdict
from replay.tapes.tape import Tests

STAGES: Mapping[str, str] = {
    "trivial": "no control flow, call or operator; stubs; functions of one statement that only hand something on",
    "long": "more lines than --max-lines",
    "duplicate": "the same code under the same line as in another gap",
    "not-drawn": "left out by --limit",
    "unbuilt": "it does not parse or compile with the gap emptied, which says nothing of the tests",
    "unnoticed": "the tests pass with the gap emptied too",
    "constant": "the tests pass with a condition that always holds too",
    "untested": "the machine failed",
    "kept": "the tests pass with the code and fail without it",
}
"""Where a gap that was found can end → what that means."""
_WORK = Path(".ghosttape/mining")


@dataclass(frozen=True, slots=True)
class MiningFolder:
    """The folder in which gaps are tried."""

    folder: Path

    @classmethod
    def of(cls, head: MinedHead, lines: Sequence[MinedLine], testing: ReplayOptions) -> MiningFolder:
        """The folder of a mining: the same for the same repository, gaps and tests, and for what the set-up may have."""
        allowed = (testing.sandbox, testing.network_setup, testing.setup_env)
        encoded = msgspec.json.encode((head.name, head.repository, head.commit, head.tests, head.files, lines, allowed))
        return cls(_WORK / f"{head.name}-{hashlib.sha256(encoded).hexdigest()[:16]}")

    def corpus(self, answer: str = "") -> Path:
        """The corpus of the gaps that are tried with an answer."""
        return self.folder / f"{self._called(answer)}.jsonl"

    def run(self, answer: str = "") -> Path:
        """The run that tests them."""
        return self.folder / self._called(answer)

    @staticmethod
    def _called(answer: str) -> str:
        return f"constant-{digest_of(answer)[:8]}" if answer else "emptied"


def head_of(
    name: str,
    checkout: Checkout,
    tests: Tests,
    lines: Iterable[MinedLine],
    *,
    asked: Mapping[str, str],
    stages: Mapping[str, int],
) -> MinedHead:
    """The head of a corpus of these tasks. What the user allows a set-up is not kept."""
    return MinedHead(
        corpus=1,
        name=name,
        repository=str(checkout.folder),
        commit=checkout.commit,
        licence=licence_of(checkout.files),
        tests=Tests(**{member: getattr(tests, member) for member in Tests.__struct_fields__}),
        files=checkout.digests({line.path for line in lines}),
        asked=dict(asked),
        stages=dict(stages),
    )


def verdicts_of(tasks: Iterable[Task], records: Iterable[Record]) -> dict[str, Verdict]:
    """Task → the verdict on what was tried in it."""
    names = {task.path: task.name for task in tasks}
    found = ((names.get(record.moment.path), record.verdict) for record in records)
    return {name: verdict for name, verdict in found if name is not None and verdict is not None}


_UNSURE = frozenset({"broken-baseline", "flaky"})
"""Why a gap is untestable though nothing was found out of it: the file with its own code in it did not pass this time."""


def noticed(lines: Iterable[MinedLine], verdicts: Mapping[str, Verdict]) -> tuple[list[MinedLine], Counter[str]]:
    """The gaps with which the tests fail when they are emptied, with how they did; and at which stage the other ones end."""
    kept, ends = [], Counter[str]()
    for line in lines:
        verdict = verdicts.get(line.name)
        if verdict is None or verdict.name == "infrastructure" or verdict.reason in _UNSURE:
            ends["untested"] += 1
        elif verdict.name in UNJUDGED or verdict.name == "passed":
            ends["unnoticed"] += 1
        elif is_unbuilt(line.language, verdict.name):
            ends["unbuilt"] += 1
        else:
            kept.append(structs.replace(line, noticed=verdict.name, failed=verdict.failed))
    return kept, ends


def by_constant(lines: Iterable[MinedLine]) -> dict[str, list[MinedLine]]:
    """The conditions among some gaps, by what always holds in their language."""
    found: dict[str, list[MinedLine]] = defaultdict(list)
    for line in lines:
        if line.kind.endswith("-condition"):
            found[constant(line.language, holds=True)].append(line)
    return found


def not_constant(lines: Iterable[MinedLine], verdicts: Mapping[str, Verdict]) -> tuple[list[MinedLine], Counter[str]]:
    """The gaps without the conditions with which the tests pass if they always hold (`verdicts`); and at which stage these end."""
    kept, ends = [], Counter[str]()
    for line in lines:
        verdict = verdicts.get(line.name)
        stage = {"passed": "constant", "infrastructure": "untested"}.get(verdict.name, "") if verdict else ""
        ends[stage] += 1
        if not stage:
            kept.append(line)
    return kept, ends


def stages_of(found: FoundGaps, drawn: int, ends: Mapping[str, int]) -> dict[str, int]:
    """How many gaps were found, and how many ended at each stage."""
    counts = found.stages + Counter({"not-drawn": len(found.lines) - drawn}) + Counter(ends)
    return {"found": found.stages["found"]} | {stage: counts[stage] for stage in STAGES}
