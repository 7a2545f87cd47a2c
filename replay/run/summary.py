"""What a replay comes to: the figures of its tapes, what could not be played, and how far the tests can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from replay.judge.judge import infrastructure_failures
from replay.numbers.adherence import adherence_summary
from replay.numbers.figures import FIGURES, summary
from replay.numbers.metrics import pass_at_each_k
from replay.options import ReplayOptions
from replay.records import Record, Rewriting
from replay.run.findings import Findings


def summarise_replay(options: ReplayOptions, found: Findings) -> dict[str, Any]:
    """All figures of a replay, as one JSON document. It does not depend on which moment had its verdict first."""
    records = sorted(found.records, key=_in_order)
    result = summary(records, found.keys, found.efforts, measured=not found.reads_record, by=options.cluster_by)
    if options.samples > 1:
        _by_moment(result, records, found, options)
    result["checkpoints"] = {name: found.checkpoints[name] for name in ("matched", "of")}
    if rewritten := _rewritten(records):
        result["rewritten"] = rewritten
    if found.no_person:
        _put_no_person(result, found)
    if options.instructions:
        result["instructions"] = adherence_summary(records, options.instructions, options.cluster_by)
    result["faults"] = [*found.warnings, *infrastructure_failures(records)]
    result["skipped"] = found.skipped
    if found.tests_from:
        result["tests_from"] = {tape: dict(origins) for tape, origins in found.tests_from.items()}
    if options.which_tests == "touching":
        result["selection"] = {name: found.selection[name] for name in ("selected", "sampled", "disagreed")}
    return result


def _in_order(record: Record) -> tuple[str, int, str]:
    """By tape, and by place on it."""
    return record.moment.tape, record.moment.event, record.moment.id


def _rewritten(records: Iterable[Record]) -> list[dict[str, str]]:
    judged = ((record, record.verdict) for record in records)
    return [_as_rewritten(record, verdict.rewriting) for record, verdict in judged if verdict and verdict.rewriting]


def _as_rewritten(record: Record, found: Rewriting) -> dict[str, str]:
    """A moment whose place was rewritten: where it is, what stood there, what stands there now, and why they do not meet."""
    moment = record.moment
    place = f"{moment.path}:{moment.line + 1}:{moment.character + 1}"
    return {"tape": moment.tape, "moment": moment.id, "place": place, **msgspec.to_builtins(found)}


def _put_no_person(result: dict[str, Any], found: Findings) -> None:
    """Say what was left out because no person wrote it: in all, and of each tape."""
    for tape, counts in found.no_person.items():
        result["tapes"][tape]["no_person"] = dict(counts)
    names = ("edits", "keys", "places")
    result["no_person"] = {name: sum(counts[name] for counts in found.no_person.values()) for name in names}


def _by_moment(result: dict[str, Any], records: Sequence[Record], found: Findings, options: ReplayOptions) -> None:
    """Add pass@k, and let keystrokes, acceptance and what passed in time be those of the first answers: a person sees one answer at a moment.

    Every share is a mean over moments anyway. `moments`, endings and verdicts are counts of answers.
    """
    first = [record for record in records if not record.moment.sample]
    of_first = summary(first, found.keys, found.efforts, measured=not found.reads_record, by=options.cluster_by)
    result["samples"] = options.samples
    for tape, figures in (("", result), *result["tapes"].items()):
        own = [record for record in records if tape in {"", record.moment.tape}]
        source = of_first["tapes"][tape] if tape else of_first
        figures["metrics"] = {
            **figures["metrics"],
            **{kind.name: source["metrics"][kind.name] for kind in FIGURES if kind.is_of_person},
            "pass_at_k": pass_at_each_k(own, options.samples, options.cluster_by),
        }
