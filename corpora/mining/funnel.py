"""The funnel of mined tasks: found → not trivial, long or there already → drawn → the tests notice that it is missing → kept.

Everything but the result stands in a folder of its own: the gaps that are tried (a corpus, `candidates.jsonl`) and the run that tests them. Both depend on the repository and the
choices alone, so that the same command finds them again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import structs

from corpora.mined.checkout import Checkout
from corpora.mined.corpus_file import MinedHead, MinedLine
from corpora.mining.choosing import FoundGaps
from corpora.mining.source_repository import licence_of
from corpora.tasks import Task
from replay.numbers.metrics import UNJUDGED
from replay.records import Record, Verdict
from replay.tapes.tape import Tests

STAGES: Mapping[str, str] = {
    "trivial": "no control flow, call or operator; stubs; functions of one statement that only hand something on",
    "long": "more lines than --max-lines",
    "duplicate": "the same code under the same line as in another gap",
    "not-drawn": "left out by --limit",
    "unnoticed": "the tests pass with the gap emptied too",
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
    def of(cls, head: MinedHead, lines: Sequence[MinedLine], sandbox: str) -> MiningFolder:
        """The folder of a mining: the same for the same repository, gaps and tests."""
        encoded = msgspec.json.encode((head.name, head.repository, head.commit, head.tests, head.files, lines, sandbox))
        return cls(_WORK / f"{head.name}-{hashlib.sha256(encoded).hexdigest()[:16]}")

    @property
    def candidates(self) -> Path:
        """The corpus of all gaps that are tried."""
        return self.folder / "candidates.jsonl"

    @property
    def run(self) -> Path:
        """The run that tests them."""
        return self.folder / "run"


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


def kept_lines(
    lines: Sequence[MinedLine], tasks: Sequence[Task], records: Iterable[Record]
) -> tuple[list[MinedLine], Counter[str]]:
    """The tasks whose emptied gap fails the tests, with how it did; and at which stage the other ones ended."""
    by_path, verdicts = {task.path: task.name for task in tasks}, dict[str, Verdict]()
    for record in records:
        if record.verdict is not None and record.moment.path in by_path:
            verdicts[by_path[record.moment.path]] = record.verdict
    kept, stages = [], Counter[str]()
    for line in lines:
        stage = _stage(verdicts.get(line.name))
        stages[stage] += 1
        if stage == "kept":
            verdict = verdicts[line.name]
            kept.append(structs.replace(line, noticed=verdict.name, failed=verdict.failed))
    return kept, stages


def _stage(verdict: Verdict | None) -> str:
    if verdict is None or verdict.name == "infrastructure":
        return "untested"
    return "unnoticed" if verdict.name in UNJUDGED or verdict.name == "passed" else "kept"


def stages_of(found: FoundGaps, drawn: int, ends: Mapping[str, int]) -> dict[str, int]:
    """How many gaps were found, and how many ended at each stage."""
    counts = found.stages | Counter({"not-drawn": len(found.lines) - drawn}) | Counter(ends)
    return {"found": found.stages["found"]} | {stage: counts[stage] for stage in STAGES}
