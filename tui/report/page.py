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

from tui.render.section import tone_of
from tui.report.compared import comparisons
from tui.report.grafts import grafts_of
from tui.report.packing import chunked, packed
from tui.report.report_text import missing_plots, sentences, warnings
from tui.report.reported import ReportedRun
from tui.report.retold import around, details, in_rows, listed, place
from tui.report.tables import figures_table, other_tables, settings_table
from tui.terminal_text import one_line

if TYPE_CHECKING:
    from tui.report.plots import ReportPlot

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
