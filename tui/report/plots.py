"""The plots of a report. Each comes with a table that says the same; every number is of a run's summary or of `replay.numbers`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from replay.numbers.curves import (
    changes_by_repair,
    pass_by_latency,
    passed_within,
    saved_over_tape,
    verdicts_over_session,
)
from replay.numbers.flows import flow
from tui import figures
from tui.figures import DASH, mapping, net_words, share_words
from tui.report.drawing import COLOURS, HEIGHT, drawn
from tui.report.flow_plot import draw_flow
from tui.report.reported import ReportedRun
from tui.report.tables import ReportTable
from tui.terminal_text import one_line, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 24
"""The groups that a plot shows; the tables have all."""
_TAPES = 6
"""The tapes whose keystrokes are drawn: those with the most saved."""
_SERIES = tuple(COLOURS[f"c{number}"] for number in range(1, 7))
_MARKS = "osD^vP"


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot: its title, what it shows in a sentence, and a table of the same numbers."""

    title: str
    caption: str
    svg: Markup
    table: ReportTable


def plots_of(runs: Sequence[ReportedRun]) -> list[ReportPlot]:
    """Draw what the runs have the numbers for."""
    found = [*_latency(runs), *_groups(runs)]
    for run in runs:
        own = [*_flow(run), *_repairs(run), *_keys(run), *_session(run)]
        found += own if len(runs) == 1 else [_named(plot, run) for plot in own]
    return found


def _named(plot: ReportPlot, run: ReportedRun) -> ReportPlot:
    return replace(plot, title=f"{plot.title}: {shorten(one_line(run.name), 24, keep_end=True)}")


def _points(
    axes: Axes, places: Sequence[float], shares: Sequence[Mapping[str, Any]], series: int, *, line: bool = True
) -> None:
    """Draw shares in percent with their intervals, which are left out where there are none."""
    values = [100 * share["value"] for share in shares]
    below = [max(0.0, value - 100 * _end(share, "low")) for value, share in zip(values, shares, strict=True)]
    above = [max(0.0, 100 * _end(share, "high") - value) for value, share in zip(values, shares, strict=True)]
    colour = _SERIES[series % 6]
    axes.errorbar(places, values, (below, above), fmt=_MARKS[series % 6] + ("-" if line else ""), color=colour, markersize=4, linewidth=1.4, elinewidth=1, capsize=2)  # fmt: skip


def _end(share: Mapping[str, Any], end: str) -> float:
    found = share.get(end)
    return float(share["value"] if found is None else found)


def _key(axes: Axes, runs: Sequence[ReportedRun]) -> None:
    """Name the series, where there are several."""
    if len(runs) < 2:
        return
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=_SERIES[at % 6], marker=_MARKS[at % 6], markersize=4, linewidth=1.4, label=shorten(one_line(run.name), 24, keep_end=True)) for at, run in enumerate(runs)]  # fmt: skip
    axes.legend(handles=handles, loc="best", fontsize=9)


def _percents(axes: Axes) -> None:
    axes.set_ylim(0, 100)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.grid(axis="y", color=COLOURS["line"], linewidth=0.6)
    axes.set_axisbelow(True)


def _latency(runs: Sequence[ReportedRun]) -> Iterator[ReportPlot]:
    """Draw the quality against latency, by run and by class, and what would have come in time."""
    timed = [run for run in runs if not run.is_corpus and not figures.latency_is_unmeasured(run.summary)]
    timed += [run for run in runs if run.is_corpus and not figures.latency_is_unmeasured(run.summary)]
    if len(runs) > 1:
        yield from _against_latency([run for run in timed if figures.metric(run.summary, "pass_at_1").get("value") is not None])  # fmt: skip
    classes = [(run, pass_by_latency(run.first_answers, run.by)) for run in timed]
    if classes := [(run, rows) for run, rows in classes if rows]:
        yield _by_latency(classes, many=len(runs) > 1)
    curves = [(run, passed_within(run.first_answers, run.by)) for run in timed]
    if curves := [(run, rows) for run, rows in curves if rows[0]["n"]]:
        yield _in_time(curves, many=len(runs) > 1)


def _against_latency(runs: Sequence[ReportedRun]) -> Iterator[ReportPlot]:
    found = [(run, figures.metric(run.summary, "pass_at_1"), figures.metric(run.summary, "latency_ms")) for run in runs]
    if len(found) < 2:
        return

    def draw(axes: Axes) -> None:
        for at, (_, share, latency) in enumerate(found):
            _points(axes, [latency["p50"]], [share], at, line=False)
            low, high = latency.get("p50_low"), latency.get("p50_high")
            if low is not None and high is not None:
                axes.hlines(100 * share["value"], low, high, color=_SERIES[at % 6], linewidth=1)
        _percents(axes)
        axes.set_xlim(left=0)
        axes.set_xlabel("latency p50, ms")
        _key(axes, runs)

    title = "Quality against latency"
    rows = [[one_line(run.name), share_words(share), figures.latency(run.summary, "p50")] for run, share, _ in found]
    yield ReportPlot(title, "Share of testable moments that pass, and the median latency, each with its 95 % interval. Better is up and to the left.", drawn(draw, title), ReportTable(title, ["run", "passes (95 %)", "latency p50"], rows))  # fmt: skip


def _by_latency(found: Sequence[tuple[ReportedRun, Sequence[Mapping[str, Any]]]], *, many: bool) -> ReportPlot:
    names = {(row["above"], row["up_to"]): _class(row) for _, rows in found for row in rows}
    order = [names[key] for key in sorted(names, key=lambda key: key[0])]

    def draw(axes: Axes) -> None:
        for at, (_, rows) in enumerate(found):
            shift = (at - (len(found) - 1) / 2) * 0.12
            _points(axes, [order.index(_class(row)) + shift for row in rows], rows, at)
        axes.set_xticks(range(len(order)), order, fontsize=9.5)
        _percents(axes)
        axes.set_xlabel("latency, ms")
        _key(axes, [run for run, _ in found])

    title = "Quality by latency of the answer"
    return ReportPlot(
        title,
        "Share that passes of the testable answers that took so long, with 95 % intervals.",
        drawn(draw, title),
        ReportTable(
            title,
            ["latency, ms", *_heads(found, many)],
            [[name, *(_cell(rows, name) for _, rows in found)] for name in order],
        ),
    )


def _class(row: Mapping[str, Any]) -> str:
    return f"over {row['above']:,}" if row["up_to"] is None else f"{row['above']:,}{DASH}{row['up_to']:,}"


def _cell(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    return next((f"{share_words(row)} of {row['n']:,}" for row in rows if _class(row) == name), "")


def _heads(found: Sequence[tuple[ReportedRun, Any]], many: bool) -> list[str]:
    return [one_line(run.name) for run, _ in found] if many else ["passes (95 %), of testable"]


def _in_time(found: Sequence[tuple[ReportedRun, Sequence[Mapping[str, Any]]]], *, many: bool) -> ReportPlot:
    budgets = [row["budget"] for row in found[0][1]]

    def draw(axes: Axes) -> None:
        for at, (_, rows) in enumerate(found):
            ends = [[100 * _end(row, end) for row in rows] for end in ("low", "high")]
            axes.fill_between(budgets, ends[0], ends[1], color=_SERIES[at % 6], alpha=0.15, linewidth=0)
            axes.plot(budgets, [100 * row["value"] for row in rows], color=_SERIES[at % 6], marker=_MARKS[at % 6], markersize=3.5, linewidth=1.4)  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks([50, 100, 200, 500, 1000, 2000, 5000, 10000], ["50", "100", "200", "500", "1 s", "2 s", "5 s", "10 s"])  # fmt: skip
        axes.minorticks_off()
        _percents(axes)
        axes.set_xlabel("a person waits at most, ms")
        _key(axes, [run for run, _ in found])

    title = "Would it have come in time?"
    rows = [
        [f"{budget:,} ms", *(f"{share_words(own[at])} of {own[at]['n']:,}" for _, own in found)]
        for at, budget in enumerate(budgets)
    ]
    return ReportPlot(
        title,
        "Share of testable moments that were asked about whose answer passes within the time, with 95 % bands.",
        drawn(draw, title),
        ReportTable(title, ["within", *_heads(found, many)], rows),
    )


def _groups(runs: Sequence[ReportedRun]) -> Iterator[ReportPlot]:
    found = [dict(figures.groups(run.summary)) for run in runs]
    titles = [title for title in dict.fromkeys(title for own in found for title in own) if "length" not in title]
    if "by language and category" in titles and not all(
        any(len(own.get(title, ())) > 1 for own in found) for title in ("by language", "by category")
    ):
        titles.remove("by language and category")
    for title in titles:
        by_run = [dict(own.get(title, [])) for own in found]
        names = [name for name in dict.fromkeys(n for own in by_run for n in own) if any(own.get(name, {}).get("n") for own in by_run)]  # fmt: skip
        if len(names) > 1:
            yield _group_plot(f"Passes {title}", names[:_MOST], by_run, runs, left=len(names) - _MOST)


def _group_plot(
    title: str, names: Sequence[str], by_run: Sequence[Mapping[str, Any]], runs: Sequence[ReportedRun], left: int
) -> ReportPlot:
    def draw(axes: Axes) -> None:
        for at, own in enumerate(by_run):
            shift = (at - (len(runs) - 1) / 2) * 0.18
            there = [(place, own[name]) for place, name in enumerate(names) if own.get(name, {}).get("value") is not None]  # fmt: skip
            for place, share in there:
                value, low, high = (100 * each for each in (share["value"], _end(share, "low"), _end(share, "high")))
                axes.errorbar([value], [place + shift], xerr=([max(0.0, value - low)], [max(0.0, high - value)]), fmt=_MARKS[at % 6], color=_SERIES[at % 6], markersize=4.5, elinewidth=1.2, capsize=2)  # fmt: skip
        axes.set_yticks(range(len(names)), [shorten(one_line(name), 26) for name in names], fontsize=9.5)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.xaxis.set_major_formatter("{x:.0f} %")
        axes.grid(axis="x", color=COLOURS["line"], linewidth=0.6)
        axes.set_axisbelow(True)
        _key(axes, runs)

    more = f" {left:,} more groups are in the tables." if left > 0 else ""
    rows = [[one_line(name), *(f"{share_words(own[name])} of {own[name]['n']:,}" if own.get(name, {}).get("n") else "" for own in by_run)] for name in names]  # fmt: skip
    heads = [one_line(run.name) for run in runs] if len(runs) > 1 else ["passes (95 %), of testable"]
    height = max(1.6, 0.7 + (0.24 + 0.1 * (len(runs) - 1)) * len(names))
    return ReportPlot(title, f"Share of testable moments that pass, with 95 % intervals.{more}", drawn(draw, title, height), ReportTable(title, ["", *heads], rows))  # fmt: skip


def _flow(run: ReportedRun) -> Iterator[ReportPlot]:
    links = flow(run.records)
    if not links:
        return
    title = "What became of the moments"
    rows = [[f"{link.source} → {link.target}", f"{link.count:,}"] for link in links]
    counted = "answers" if run.config.get("samples", 1) > 1 else "moments"
    yield ReportPlot(
        title,
        f"From left to right: whether the editor asked, what came, how it ended, and what the tests said. The height is the number of {counted}.",
        drawn(lambda axes: draw_flow(axes, links), title, 3.6),
        ReportTable(title, ["from, to", counted], rows),
    )


def _repairs(run: ReportedRun) -> Iterator[ReportPlot]:
    effects = mapping(mapping(run.summary.get("ablation")).get("effects"))
    if effects:
        title = "Tests gained and broken by each repair"
        rows = [[one_line(name), f"{one['gained']:,}", f"{one['broken']:,}", net_words(one["net"]), f"{one['n']:,}"] for name, one in effects.items()]  # fmt: skip
        yield ReportPlot(
            title,
            "Right of the middle: passes with the repair and not without it. Left: the reverse.",
            drawn(lambda axes: _bars(axes, effects, "gained", "broken"), title, 0.9 + 0.32 * min(_MOST, len(effects))),
            ReportTable(title, ["repair", "gained", "broken", "points (95 %)", "moments"], rows),
        )
        return
    changes = changes_by_repair(run.records)
    if changes:
        title = "What the repairs changed"
        rows = [[one_line(name), f"{one['changed']:,}", f"{one['undone']:,}"] for name, one in changes.items()]
        yield ReportPlot(
            title,
            "Answers that a repair changed (right), and changes that were undone (left). What they gained and broke is told by a run with --ablate repairs.",
            drawn(lambda axes: _bars(axes, changes, "changed", "undone"), title, 0.9 + 0.32 * min(_MOST, len(changes))),
            ReportTable(title, ["repair", "changed", "undone"], rows),
        )


def _bars(axes: Axes, found: Mapping[str, Mapping[str, Any]], right: str, left: str) -> None:
    from matplotlib.ticker import MaxNLocator

    names = list(found)[:_MOST]
    places = range(len(names))
    axes.barh(places, [found[name][right] for name in names], color=COLOURS["c3"], height=0.6)
    axes.barh(places, [-found[name][left] for name in names], color=COLOURS["c2"], height=0.6)
    axes.axvline(0, color=COLOURS["faint"], linewidth=0.8)
    for place, name in enumerate(names):
        for kind, sign, side in ((right, 1, "left"), (left, -1, "right")):
            if number := found[name][kind]:
                axes.annotate(f"{number:,}", (sign * number, place), (3 * sign, 0), textcoords="offset points", ha=side, va="center", fontsize=9.5)  # fmt: skip
    axes.set_yticks(places, [shorten(one_line(name), 26) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=0.15)
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(f"← {left}  |  {right} →")


def _keys(run: ReportedRun) -> Iterator[ReportPlot]:
    if run.is_driven or run.is_corpus:
        return
    curves = saved_over_tape(run.first_answers)
    shown = sorted((name for name in curves if curves[name]), key=lambda name: -curves[name][-1][1])[:_TAPES]
    if not shown:
        return

    def draw(axes: Axes) -> None:
        for at, name in enumerate(shown):
            events = [0, *(event for event, _ in curves[name])]
            sums = [0, *(keys for _, keys in curves[name])]
            axes.step(events, sums, where="post", color=_SERIES[at % 6], linewidth=1.4, label=shorten(one_line(name), 22))  # fmt: skip
        axes.set_xlabel("event of the tape")
        axes.set_ylabel("keystrokes saved")
        axes.grid(axis="y", color=COLOURS["line"], linewidth=0.6)
        if len(shown) > 1:
            axes.legend(fontsize=9)

    title = "Keystrokes saved over the tape"
    rows = [[one_line(name), f"{curve[-1][1]:,}", f"{curve[-1][0]:,}"] for name, curve in curves.items() if curve]
    more = f" The {_TAPES} tapes with the most are drawn." if len(rows) > _TAPES else ""
    yield ReportPlot(title, f"Each edit that an accepted suggestion made unnecessary counts once, less the keys for accepting.{more}", drawn(draw, title), ReportTable(title, ["tape", "keystrokes saved", "last event that saved"], rows))  # fmt: skip


_OUTCOMES = {"passed": "c3", "failed": "c2", "untestable": "c6", "untested": "c7"}
"""What the tests said, and its colour. `untested`: not asked, not answered, or not run."""


def _session(run: ReportedRun) -> Iterator[ReportPlot]:
    rows = [] if run.is_corpus else verdicts_over_session(run.records, run.by)
    if not any(row["passed"] + row["failed"] for row in rows):
        return

    def draw(axes: Axes) -> None:
        base = [0] * len(rows)
        for name, colour in _OUTCOMES.items():
            counts = [row[name] for row in rows]
            axes.bar([row["part"] for row in rows], counts, bottom=base, color=COLOURS[colour], width=0.8, label=name)
            base = [low + high for low, high in zip(base, counts, strict=True)]
        axes.set_xticks([row["part"] for row in rows])
        axes.set_xlabel("tenth of the session")
        axes.set_ylabel("moments")
        axes.legend(fontsize=9, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), handlelength=1, columnspacing=1)

    title = "Verdicts over the session"
    told = [[str(row["part"]), *(f"{row[name]:,}" for name in _OUTCOMES), share_words(row["share"])] for row in rows]
    yield ReportPlot(title, "All tapes together, each in ten parts of as many events.", drawn(draw, title, HEIGHT), ReportTable(title, ["tenth", *_OUTCOMES, "passes (95 %)"], told))  # fmt: skip
