"""The plots of a report. Each comes with a table that says the same; every number is of a run's summary or of `replay.numbers`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from replay.numbers.comparison import LETTERS
from replay.numbers.costs import known_cost
from replay.numbers.curves import (
    changes_by_repair,
    pass_by_latency,
    passed_within,
    saved_over_tape,
    verdicts_over_session,
)
from replay.numbers.flows import flow
from replay.numbers.paired.fronts import pareto_front
from replay.numbers.section import Section
from replay.records import Record
from tui import summary_figures
from tui.report.drawing import COLOURS, HEIGHT, drawn
from tui.report.reported import ReportedRun
from tui.summary_figures import DASH, mapping, net_words, share_words
from tui.terminal_text import one_line, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
from collections import defaultdict
from math import ceil
from typing import TYPE_CHECKING

from replay.numbers.flows import STAGES, FlowLink

_MOST = 24
"""The groups that a plot shows; the tables have all."""
_TAPES = 6
"""The tapes whose keystrokes are drawn: those with the most saved."""


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot: its title, what it shows in a sentence, and a table of the same numbers."""

    title: str
    caption: str
    svg: Markup
    table: Section


def plots_of(runs: Sequence[ReportedRun], labels: Sequence[str] = LETTERS) -> list[ReportPlot]:
    """Draw what the runs have the numbers for; `labels` are what the page calls them."""
    series = [RunSeries(run, label, place) for place, (run, label) in enumerate(zip(runs, labels, strict=False))]
    found = [*_latency(series), *_groups(series)]
    for each in series:
        own = [*_flow(each.run), *_repairs(each.run), *_keys(each.run), *_session(each.run)]
        found += own if len(runs) == 1 else [_named(plot, each) for plot in own]
    return found


def _named(plot: ReportPlot, series: RunSeries) -> ReportPlot:
    return replace(plot, title=f"{plot.title}: {series.name()}")


def _latency(series: Sequence[RunSeries]) -> Iterator[ReportPlot]:
    """Draw the quality against latency and cost, by run and by class, and what would have come in time."""
    timed = [one for one in series if not summary_figures.latency_is_unmeasured(one.run.summary)]
    for price in (_LATENCY, _COST):
        yield from _against(series, price)
    classes = [(one, pass_by_latency(one.run.first_answers, one.run.by)) for one in timed]
    if classes := [(one, rows) for one, rows in classes if rows]:
        yield _of_first_answers(_by_latency(classes, many=len(series) > 1), series)
    curves = [(one, passed_within(one.run.first_answers, one.run.by)) for one in timed]
    if curves := [(one, rows) for one, rows in curves if rows[0]["n"]]:
        yield _of_first_answers(_in_time(curves, many=len(series) > 1), series)


def _of_first_answers(plot: ReportPlot, series: Sequence[RunSeries]) -> ReportPlot:
    """Say that only the first answers count in a plot, where a run has several at a moment."""
    if all(len(one.run.first_answers) == len(one.run.records) for one in series):
        return plot
    return replace(plot, caption=f"{plot.caption} Of several answers at a moment the first counts: a person sees one.")


@dataclass(frozen=True, slots=True)
class _Price:
    """What quality is set against: its name, the figure with its interval, and the words of a table."""

    name: str
    axis: str
    caption: str
    of: Callable[[summary_figures.Summary], Mapping[str, Any]]
    words: Callable[[summary_figures.Summary], str]


def _median(summary: summary_figures.Summary) -> Mapping[str, Any]:
    found = {} if summary_figures.latency_is_unmeasured(summary) else summary_figures.metric(summary, "latency_ms")
    return {"value": found.get("p50"), "low": found.get("p50_low"), "high": found.get("p50_high")}


def _cost(summary: summary_figures.Summary) -> Mapping[str, Any]:
    return {"value": known_cost(summary)["cost"], "low": None, "high": None}


_LATENCY = _Price("latency", "latency p50, ms", "the median latency, each with its 95 % interval", _median, lambda summary: summary_figures.latency(summary, "p50"))  # fmt: skip
_COST = _Price("cost", "cost of the run", "what the run cost", _cost, lambda summary: f"{_cost(summary)['value']:,.4g}")


def _against(series: Sequence[RunSeries], price: _Price) -> Iterator[ReportPlot]:
    """Draw quality against a price; the line joins the runs that no other one beats (the Pareto front)."""
    points = [(one, summary_figures.metric(one.run.summary, "pass_at_1"), price.of(one.run.summary)) for one in series]
    found = [each for each in points if each[1].get("value") is not None and each[2]["value"] is not None]
    if len(found) < 2 or not any(
        paid["value"] for *_, paid in found
    ):  # where nothing costs anything, nothing is weighed
        return
    front = pareto_front([(share["value"], paid["value"]) for _, share, paid in found])

    def draw(axes: Axes) -> None:
        best = sorted((found[at][2]["value"], 100 * found[at][1]["value"]) for at in front)
        axes.plot(*zip(*best, strict=True), color=COLOURS["faint"], linewidth=1, linestyle=":", zorder=1)
        for one, share, paid in found:
            draw_points(axes, [paid["value"]], [share], one, line=False)
            if paid["low"] is not None and paid["high"] is not None:
                axes.hlines(100 * share["value"], paid["low"], paid["high"], color=one.look["color"], linewidth=1, clip_on=False)  # fmt: skip
        in_percent(axes)
        axes.set_xlim(left=0, right=1.05 * max(end_of(paid, "high") for _, _, paid in found) or 1)
        axes.set_xlabel(price.axis)
        draw_key(axes, [one for one, _, _ in found])

    title = f"Quality against {price.name}"
    rows = [[one_line(one.run.name), share_words(share), price.words(one.run.summary), "yes" if at in front else ""] for at, (one, share, _) in enumerate(found)]  # fmt: skip
    caption = f"Share of testable moments that pass, and {price.caption}. Better is up and to the left; the dotted line joins the runs that no other one beats."
    height = HEIGHT + key_height(series)
    yield ReportPlot(title, caption, drawn(draw, title, height), Section(title, ["run", "passes (95 %)", price.axis, "on the front"], rows))  # fmt: skip


def _by_latency(found: Sequence[tuple[RunSeries, Sequence[Mapping[str, Any]]]], *, many: bool) -> ReportPlot:
    names = {(row["above"], row["up_to"]): _class(row) for _, rows in found for row in rows}
    keys = sorted(names, key=lambda key: key[0])
    order, step = [names[key] for key in keys], min(0.12, 0.7 / len(found))

    def draw(axes: Axes) -> None:
        for at, (one, rows) in enumerate(found):
            shift = (at - (len(found) - 1) / 2) * step
            draw_points(axes, [order.index(_class(row)) + shift for row in rows], rows, one)
        axes.set_xticks(range(len(order)), [_short_class(*key) for key in keys], fontsize=9.5)
        axes.set_xlim(-0.5, len(order) - 0.5)
        in_percent(axes)
        axes.set_xlabel("latency, s")
        draw_key(axes, [one for one, _ in found])

    title = "Quality by latency of the answer"
    return ReportPlot(
        title,
        "Share that passes of the testable answers that took so long, with 95 % intervals.",
        drawn(draw, title, HEIGHT + key_height([one for one, _ in found])),
        Section(
            title,
            ["latency, ms", *_heads(found, many)],
            [[name, *(_cell(rows, name) for _, rows in found)] for name in order],
        ),
    )


def _short_class(above: float, up_to: float | None) -> str:
    """A class of latencies in s, as an axis has room for. Example: over 2,000 ms is `over 2`."""
    return f"over {above / 1000:g}" if up_to is None else f"{above / 1000:g}{DASH}{up_to / 1000:g}"


def _class(row: Mapping[str, Any]) -> str:
    return f"over {row['above']:,}" if row["up_to"] is None else f"{row['above']:,}{DASH}{row['up_to']:,}"


def _cell(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    return next((f"{share_words(row)} of {row['n']:,}" for row in rows if _class(row) == name), "")


def _heads(found: Sequence[tuple[RunSeries, Any]], many: bool) -> list[str]:
    return [one_line(one.run.name) for one, _ in found] if many else ["passes (95 %), of testable"]


def _in_time(found: Sequence[tuple[RunSeries, Sequence[Mapping[str, Any]]]], *, many: bool) -> ReportPlot:
    budgets = [row["budget"] for row in found[0][1]]

    def draw(axes: Axes) -> None:
        for one, rows in found:
            ends = [[100 * end_of(row, end) for row in rows] for end in ("low", "high")]
            band = 0.15 if len(found) < 4 else 0.05
            axes.fill_between(budgets, ends[0], ends[1], color=one.look["color"], alpha=band, linewidth=0)
            axes.plot(budgets, [100 * row["value"] for row in rows], markersize=3.5, linewidth=1.4, clip_on=False, **one.look)  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks([50, 100, 200, 500, 1000, 2000, 5000, 10000], ["50", "100", "200", "500", "1 s", "2 s", "5 s", "10 s"])  # fmt: skip
        axes.minorticks_off()
        in_percent(axes)
        axes.set_xlabel("a person waits at most, ms")
        draw_key(axes, [one for one, _ in found])

    title = "Would it have come in time?"
    rows = [
        [f"{budget:,} ms", *(f"{share_words(own[at])} of {own[at]['n']:,}" for _, own in found)]
        for at, budget in enumerate(budgets)
    ]
    return ReportPlot(
        title,
        "Share of testable moments that were asked about whose answer passes within the time, with 95 % bands.",
        drawn(draw, title, HEIGHT + key_height([one for one, _ in found])),
        Section(title, ["within", *_heads(found, many)], rows),
    )


def _groups(series: Sequence[RunSeries]) -> Iterator[ReportPlot]:
    found = [dict(summary_figures.groups(one.run.summary)) for one in series]
    titles = [title for title in dict.fromkeys(title for own in found for title in own) if "length" not in title]
    if "by language and category" in titles and not all(
        any(len(own.get(title, ())) > 1 for own in found) for title in ("by language", "by category")
    ):
        titles.remove("by language and category")
    for title in titles:
        by_run = [dict(own.get(title, [])) for own in found]
        names = [name for name in dict.fromkeys(n for own in by_run for n in own) if any(own.get(name, {}).get("n") for own in by_run)]  # fmt: skip
        if len(names) > 1:
            yield _group_plot(f"Passes {title}", names[:_MOST], by_run, series, left=len(names) - _MOST)


def _group_plot(
    title: str, names: Sequence[str], by_run: Sequence[Mapping[str, Any]], series: Sequence[RunSeries], left: int
) -> ReportPlot:
    step = min(0.18, 0.8 / len(series))

    def draw(axes: Axes) -> None:
        for at, (one, own) in enumerate(zip(series, by_run, strict=True)):
            shift = (at - (len(series) - 1) / 2) * step
            there = [(place, own[name]) for place, name in enumerate(names) if own.get(name, {}).get("value") is not None]  # fmt: skip
            for place, share in there:
                value, low, high = (
                    100 * each for each in (share["value"], end_of(share, "low"), end_of(share, "high"))
                )
                look = {**one.look, "linestyle": ""}
                axes.errorbar([value], [place + shift], xerr=([max(0.0, value - low)], [max(0.0, high - value)]), markersize=4.5, elinewidth=1.2, capsize=2, clip_on=False, **look)  # fmt: skip
        axes.set_yticks(range(len(names)), [shorten(one_line(name), 26) for name in names], fontsize=9.5)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.xaxis.set_major_formatter("{x:.0f} %")
        axes.grid(axis="x", color=COLOURS["line"], linewidth=0.6)
        axes.set_axisbelow(True)
        draw_key(axes, series)

    more = f" {left:,} more groups are in the tables." if left > 0 else ""
    rows = [[one_line(name), *(f"{share_words(own[name])} of {own[name]['n']:,}" if own.get(name, {}).get("n") else "" for own in by_run)] for name in names]  # fmt: skip
    heads = [one_line(one.run.name) for one in series] if len(series) > 1 else ["passes (95 %), of testable"]
    height = max(1.6, 0.7 + (0.24 + 0.1 * (len(series) - 1)) * len(names)) + key_height(series)
    return ReportPlot(title, f"Share of testable moments that pass, with 95 % intervals.{more}", drawn(draw, title, height), Section(title, ["", *heads], rows))  # fmt: skip


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
        Section(title, ["from, to", counted], rows),
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
            Section(title, ["repair", "gained", "broken", "points (95 %)", "moments"], rows),
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
            Section(title, ["repair", "changed", "undone"], rows),
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
    ends = _last_events(run.first_answers)

    def draw(axes: Axes) -> None:
        for at, name in enumerate(shown):
            events = [0, *(event for event, _ in curves[name]), ends[name]]
            sums = [0, *(keys for _, keys in curves[name]), curves[name][-1][1]]
            axes.step(events, sums, where="post", color=SERIES[at % 6], linewidth=1.4, label=shorten(one_line(name), 16))  # fmt: skip
        axes.set_xlabel("event of the tape")
        axes.set_ylabel("keystrokes saved")
        axes.grid(axis="y", color=COLOURS["line"], linewidth=0.6)
        if len(shown) > 1:
            axes.get_figure().legend(fontsize=9, ncols=3, loc="outside upper left", handlelength=1.4, columnspacing=1.2)  # type: ignore[union-attr]

    title = "Keystrokes saved over the tape"
    rows = [[one_line(name), f"{curve[-1][1]:,}", f"{curve[-1][0]:,}"] for name, curve in curves.items() if curve]
    more = f" The {_TAPES} tapes with the most are drawn." if len(rows) > _TAPES else ""
    yield ReportPlot(title, f"Each edit that an accepted suggestion made unnecessary counts once, less the keys for accepting.{more}", drawn(draw, title), Section(title, ["tape", "keystrokes saved", "last event that saved"], rows))  # fmt: skip


def _last_events(records: Sequence[Record]) -> dict[str, int]:
    """Tape → its last event that a moment lies before, or that a suggestion made unnecessary."""
    found: dict[str, int] = {}
    for record in records:
        tape = record.moment.tape
        found[tape] = max(found.get(tape, 0), record.moment.event, *record.covered)
    return found


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
    yield ReportPlot(title, "All tapes together, each in ten parts of as many events.", drawn(draw, title, HEIGHT), Section(title, ["tenth", *_OUTCOMES, "passes (95 %)"], told))  # fmt: skip


# What a plot draws of a run: each run has its colour, its mark and its label in all plots of a page.

SERIES = tuple(COLOURS[f"c{number}"] for number in range(1, 7))
_MARKS = "osD^vPXp"
_NAMES = {1: 44, 2: 22}
"""The characters of a name that a key has room for, by the columns that it has."""
_ROW = 0.2
"""The height of a row of a key, in inches."""


@dataclass(frozen=True, slots=True)
class RunSeries:
    """A run in the plots. `label` is what the page calls it, `place` says which of the runs it is, from 0."""

    run: ReportedRun
    label: str
    place: int

    @property
    def look(self) -> dict[str, Any]:
        """Its colour, its mark and its line, as matplotlib takes them: no two of twelve runs are alike."""
        dashes = "--" if self.place % 12 > 5 else "-"
        return {"color": SERIES[self.place % 6], "marker": _MARKS[self.place % 8], "linestyle": dashes}

    def name(self, width: int = 28) -> str:
        """Its label and its name, of which so many characters are shown."""
        return f"{self.label} {shorten(one_line(self.run.name), width)}"


def key_height(runs: Sequence[RunSeries]) -> float:
    """How much higher a plot is for its key, in inches."""
    return 0.0 if len(runs) < 2 else _ROW * ceil(len(runs) / _columns(runs))


def _columns(runs: Sequence[RunSeries]) -> int:
    return 1 if len(runs) < 4 else 2


def draw_key(axes: Axes, runs: Sequence[RunSeries]) -> None:
    """Name the series above the plot, where they hide nothing; one alone has no key."""
    if len(runs) < 2:
        return
    from matplotlib.lines import Line2D

    columns = _columns(runs)
    handles = [
        Line2D([], [], markersize=4, linewidth=1.4, label=each.name(_NAMES[columns]), **each.look) for each in runs
    ]
    axes.get_figure().legend(handles=handles, loc="outside upper left", ncols=columns, fontsize=9, columnspacing=1.2, handlelength=1.8)  # type: ignore[union-attr] # fmt: skip


def draw_points(
    axes: Axes, places: Sequence[float], shares: Sequence[Mapping[str, Any]], series: RunSeries, *, line: bool = True
) -> None:
    """Draw shares in percent with their intervals, which are left out where there are none."""
    values = [100 * share["value"] for share in shares]
    below = [max(0.0, value - 100 * end_of(share, "low")) for value, share in zip(values, shares, strict=True)]
    above = [max(0.0, 100 * end_of(share, "high") - value) for value, share in zip(values, shares, strict=True)]
    look = series.look if line else {**series.look, "linestyle": ""}
    axes.errorbar(places, values, (below, above), markersize=4, linewidth=1.4, elinewidth=1, capsize=2, clip_on=False, **look)  # fmt: skip


def end_of(share: Mapping[str, Any], end: str) -> float:
    """One end of a share's interval; the share itself where it has none."""
    found = share.get(end)
    return float(share["value"] if found is None else found)


def in_percent(axes: Axes) -> None:
    """Give a plot an axis of shares in percent."""
    axes.set_ylim(0, 100)
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.grid(axis="y", color=COLOURS["line"], linewidth=0.6)
    axes.set_axisbelow(True)


# The way of the moments as a picture: a column for each stage, and bands as high as what flows.

_GAP = 0.07
"""Between two names of a stage, as a share of the height of all moments."""
_BAR = 0.06
"""The width of a name's bar, where stages are 1 apart."""
_LABEL = 0.95
"""The room for the names of the last stage, right of its bars."""
_WIDEST = 12
"""The characters of a name that do not reach the next bar."""
_HIGH = 0.15
"""The share of all moments whose bar is as high as two lines."""
_GOOD, _BAD, _NEITHER, _PLAIN = "c3", "c2", "c6", "c1"
_HUES = {
    "passed": _GOOD,
    "accepted": _GOOD,
    "part": _GOOD,
    "typed-through": _GOOD,
    "failed": _BAD,
    "rejected": _BAD,
    "late": _BAD,
}
_ON_THE_WAY = frozenset({"moments", "asked", "answered", "shown"})


def draw_flow(axes: Axes, links: Sequence[FlowLink]) -> None:
    """Draw the links of `replay.numbers.flows.flow`."""
    heights = _heights(links)
    total = sum(link.count for link in links if link.stage == 0)
    bottoms = _bottoms(heights, total)
    for (stage, name), height in heights.items():
        axes.bar(stage, height, _BAR, bottom=bottoms[stage, name], color=COLOURS[_hue(name)], linewidth=0)
        middle = bottoms[stage, name] + height / 2
        axes.annotate(_words(name, height, total), (stage, middle), (6, 0), textcoords="offset points", va="center", ha="left", fontsize=9)  # fmt: skip
    _draw_bands(axes, links, bottoms)
    axes.set_xlim(-_BAR, len(STAGES) - 1 + _LABEL)
    axes.set_axis_off()


def _words(name: str, height: int, total: int) -> str:
    """A name with its number, in two lines where one would reach the next bar and there is room."""
    one_line = f"{name} {height:,}"
    return one_line if len(one_line) < _WIDEST or height < _HIGH * total else f"{name}\n{height:,}"


def _draw_bands(axes: Axes, links: Sequence[FlowLink], bottoms: dict[tuple[int, str], float]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    out, into = dict(bottoms), dict(bottoms)
    order = sorted(links, key=lambda link: (link.stage, bottoms[link.stage, link.source], bottoms[link.stage + 1, link.target]))  # fmt: skip
    for link in order:
        left, right, middle = link.stage + _BAR / 2, link.stage + 1 - _BAR / 2, link.stage + 0.5
        low, end = out[link.stage, link.source], into[link.stage + 1, link.target]
        out[link.stage, link.source] += link.count
        into[link.stage + 1, link.target] += link.count
        high, top = low + link.count, end + link.count
        points = [(left, low), (middle, low), (middle, end), (right, end), (right, top), (middle, top), (middle, high), (left, high), (left, low)]  # fmt: skip
        codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
        axes.add_patch(PathPatch(Path(points, codes), facecolor=COLOURS[_hue(link.target)], alpha=0.25, linewidth=0))


def _heights(links: Sequence[FlowLink]) -> dict[tuple[int, str], int]:
    """(Stage, name) → how many moments are there."""
    found: dict[tuple[int, str], int] = defaultdict(int)
    for link in links:
        found[link.stage + 1, link.target] += link.count
        if link.stage == 0:
            found[0, link.source] += link.count
    return dict(found)


def _bottoms(heights: dict[tuple[int, str], int], total: int) -> dict[tuple[int, str], float]:
    """Where each name of a stage begins: those that go on stand on top, and below them the rest, the larger the higher."""
    found: dict[tuple[int, str], float] = {}
    for stage in range(len(STAGES)):
        names = sorted((name for at, name in heights if at == stage), key=lambda name: (name not in _ON_THE_WAY, -heights[stage, name]))  # fmt: skip
        top = float(total)
        for name in names:
            found[stage, name] = top - heights[stage, name]
            top = found[stage, name] - _GAP * total
    return found


def _hue(name: str) -> str:
    return _PLAIN if name in _ON_THE_WAY else _HUES.get(name, _NEITHER)
