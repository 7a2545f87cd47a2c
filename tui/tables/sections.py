"""What summaries and comparisons of runs show, as sections. The terminal, Markdown and reports take them from here."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from corpora.registry import error_classes
from replay.numbers.section import TOO_FEW, Section
from tui import summary_figures
from tui.glossary import EFFORT, ENDINGS, UNTESTABLE, VERDICTS
from tui.summary_figures import (
    Summary,
    chance_words,
    mapping,
    measure_name,
    measure_words,
    measured_net_words,
    net_words,
    passing_words,
    percent,
    share_words,
)
from tui.terminal_text import one_line, shorten

REASONS = 5
"""The number of an ending's reasons that are named: the most frequent ones."""
_NAME = 40
"""The cells of a group's name that are shown."""
_REASON = 60
"""The cells that a reason takes at most, where several stand in a line."""
_MEANINGS: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("how the moments ended", "endings", ENDINGS),
    ("verdicts of the tests", "verdicts", VERDICTS),
    ("why moments are untestable", "untestable", UNTESTABLE),
    ("keys in drive mode", "effort", EFFORT),
)
ADHERENCE_HEAD = ("follow", "share", "follow and pass", "follow, fail", "break, pass")
"""The columns of instructions: of the suggestions that one concerns, those that follow it, and how both did in the tests."""
_NARROW = (0, 1, 2, 4, 5)
"""The columns of instructions that 80 cells have room for."""


def heads(names: Sequence[str], alone: str) -> list[str]:
    """What the columns of runs are called: by their names, or, where there is one, by what it holds."""
    return list(names) if len(names) > 1 else [alone]


def figures_section(runs: Mapping[str, Summary]) -> Section:
    """The figures of each run, with their 95 % intervals; those that no run has are left out."""
    rows = [[row.title, *map(row.words, runs.values())] for row in summary_figures.figure_rows(runs.values())]
    return Section("figures", ["", *heads(list(runs), "value")], [row for row in rows if any(row[1:])])


def narrow_figures_section(runs: Mapping[str, Summary]) -> Section:
    """The same figures for narrow columns, of which the last is the total: it decides which rows there are."""
    *_, total = runs.values()
    parts = [
        part for row in summary_figures.figure_rows(runs.values()) for part in row.narrow or ((row.title, row.words),)
    ]
    return Section("", ["", *runs], [[name, *map(words, runs.values())] for name, words in parts if words(total)])


def count_sections(
    runs: Mapping[str, Summary], total: Summary | None = None, *, shares: bool = True, without: str = ""
) -> Iterator[Section]:
    """How the moments of runs ended, what their verdicts are, and the rest that is counted by name. `total` decides the rows, and has the reasons of endings."""
    of_papers = error_classes(name for run in runs.values() if isinstance(name := run.get("corpus"), str))
    classes = [("failures in the classes of the benchmark's paper", "error_classes", of_papers)] if of_papers else []
    for title, key, names in (*_MEANINGS, *classes):
        found = [_counts(run, key) for run in runs.values()]
        if key == without:
            continue
        rows = [
            [
                name,
                *(_cell(own, run, key, name, shares=shares) for own, run in zip(found, runs.values(), strict=True)),
                _meaning(names.get(name, ""), key, name, total),
            ]
            for name in dict.fromkeys(name for own in ([_counts(total, key)] if total else found) for name in own)
        ]
        if rows:
            yield Section(title, ["", *heads(list(runs), "number"), "meaning"], rows)


def _counts(run: Summary, key: str) -> Mapping[str, int]:
    return summary_figures.effort(run) if key == "effort" else summary_figures.counts(run, key)


def _cell(own: Mapping[str, int], run: Summary, key: str, name: str, *, shares: bool) -> str:
    share = summary_figures.share_words(summary_figures.shares(run, key).get(name, {})) if shares else ""
    return f"{own.get(name, 0):,}" + (f", {share}" if share else "")


def _meaning(meaning: str, key: str, ending: str, total: Summary | None) -> str:
    """What a row means. Behind that of an ending stand its reasons; those of failures are sentences, and have a section of their own."""
    found = summary_figures.reasons(total, ending) if total and key == "endings" and ending != "failed" else {}
    if not found:
        return meaning
    named = [f"{shorten(one_line(reason), _REASON)} {number:,}" for reason, number in islice(found.items(), REASONS)]
    more = [f"{len(found) - REASONS:,} other reasons"] if len(found) > REASONS else []
    return f"{meaning}: {', '.join([*named, *more])}"


def lengths_section(runs: Mapping[str, Summary]) -> Section:
    """The share that passes by the length of the ground truth; the last run decides which lengths there are."""
    found = [summary_figures.lengths(run) for run in runs.values()]
    rows = [
        [f"{name} characters", *(summary_figures.share_words(own.get(name, {})) for own in found)] for name in found[-1]
    ]
    return Section("by length of truth", ["", *heads(list(runs), "value")], rows)


def group_sections(runs: Mapping[str, Summary]) -> Iterator[Section]:
    """The share that passes in groups: by language, category, tape and length of the ground truth."""
    found = [dict(summary_figures.groups(run)) for run in runs.values()]
    for title in dict.fromkeys(title for own in found for title in own):
        by_run = [dict(own.get(title, [])) for own in found]
        rows = [
            [name, *(share_of(own.get(name, {})) for own in by_run)]
            for name in dict.fromkeys(name for own in by_run for name in own)
        ]
        yield Section(f"share that passes {title}", ["", *heads(list(runs), "passes (95 %), of testable")], rows)


def share_of(share: Mapping[str, Any]) -> str:
    """A share with the number that it is of, as `39 % (24-56 %) of 31` with a long dash."""
    words = summary_figures.share_words(share)
    return f"{words} of {share['n']:,}" if words else ""


def instructions_section(summary: Summary, *, narrow: bool = False) -> Section:
    """What suggestions do to instructions of developers: a row for all together where there are several, and one for each."""
    found = mapping(summary.get("instructions"))
    by_id = mapping(found.get("by_id"))
    named = {**({"all of them": found.get("all")} if len(by_id) > 1 else {}), **by_id}
    rows = [[name, *_adherence_cells(mapping(own))] for name, own in named.items()]
    section = Section("instructions of developers", ["", *ADHERENCE_HEAD], rows)
    if not narrow:
        return section
    columns, *rows = ([row[at] for at in _NARROW] for row in (section.columns, *rows))
    return replace(
        section,
        columns=columns,
        rows=rows,
        note="of the suggestions that an instruction concerns (docs/codealign.md)",
    )


def _adherence_cells(found: Mapping[str, Any]) -> Iterator[str]:
    results = mapping(found.get("results"))
    yield f"{results.get('followed', 0):,} of {results.get('followed', 0) + results.get('broken', 0):,}"
    yield summary_figures.share_words(mapping(found.get("adherence")))
    yield summary_figures.share_words(mapping(found.get("follows_and_passes")))
    yield f"{found.get('follows_and_fails', 0):,}"
    yield f"{found.get('breaks_and_passes', 0):,}"


def failures_section(summary: Summary) -> Section:
    """The most frequent reasons of failed requests, each in full."""
    found = summary_figures.reasons(summary, "failed")
    rows = [[f"{number:,}", reason.strip()] for reason, number in islice(found.items(), REASONS)]
    more = f"and {len(found) - REASONS:,} more (--json names them under reasons)" if len(found) > REASONS else ""
    return Section("why requests failed", ["", "meaning"], rows, more)


def machine_section(summary: Summary) -> Section:
    """Why the measured latencies may not be those of a quiet machine; without rows if it was one."""
    rows = [[words] for words in mapping(summary.get("machine")).get("warnings") or ()]
    note = "endings depend on them: --record-answers keeps latencies, so that a run repeats from them"
    return Section("measured latencies: this machine was not quiet", ["meaning"], rows, note)


def listed_section(entries: Iterable[Mapping[str, Any]], title: str) -> Section:
    """The entries of a list in a summary: a tape, and what is said of it."""
    rows = [
        [shorten(one_line(str(entry.get("tape", "?"))), 30), ": ".join(str(entry[part]) for part in ("fault", "reason") if entry.get(part))]
        for entry in entries
    ]  # fmt: skip
    return Section(title, ["", "meaning"], rows)


def runs_section(found: Mapping[str, Any]) -> Section:
    """A row for each run: what it is called, and its figures."""
    names = _short_names([run["name"] for run in found["runs"]])
    rows = [
        [
            run["label"],
            name,
            f"{run['moments']:,}",
            share_words(run["pass_at_1"]),
            "" if (in_time := run["passed_in_time"].get("value")) is None else f"{percent(in_time)} %",
            "" if run["latency_p50"] is None else f"{run['latency_p50']:,.0f}",
            "" if run["cost"] is None else f"{run['cost']:,.2f}",
        ]
        for run, name in zip(found["runs"], names, strict=True)
    ]
    return Section("", ["", "run", "moments", "pass@1 (95 %)", "in time", "p50 ms", "cost"], rows)


def _short_names(names: Sequence[str]) -> list[str]:
    """Names without the folders that all have in common."""
    shared = os.path.commonpath([os.path.dirname(name) for name in names]) if all("/" in name for name in names) else ""  # noqa: PTH120 - names
    return [name.removeprefix(shared).removeprefix("/") if shared not in {"", "/"} else name for name in names]


def passes_section(found: Mapping[str, Any], letter: str) -> Section:
    """What both sides pass, and the difference."""
    one = found["difference"]
    head = [
        "",
        "A passes",
        f"{letter} passes",
        "pairs in clusters",
        "points (95 %)",
        "p (Holm)" if one["of"] > 1 else "p",
    ]
    pairs = f"{one['n']:,} in {one['clusters']:,}"
    sides = map(passing_words, found["passed"])
    row = ["all", *sides, pairs, net_words(one["net"]), chance_words(one["p_adjusted"])]
    return Section("Tests passed", head, [row])


def measure_sections(found: Mapping[str, Any], letter: str) -> Iterator[Section]:
    """The other measures of a comparison, and how far both sides follow instructions of developers."""
    for key, title in (("metrics", "other measures"), ("instructions", "instructions of developers")):
        head = ["", "A", letter, "difference (95 %)", "p", f"{letter} is"]
        yield Section(f"{title}, {letter} less A (p adjusted by Holm)", head, [_measured(one) for one in found[key]])


def _measured(one: Mapping[str, Any]) -> Sequence[str]:
    return [
        measure_name(one["metric"]),
        measure_words(one["first"], one["unit"]),
        measure_words(one["second"], one["unit"]),
        measured_net_words(one["net"], one["unit"]),
        chance_words(one["p_adjusted"]),
        "" if one["says"] == "not told apart" else one["says"],
    ]


def groups_section(found: Mapping[str, Any], letter: str) -> Section:
    """The difference in each group of moments."""
    rows = [
        [
            shorten(one_line(f"{one['by']} {one['group']}"), _NAME),
            f"{one['n']:,} in {one['clusters']:,}",
            net_words(one["net"]),
            chance_words(one["p_adjusted"]),
            TOO_FEW.get(one["says"], one["says"]),
        ]
        for one in found["breakdowns"]
    ]
    words = f"too few: not told from chance, and the interval is wider than {100 * found['asked']:g} points"
    note = words if any(one["says"] in TOO_FEW for one in found["breakdowns"]) else ""
    head = ["", "pairs in clusters", "points (95 %)", "p", f"{letter} passes"]
    return Section(f"{letter} less A in groups (p adjusted by Holm)", head, rows, note)
