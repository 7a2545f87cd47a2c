"""What a report says of a run in sentences: three that sum it up, and what a reader must know before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tui import summary_figures
from tui.glossary import ENDINGS, VERDICTS
from tui.report.reported import ReportedRun
from tui.summary_figures import mapping, number_of
from tui.terminal_text import one_line


def sentences(run: ReportedRun) -> tuple[str, str, str]:
    """Sum a run up: what was asked, what passed, and what speaks for and against it."""
    return _what(run), _passed(run), _besides(run)


def subject(config: Mapping[str, Any]) -> str:
    """Return the provider and the model of a run, as `openai qwen2.5-coder`."""
    provider = mapping(mapping(config.get("settings")).get("provider"))
    named = config.get("published") or provider.get("name") or config.get("provider") or "an unknown provider"
    return one_line(" ".join(filter(None, (str(named), str(provider.get("model") or "")))))


def _what(run: ReportedRun) -> str:
    judged = summary_figures.judged_counts(run.summary)
    moments = number_of(run.summary.get("moments", 0), "moment" if not run.is_corpus else "answer")
    how = f"the benchmark {run.config['corpus']}" if run.is_corpus else _tapes(run)
    told = "none of them was tested"
    if judged.testable or judged.untestable:
        told = f"at {judged.testable:,} of them the tests can tell whether an answer is right"
    return f"{subject(run.config)} was asked over {how}: {moments}, and {told}."


def _tapes(run: ReportedRun) -> str:
    policy = run.config.get("policy")
    mode = " in drive mode" if run.is_driven else ""
    tapes = number_of(len(summary_figures.tapes(run.summary)), "tape")
    return f"{tapes}{mode}" + (f" under the policy {one_line(str(policy))}" if policy else "")


def _passed(run: ReportedRun) -> str:
    share = summary_figures.metric(run.summary, "pass_at_1")
    words = summary_figures.share_words(share)
    if not words:
        return "No answer could be judged by tests, so there is no share that passes."
    times = " (95 % interval in brackets)" if share.get("low") is not None else " (too few clusters for an interval)"
    in_time = summary_figures.in_time_words(run.summary)
    late = f"; in time to be shown: {in_time}" if in_time else ""
    return f"Of the testable ones {words} pass the project's tests{times}{late}."


def _besides(run: ReportedRun) -> str:
    parts = [*_latency(run), *_keys(run), *_worst(run)]
    return f"{'; '.join(parts)}." if parts else "Nothing was measured besides."


def _latency(run: ReportedRun) -> Iterator[str]:
    if summary_figures.latency_is_unmeasured(run.summary):
        yield "Latency was not measured, because the answers come from a file"
    elif middle := summary_figures.latency(run.summary, "p50"):
        yield f"Half of the answers came within {middle}, 95 of 100 within {summary_figures.latency(run.summary, 'p95')}"


def _keys(run: ReportedRun) -> Iterator[str]:
    if words := summary_figures.keystrokes_words(run.summary):
        yield f"keystrokes saved: {words}"


def _worst(run: ReportedRun) -> Iterator[str]:
    found = {
        name: n
        for name, n in summary_figures.counts(run.summary, "verdicts").items()
        if name not in {"passed", "infrastructure"}
    }
    if found:
        name, number = next(iter(found.items()))
        yield f"the most frequent failure is {name}, {number:,} times ({VERDICTS.get(name, name)})"
        return
    endings = {
        name: n
        for name, n in summary_figures.counts(run.summary, "endings").items()
        if name in {"failed", "late", "empty", "filtered"}
    }
    if endings:
        name, number = next(iter(endings.items()))
        yield f"{number:,} ended as {name} ({ENDINGS[name]})"


def warnings(run: ReportedRun) -> list[str]:
    """Say what a reader must know of a run before its figures."""
    return list(_warnings(run))


def _warnings(run: ReportedRun) -> Iterator[str]:
    if run.state:
        yield f"The run is not complete ({run.state}): its figures are those of the moments so far, and keystrokes saved are not known yet."
    if not run.records:
        yield "The run has no moments: nothing was asked, or nothing was recorded yet."
    elif run.config.get("tests") is False:
        yield "The run was made without tests (--no-tests): nothing is known of which answers pass."
    elif not any(record.verdict for record in run.records):
        yield "No moment has a verdict."
    if (samples := run.config.get("samples", 1)) > 1:
        yield f"{samples} answers were asked for at each moment: each has a row in the list, and counts of endings and verdicts are of answers."
    if run.is_driven:
        yield "The run was played in drive mode: accepted text stays, so moments depend on each other, and keystrokes saved are counted by tape."
    if run.records and "shares" not in run.summary:
        yield "The run was made by an older version: figures that it did not keep are left out."
    if failed := summary_figures.counts(run.summary, "endings").get("failed", 0):
        yield f"{number_of(failed, 'request')} failed, and nothing is decided there."
    if lost := summary_figures.judged_counts(run.summary).untested:
        yield f"{number_of(lost, 'answer')} could not be tested on that machine, which is not their fault; they count nowhere."
    for entry in summary_figures.entries(run.summary, "left_out"):
        yield f"Left out: {one_line(str(entry.get('tape', '?')))}: {one_line(str(entry.get('reason', '')))}"
    for entry in summary_figures.entries(run.summary, "faults"):
        yield f"The tests of {one_line(str(entry.get('tape', '?')))}: {one_line(str(entry.get('fault', '')))}: {one_line(str(entry.get('reason', '')))}"
    yield from (one_line(str(words)) for words in mapping(run.summary.get("machine")).get("warnings") or ())
    if alike := summary_figures.alike_words(run.summary):
        yield f"{alike}."


def missing_plots(runs: Sequence[ReportedRun], *, has_library: bool) -> list[str]:
    """Say which plots there are not, and why."""
    if not has_library:
        return [
            "The plots are left out, because matplotlib is not installed: pip install 'ghosttape[report]'. The tables have the figures."
        ]
    return [
        f"{one_line(run.name)}: {words}" if len(runs) > 1 else f"{words[0].upper()}{words[1:]}"
        for run in runs
        for words in _missing(run)
    ]


def _missing(run: ReportedRun) -> Iterator[str]:
    if summary_figures.latency_is_unmeasured(run.summary):
        yield "no plot goes by latency, because the answers come from a file."
    if run.is_corpus:
        yield "a benchmark has no session, so nothing is drawn over its time."
    elif run.is_driven:
        yield "keystrokes saved in drive mode are counted by tape and have no curve."
    if run.records and not any(record.verdict for record in run.records):
        yield "nothing is drawn of what passes, because nothing was tested."
