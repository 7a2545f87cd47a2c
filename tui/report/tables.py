"""The tables of a report: names and words, a column for each run. Every figure is read from the summary of its run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from tui import figures
from tui.figures import Summary, mapping
from tui.render.section import Section
from tui.report.reported import ReportedRun
from tui.tables.sections import count_sections, figures_section, group_sections, heads, instructions_section, share_of

REASONS = 20
"""The reasons that are named of failed requests."""


def figures_table(runs: Sequence[ReportedRun]) -> Section:
    """Return the figures of each run, with their 95 % intervals."""
    return figures_section(_summaries(runs))


def _summaries(runs: Sequence[ReportedRun]) -> dict[str, Summary]:
    return {run.name: run.summary for run in runs}


def other_tables(runs: Sequence[ReportedRun]) -> list[Section]:
    """Return the tables of counts, groups, repairs, failures and settings; those without rows are left out."""
    found, total = _summaries(runs), runs[0].summary if len(runs) == 1 else None
    sections = [
        *_instructions(runs),
        *count_sections(found, total),
        *group_sections(found),
        _as_published(found),
        _reasons(runs),
        _skipped(runs),
    ]
    return [section for section in sections if section.rows]


def _instructions(runs: Sequence[ReportedRun]) -> Iterator[Section]:
    """What suggestions do to instructions of developers: a table for each run that was asked."""
    for run in runs:
        section = instructions_section(run.summary)
        yield replace(section, title=f"{section.title} ({run.name})") if len(runs) > 1 else section


def _as_published(runs: Mapping[str, Summary]) -> Section:
    found = [mapping(mapping(run.get("as_published")).get("pass_at_k")) for run in runs.values()]
    rows = [
        [f"pass@{k}", *(share_of(mapping(own.get(k))) for own in found)]
        for k in dict.fromkeys(k for own in found for k in own)
    ]
    return Section("over all tasks, as benchmarks publish it", ["", *heads(list(runs), "passes (95 %), of all")], rows)


def _reasons(runs: Sequence[ReportedRun]) -> Section:
    rows = [
        [reason.strip(), f"{number:,}", run.name]
        for run in runs
        for reason, number in islice(figures.reasons(run.summary, "failed").items(), REASONS)
    ]
    return Section("why requests failed", ["reason", "number", "run"], rows)


def _skipped(runs: Sequence[ReportedRun]) -> Section:
    rows = {
        (str(entry.get("tape", "?")), str(entry.get("reason", "")))
        for run in runs
        for entry in figures.entries(run.summary, "skipped")
    }
    return Section("documents in which nothing was asked", ["tape", "document"], sorted(map(list, rows)))


def settings_table(runs: Sequence[ReportedRun]) -> Section:
    """Return what each run was made with, a row a setting; with several runs those that differ come first."""
    flat = [dict(_flat(run.config)) for run in runs]
    rows = [
        [name, *(own.get(name, "") for own in flat)] for name in dict.fromkeys(name for own in flat for name in own)
    ]
    rows.sort(key=lambda row: len(set(row[1:])) == 1)
    return Section("settings", ["", *heads([run.name for run in runs], "value")], rows)


def _flat(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _flat(item, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list | tuple):
        yield place, ", ".join(map(str, value))
    elif value != "":
        yield place, str(value)
