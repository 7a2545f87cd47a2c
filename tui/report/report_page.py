"""A report: one file of HTML that asks nothing of a network, and in which no text of a run is anything but text.

A Content-Security-Policy allows the page's own style and script, by their digests, and nothing else: no request, no other script, no form.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from replay.numbers.section import tone_of
from tui.report.report_grafts import around, details, grafts_of, in_rows, listed, place
from tui.report.report_text import missing_plots, sentences, warnings
from tui.report.reported import ReportedRun
from tui.terminal_text import one_line

if TYPE_CHECKING:
    from tui.report.plots import ReportPlot
import gzip
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

import msgspec

from replay.numbers.comparison import LETTERS, ComparedRun, compare_runs, figures_of
from replay.numbers.paired.fronts import fronts
from replay.numbers.paired.paired_moments import shared_moments
from replay.numbers.paired.sentences import front_sentences, side_names
from replay.numbers.section import Section
from tui import summary_figures
from tui.summary_figures import Summary, mapping
from tui.tables.sections import (
    count_sections,
    figures_section,
    group_sections,
    groups_section,
    heads,
    instructions_section,
    measure_sections,
    passes_section,
    share_of,
)

_ASSETS = Path(__file__).with_name("assets")


def page(runs: Sequence[ReportedRun], notify: Callable[[str], None], found: Mapping[str, Any] | None = None) -> str:
    """Lay out the report of some runs; what could not be shown is said by `notify`. `found` is the comparison of the runs that is shown (`comparisons`)."""
    style, script = _asset("page.css"), _asset("page.js")
    library = find_spec("matplotlib") is not None
    told = comparisons(runs, found)
    plots = _plots(runs, told.labels) if library else []
    env = Environment(loader=FileSystemLoader(_ASSETS), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    env.filters["line"] = one_line
    return env.get_template("page.html.jinja").render(
        tone_of=tone_of,
        title=f"ghosttape: {', '.join(one_line(run.name) for run in runs)}",
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - a file of ours
        script=Markup(script),  # noqa: S704 - as above
        version=version("ghosttape"),
        runs=[_run(run, label, is_alone=len(runs) == 1) for run, label in zip(runs, told.labels, strict=True)],
        figures=figures_table(runs),
        comparisons=told.each,
        fronts=told.fronts,
        plots=plots,
        plot_notes=missing_plots(runs, has_library=library),
        tables=other_tables(runs),
        settings=settings_table(runs),
        **_moments(runs, told.labels, notify),
    )


def _plots(runs: Sequence[ReportedRun], labels: Sequence[str]) -> list[ReportPlot]:
    from tui.report.plots import plots_of  # matplotlib takes half a second to load

    return plots_of(runs, labels)


def _run(run: ReportedRun, letter: str, *, is_alone: bool) -> dict[str, Any]:
    return {
        "name": one_line(run.name),
        "letter": letter,
        "prefix": "" if is_alone else f"{letter}: ",
        "sentences": sentences(run),
        "warnings": warnings(run),
    }


def _moments(runs: Sequence[ReportedRun], labels: Sequence[str], notify: Callable[[str], None]) -> dict[str, Any]:
    """The list and the details, packed; both empty where there are no moments."""
    rows = in_rows([{record.moment.id: record for record in run.records} for run in runs])
    if not rows:
        return {"index": "", "chunks": []}
    grafts = [grafts_of(run, notify) for run in runs]
    chunks = list(chunked(_details(rows, runs, grafts)))
    index = {
        "runs": [one_line(run.name) for run in runs],
        "labels": list(labels),
        "chunks": [number for number, _ in chunks],
        "rows": [[*place(next(filter(None, own))), [listed(record) for record in own]] for own in rows.values()],
    }
    return {"index": packed(index), "chunks": [text for _, text in chunks]}


def _details(
    rows: Mapping[str, Sequence[Any]], runs: Sequence[ReportedRun], grafts: Sequence[Mapping[str, Mapping[str, str]]]
) -> Iterator[dict[str, Any]]:
    for id_, own in rows.items():
        told = [
            details(record, graft.get(id_), run.trials.get(id_, ())) if record else None
            for run, record, graft in zip(runs, own, grafts, strict=True)
        ]
        yield around(next(filter(None, own))) | {"runs": told}


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy: nothing but this style and this script."""
    own = {"style-src": style, "script-src": script}
    allowed = "; ".join(f"{name} 'sha256-{_digest(text)}'" for name, text in own.items())
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# Data in a page: compressed, and unpacked by the browser when they are looked at.

CHUNK = 300_000
"""The bytes of JSON from which on a chunk is closed: unpacking one takes a browser a few milliseconds."""


def packed(value: Any) -> str:
    """Return a value as JSON, compressed by gzip, in base64: no character of it means anything in HTML. Equal values give equal texts."""
    return _closed(msgspec.json.encode(value))


def chunked(values: Iterable[Any], size: int = CHUNK) -> Iterator[tuple[int, str]]:
    """Put values into chunks, each a packed list: give how many a chunk holds, and its text."""
    found: list[bytes] = []
    held = 0
    for value in values:
        found.append(msgspec.json.encode(value))
        held += len(found[-1])
        if held >= size:
            yield len(found), _of(found)
            found, held = [], 0
    if found:
        yield len(found), _of(found)


def _of(found: Sequence[bytes]) -> str:
    return _closed(b"[" + b",".join(found) + b"]")


def _closed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


# The tables of a report: names and words, a column for each run. Every figure is read from the summary of
# its run.

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
        for reason, number in islice(summary_figures.reasons(run.summary, "failed").items(), REASONS)
    ]
    return Section("why requests failed", ["reason", "number", "run"], rows)


def _skipped(runs: Sequence[ReportedRun]) -> Section:
    rows = {
        (str(entry.get("tape", "?")), str(entry.get("reason", "")))
        for run in runs
        for entry in summary_figures.entries(run.summary, "skipped")
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


# The comparison of a report's runs: each with the first, by `replay.numbers.comparison.compare_runs`.

ASKED = 0.05
"""The least difference that matters, as a share: what `ghosttape compare` takes by default."""


_STATES = {"": "finished", "still running": "being written", "stopped before its end": "stopped"}


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """What one side does against the first: a sentence, what makes them hard to compare, and sections."""

    title: str
    notes: Sequence[str]
    sentences: Sequence[str]
    sections: Sequence[Section] = ()


@dataclass(frozen=True, slots=True)
class ReportComparisons:
    """All that a page says of how runs compare; `labels` are what the runs are called, in their order."""

    labels: Sequence[str]
    each: Sequence[ReportComparison]
    fronts: Sequence[str]


def comparisons(runs: Sequence[ReportedRun], found: Mapping[str, Any] | None = None) -> ReportComparisons:
    """Lay out the document of `replay.numbers.comparison.compare_sides` over the runs; without one each run is compared with the first, and those that share no moment with it are named."""
    if found is not None:
        first, *others = side_names(found)
        told = [
            _compared(first, name, letter, one)
            for letter, name, one in zip(LETTERS[1:], others, found["comparisons"], strict=False)
        ]
        return ReportComparisons([run["label"] for run in found["runs"]], told, list(front_sentences(found)))
    kept = [ComparedRun(run.name, run.config, run.records, run.summary, run.by, _STATES[run.state]) for run in runs]
    labelled = [{"label": LETTERS[at % 26], **figures_of(run), "name": LETTERS[at % 26]} for at, run in enumerate(kept)]
    lines = list(front_sentences({"runs": labelled, "fronts": fronts(labelled)}))
    return ReportComparisons([run["label"] for run in labelled], _with_first(kept), lines)


def _with_first(kept: Sequence[ComparedRun]) -> list[ReportComparison]:
    sharing = [run for run in kept[1:] if shared_moments(kept[0].records, run.records)]
    found = iter(compare_runs([kept[0], *sharing], None, ASKED)["comparisons"] if sharing else [])
    return [
        _compared(kept[0].name, run.name, letter, next(found) if run in sharing else None)
        for letter, run in zip(LETTERS[1:], kept[1:], strict=False)
    ]


def _compared(first: str, second: str, letter: str, found: Mapping[str, Any] | None) -> ReportComparison:
    title = f"{letter} ({one_line(second)}) less A ({one_line(first)})"
    if found is None:
        return ReportComparison(title, [], ["The two runs have no moment in common, so they cannot be compared."])
    sentence = str(found["difference"]["sentence"]).replace("B passes", f"{letter} passes", 1)
    notes = [one_line(note) for note in found["notes"]]
    return ReportComparison(
        title,
        notes,
        [f"{sentence[0].upper()}{one_line(sentence[1:])}."],
        [section for section in _sections(found, letter) if section.rows],
    )


def _sections(found: Mapping[str, Any], letter: str) -> Iterator[Section]:
    yield passes_section(found, letter)
    yield from measure_sections(found, letter)
    yield groups_section(found, letter)
