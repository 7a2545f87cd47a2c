"""The grafts of a run's moments, found out again from its tapes (`replay.judge.retracing`)."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from replay.judge.retracing import Retraced
from replay.numbers.metrics import truth_length
from replay.records import ArmTrial, Record, Suggestion, TrailStep, Untestable
from replay.run.listing.moment_rows import row_of
from replay.run.sources.tape_shelf import TapeShelf
from tui.glossary import (
    REWRITING,
    STOPS,
    UNTESTABLE,
    adherence_told,
    block_label,
    describe_ending,
    describe_finish,
    describe_verdict,
    location,
)
from tui.report.reported import ReportedRun
from tui.summary_figures import number_of
from tui.terminal_text import bounded, clip, message, one_line, reveal_white_space, sanitize


def grafts_of(run: ReportedRun, notify: Callable[[str], None]) -> dict[str, dict[str, str]]:
    """Moment's id → the `lines` in which its graft differs from the finished project, or `why` it has none.

    Nothing for moments that were not answered, and where tapes cannot be read: that is said by `notify`.
    """
    if run.is_corpus or run.is_driven:
        return {}
    shelf, found = TapeShelf(run.origins, run.config), dict[str, dict[str, str]]()
    by_tape: dict[str, list[Record]] = defaultdict(list)
    for record in run.records:
        if record.suggestion or (record.missed and record.missed.suggestion):
            by_tape[record.moment.tape].append(record)
    unread: Counter[str] = Counter()
    for name, records in by_tape.items():
        tape = shelf.read(name)
        if isinstance(tape, str):
            unread[tape] += 1
            continue
        found.update((record.moment.id, _told(traced)) for record, traced in tape.retrace_all(records))
    for reason, number in unread.items():
        notify(f"{one_line(run.name)}: no grafts of {number_of(number, 'tape')} are shown: {one_line(reason)}")
    return found


def _told(traced: Retraced | Untestable) -> dict[str, str]:
    if isinstance(traced, Retraced):
        first = difference(traced.finished, traced.graft, places=True)
        more = [f"{path}\n{difference(*texts, places=True)}" for path, texts in traced.others.items()]
        return {"lines": "\n".join([first, *more])}
    return {"why": f"There is no graft: {UNTESTABLE.get(traced, traced)}."}


# What a report tells of one moment: the rows of its list, and the details of each, as values for JSON.
#
# Every text of tapes, models and tests is made harmless here (`tui.terminal_text`): the page shows it as text, and text alone.

ABOVE, BELOW = 12, 6
"""The lines around the cursor that are shown."""
_GIVEN_UP = "The editor gave this request up; below is the answer that it would have had."


def listed(record: Record | None) -> list[Any] | None:
    """Return what the list says of a record in one run: ending, its reason, verdict, its reason, latency in ms, repairs, first line; None without a record."""
    if record is None:
        return None
    row = row_of(record, 0)
    latency = None if row.latency is None else round(row.latency, 1)
    reason = one_line(row.ending_reason)[:80]
    repairs = row.repairs.strip("|").replace("|", ", ")
    why = one_line(row.verdict_reason)[:80]
    return [row.ending, reason, row.verdict, why, latency, one_line(repairs), one_line(row.suggestion)]


def place(record: Record) -> list[Any]:
    """Return what the list says of a moment: id, place, tape, language, block, length of the truth in characters."""
    moment = record.moment
    sample = f", answer {moment.sample + 1}" if moment.sample else ""
    texts = (moment.id, location(record) + sample, moment.tape, moment.language, block_label(record))
    return [*map(one_line, texts), truth_length(record)]


def around(record: Record) -> dict[str, Any]:
    """Return what is the same for each run at a moment: the code around the cursor, the ground truth, and facts."""
    moment = record.moment
    facts = [
        ("tape", moment.tape),
        ("event", f"{moment.event:,}"),
        ("language", moment.language),
        ("block", block_label(record)),
        ("wanted", STOPS.get(moment.stop, moment.stop)),
        ("function", moment.function),
        ("program", moment.program),
    ]
    return {
        "facts": [[name, one_line(value)] for name, value in facts if value],
        "before": clip("\n".join(sanitize(moment.before).split("\n")[-ABOVE:])),
        "after": clip("\n".join(sanitize(moment.after).split("\n")[:BELOW])),
        "truth": bounded(moment.truth),
    }


def details(record: Record, graft: Mapping[str, str] | None, trials: Sequence[ArmTrial] = ()) -> dict[str, Any]:
    """Return what one run has of a moment; `graft` is as of `tui.report.report_grafts`, None where there is none."""
    missed = record.missed.suggestion if record.missed else None
    offered, verdict = record.suggestion or missed, record.verdict or (record.missed.verdict if record.missed else None)
    told: dict[str, Any] = {
        "ending": one_line(describe_ending(record.ending)),
        "verdict": one_line(describe_verdict(verdict)),
        "note": _GIVEN_UP if record.suggestion is None and missed else "",
        "facts": [[name, one_line(value)] for name, value in _facts(record, offered)],
        "graft": graft or {},
        "arms": [
            [
                one_line(trial.arm),
                one_line(describe_verdict(trial.verdict)) if trial.text else "nothing was left to offer",
            ]
            for trial in trials
        ],
    }
    if offered:
        told |= _answer(offered) | {"truth": difference(record.moment.truth, offered.text)}
    if verdict:
        told |= {"message": message(verdict.message), "log": bounded(verdict.log)}
        if verdict.rewriting:
            then_now = difference(verdict.rewriting.then, verdict.rewriting.now)
            told["rewritten"] = {"why": REWRITING[verdict.rewriting.cause], "lines": then_now}
    return told


def _facts(record: Record, offered: Suggestion | None) -> Iterator[tuple[str, str]]:
    verdict = record.verdict
    if offered:
        yield "provider", offered.provider
        yield "latency", f"{offered.latency:,.0f} ms"
        if offered.first_token is not None:
            yield "first token", f"{offered.first_token:,.0f} ms"
        if offered.cache != "none":
            yield "cache", offered.cache
        if finish := describe_finish(offered):
            yield "finish", finish
    if record.covered:
        yield "edits made unnecessary", f"{len(record.covered):,}, for {record.keys:,} keys"
    if verdict:
        if verdict.passed is not None:
            yield "tests", f"{verdict.passed:,} passed, {verdict.failed or 0:,} failed"
        if verdict.wall_ms:
            yield "tests took", f"{verdict.wall_ms:,.0f} ms"
        if verdict.fixed:
            yield "in the hole that is wanted", verdict.fixed
        for name, ids in adherence_told(verdict).items():
            yield f"instructions {name}", ", ".join(ids)
    if record.missed and record.missed.failed:
        yield "asked again", f"failed: {record.missed.failed}"


def _answer(offered: Suggestion) -> dict[str, Any]:
    raw = bounded(offered.raw) if offered.raw != offered.text else ""
    return {
        "text": bounded(offered.text),
        "raw": raw,
        "prompt": bounded(offered.prompt),
        "trail": [_step(step) for step in offered.trail],
    }


def _step(step: TrailStep) -> dict[str, Any]:
    return {"step": one_line(step.step), "undone": step.undone, "lines": difference(step.before, step.after)}


def difference(before: str, after: str, *, places: bool = False) -> str:
    """Return which lines of `before` (-) become which of `after` (+), three lines around them; empty if there is no difference.

    White space that matters is visible. With `places` each part begins with where it is (`@@ -12,7 +12,9 @@`, lines from 1).
    """
    old, new = (reveal_white_space(text).split("\n") for text in (before, after))
    lines = list(difflib.unified_diff(old, new, n=3, lineterm=""))[2:]
    return clip("\n".join(line for line in lines if places or not line.startswith("@@")))


def in_rows(by_run: Sequence[Mapping[str, Record]]) -> dict[str, list[Record | None]]:
    """Moment's id → its record in each run, in the order of the first run; moments that only later ones have come behind."""
    ids = dict.fromkeys(id_ for own in by_run for id_ in own)
    return {id_: [own.get(id_) for own in by_run] for id_ in ids}
