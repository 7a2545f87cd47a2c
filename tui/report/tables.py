"""The tables of a report: names and words, a column for each run. Every figure is read from the summary of its run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tui import figures
from tui.figures import Summary, mapping
from tui.glossary import EFFORT, ENDINGS, ERROR_CLASSES, UNTESTABLE, VERDICTS
from tui.render.section import Section
from tui.report.reported import ReportedRun
from tui.tables.adherence import ADHERENCE_HEAD, adherence_rows
from tui.terminal_text import message, one_line

REASONS = 20
"""The reasons that are named of failed requests."""


_FIGURES: Sequence[tuple[str, Callable[[Summary], str]]] = (
    ("moments", figures.moments_words),
    ("with a verdict", figures.judged_words),
    ("share testable", lambda summary: figures.share_words(figures.testable_share(summary))),
    ("tests passed", figures.passed_words),
    ("clusters", figures.clusters_words),
    ("passed, by hole", figures.by_hole_words),
    ("passed in time", figures.in_time_words),
    ("suggestions accepted", lambda summary: figures.share_words(figures.metric(summary, "acceptance"))),
    ("keystrokes saved", figures.keystrokes_words),
    ("latency", figures.latency_words),
    ("not a person's", figures.no_person_words),
)
_MEANINGS = (
    ("How the moments ended", "endings", ENDINGS),
    ("Verdicts of the tests", "verdicts", VERDICTS),
    ("Why moments are untestable", "untestable", UNTESTABLE),
    ("Failures in the classes of SimCopilot's paper", "error_classes", ERROR_CLASSES),
    ("Keys in drive mode", "effort", EFFORT),
)


def figures_table(runs: Sequence[ReportedRun]) -> Section:
    """Return the figures of each run, with their 95 % intervals."""
    rows = [[name, *(value(run.summary) for run in runs)] for name, value in _FIGURES]
    rows += list(_pass_at_k(runs)) + list(_similarity(runs))
    return Section("Figures", ["", *_names(runs)], [row for row in rows if any(row[1:])])


def other_tables(runs: Sequence[ReportedRun]) -> list[Section]:
    """Return the tables of counts, groups, repairs, failures and settings; those without rows are left out."""
    found = [
        *_instructions(runs),
        *_counts(runs),
        *_groups(runs),
        *_as_published(runs),
        *_reasons(runs),
        *_skipped(runs),
    ]
    return [table for table in found if table.rows]


def _instructions(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    """What suggestions do to instructions of developers: a table for each run that was asked."""
    for run in runs:
        of = f" ({one_line(run.name)})" if len(runs) > 1 else ""
        rows = [list(row) for row in adherence_rows(run.summary)]
        yield Section(f"Instructions of developers{of}", ["", *ADHERENCE_HEAD], rows)


def _names(runs: Sequence[ReportedRun]) -> list[str]:
    return [one_line(run.name) for run in runs] if len(runs) > 1 else ["value"]


def _pass_at_k(runs: Sequence[ReportedRun]) -> Iterator[list[str]]:
    found = [mapping(run.summary.get("pass_at_k") or figures.metric(run.summary, "pass_at_k")) for run in runs]
    for k in dict.fromkeys(k for own in found for k in own if k != "1"):
        yield [f"pass@{k}", *(figures.share_words(mapping(own.get(k))) for own in found)]


def _similarity(runs: Sequence[ReportedRun]) -> Iterator[list[str]]:
    found = [mapping(run.summary.get("similarity")) for run in runs]
    for name, words in (("exact", "same as the ground truth"), ("edit_similarity", "edit similarity to the truth")):
        yield [words, *(figures.share_words(mapping(own.get(name))) for own in found)]


def _counts(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    for title, key, meanings in _MEANINGS:
        found = [figures.effort(run.summary) if key == "effort" else figures.counts(run.summary, key) for run in runs]
        if key == "error_classes" and not any(run.config.get("corpus") == "simcopilot" for run in runs):
            continue
        names = dict.fromkeys(name for own in found for name in own)
        rows = [[one_line(name), *_cells(name, key, runs, found), meanings.get(name, "")] for name in names]
        yield Section(title, ["", *(_names(runs) if len(runs) > 1 else ["number"]), "meaning"], rows)


def _cells(name: str, key: str, runs: Sequence[ReportedRun], found: Sequence[Mapping[str, int]]) -> Iterator[str]:
    for run, own in zip(runs, found, strict=True):
        share = figures.share_words(figures.shares(run.summary, key).get(name, {}))
        number = f"{own.get(name, 0):,}"
        yield f"{number}, {share}" if share else number


def _groups(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    found = [dict(figures.groups(run.summary)) for run in runs]
    for title in dict.fromkeys(title for own in found for title in own):
        by_run = [dict(own.get(title, [])) for own in found]
        names = dict.fromkeys(name for own in by_run for name in own)
        rows = [[one_line(name), *(_share_of(own.get(name, {})) for own in by_run)] for name in names]
        heads = _names(runs) if len(runs) > 1 else ["passes (95 %), of testable"]
        yield Section(f"Share that passes {title}", ["", *heads], rows)


def _share_of(share: Mapping[str, Any]) -> str:
    words = figures.share_words(share)
    return f"{words} of {share['n']:,}" if words else ""


def _as_published(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    found = [mapping(mapping(run.summary.get("as_published")).get("pass_at_k")) for run in runs]
    rows = [
        [f"pass@{k}", *(_share_of(mapping(own.get(k))) for own in found)]
        for k in dict.fromkeys(k for own in found for k in own)
    ]
    heads = _names(runs) if len(runs) > 1 else ["passes (95 %), of all"]
    yield Section("Over all tasks, as benchmarks publish it", ["", *heads], rows)


def _reasons(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    rows = [
        [message(reason).strip(), f"{number:,}", one_line(run.name)]
        for run in runs
        for reason, number in list(figures.reasons(run.summary, "failed").items())[:REASONS]
    ]
    yield Section("Why requests failed", ["reason", "number", "run"], rows)


def _skipped(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    rows = {
        (one_line(str(entry.get("tape", "?"))), one_line(str(entry.get("reason", ""))))
        for run in runs
        for entry in figures.entries(run.summary, "skipped")
    }
    yield Section("Documents in which nothing was asked", ["tape", "document"], sorted(map(list, rows)))


def settings_table(runs: Sequence[ReportedRun]) -> Section:
    """Return what each run was made with, a row a setting; with several runs those that differ come first."""
    flat = [dict(_flat(run.config)) for run in runs]
    names = dict.fromkeys(name for own in flat for name in own)
    rows = [[one_line(name), *(one_line(own.get(name, "")) for own in flat)] for name in names]
    rows.sort(key=lambda row: len(set(row[1:])) == 1)
    return Section("Settings", ["", *_names(runs)], rows)


def _flat(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _flat(item, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        yield place, ", ".join(map(str, value))
    elif value != "":
        yield place, str(value)
