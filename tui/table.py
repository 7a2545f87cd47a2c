"""The table at the end of a run, for someone who sees one for the first time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui.plain import first_line, plain, shorten
from tui.summary import DASH, Summary, counts, interval_words, keystrokes, latency, metric, passed, passed_words
from tui.words import EFFORT, ENDINGS, UNTESTABLE, VERDICTS

WIDTH = 80
SIDE_BY_SIDE = 3
"""So many tapes have a column each in 80 cells; more have a line each."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One figure: its name, what it means, and how to read it from a summary ("" where it is not there)."""

    name: str
    meaning: str
    value: Callable[[Summary], str]


def summary_table(summary: dict[str, Any]) -> RenderableType:
    """Lay out a run's summary in 80 columns; keys that are missing or unknown are left out."""
    tapes = {name: tape for name, tape in _mapping(summary.get("tapes")).items() if isinstance(tape, Mapping)}
    if len(tapes) < 2:
        parts: list[RenderableType] = list(_sections(summary))
    elif len(tapes) <= SIDE_BY_SIDE:
        parts = [_columns({**tapes, "total": summary}), *_legend(summary)]
    else:
        parts = [*_sections(summary), _lines(tapes)]
    return Group(
        *parts,
        *_listed(summary, "faults", "what to know of the tests"),
        *_listed(summary, "left_out", "tapes left out"),
    )


def _figures() -> list[_Row]:
    """Name the figures of one run, each on its line."""
    return [
        _Row("moments", "", _moments),
        _Row("tests passed", "", passed_words),
        _Row("keystrokes saved", "", lambda summary: ", ".join(filter(None, keystrokes(summary)))),
        _Row("latency", "", _latencies),
    ]


def _narrow_figures() -> list[_Row]:
    """Name the same figures for narrow columns."""
    return [
        _Row("moments", "", _moments),
        _Row("tests passed", "", lambda summary: passed(summary)[0]),
        _Row("  share", "", lambda summary: passed(summary)[1]),
        _Row("  95 % interval", "", interval_words),
        _Row("keystrokes saved", "", lambda summary: keystrokes(summary)[0]),
        _Row("  share", "", lambda summary: keystrokes(summary)[1]),
        _Row("latency p50", "", lambda summary: latency(summary, "p50")),
        _Row("latency p95", "", lambda summary: latency(summary, "p95")),
    ]


def _moments(summary: Summary) -> str:
    return f"{summary['moments']:,}" if "moments" in summary else ""


def _latencies(summary: Summary) -> str:
    if metric(summary, "latency_ms").get("note"):
        return f"{DASH} (answers of a record: their time is not the model's)"
    found = [f"{name} {words}" for name in ("p50", "p95") if (words := latency(summary, name))]
    return ", ".join(found)


def _groups(summary: Summary) -> Iterator[tuple[str, list[_Row]]]:
    titles = {
        "endings": ("how the moments ended", ENDINGS),
        "verdicts": ("verdicts", VERDICTS),
        "untestable": ("why untestable", UNTESTABLE),
        "effort": ("keys in drive mode", EFFORT),
    }
    for key, (title, meanings) in titles.items():
        told = {
            name: meanings.get(name, "") + (_reasons(summary, name) if key == "endings" else "")
            for name in (counts(summary, key) if key != "effort" else _mapping(summary.get(key)))
        }
        rows = [_Row(f"  {name}", meaning, _counted(key, name)) for name, meaning in told.items()]
        if rows:
            yield title, rows


def _reasons(summary: Summary, ending: str) -> str:
    """Return the most frequent reasons of an ending, which the summary counts as `ending(reason)`."""
    found = [(name, number) for name, number in counts(summary, "reasons").items() if name.startswith(f"{ending}(")]
    told = [f"{shorten(first_line(name[len(ending) + 1 : -1]), 60)} {number:,}" for name, number in found[:3]]
    return f": {', '.join(told)}" if told else ""


def _counted(key: str, name: str) -> Callable[[Summary], str]:
    return lambda summary: f"{counts(summary, key).get(name, 0):,}"


def _sections(summary: Summary) -> Iterator[RenderableType]:
    figures = Table.grid(padding=(0, 2))
    for row in _figures():
        if value := row.value(summary):
            figures.add_row(Text(row.name, "dim"), Text(value, "bold"))
    yield Padding(figures, (1, 0, 0, 0), expand=False)
    for title, rows in _groups(summary):
        yield Padding(Text(title, "bold"), (1, 0, 0, 0), expand=False)
        yield _counts(rows, summary)


def _counts(rows: Sequence[_Row], summary: Summary) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=16, no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for row in rows:
        table.add_row(Text(row.name), Text(row.value(summary), "bold"), Text(row.meaning, "dim"))
    return table


def _columns(summaries: Mapping[str, Summary]) -> Table:
    """Lay out a column for each summary; the last one, the total, says which rows there are."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("", no_wrap=True)
    width = (WIDTH - 20) // len(summaries) - 3
    for name in summaries:
        table.add_column(Text(shorten(plain(name), width)), justify="right", max_width=width)
    *_, total = summaries.values()
    _add(table, [row for row in _narrow_figures() if row.value(total)], summaries)
    for title, rows in _groups(total):
        table.add_section()
        table.add_row(Text(title, "bold"))
        _add(table, rows, summaries)
    return table


def _legend(summary: Summary) -> Iterator[RenderableType]:
    """Say what the words in the columns mean, which have no room for it."""
    told = [row for _, rows in _groups(summary) for row in rows if row.meaning]
    if told:
        table = Table.grid(padding=(0, 2))
        for row in told:
            table.add_row(Text(row.name), Text(row.meaning, "dim"))
        yield table
        yield Text("")


def _add(table: Table, rows: Sequence[_Row], summaries: Mapping[str, Summary]) -> None:
    for row in rows:
        table.add_row(Text(row.name), *(Text(row.value(summary)) for summary in summaries.values()))


def _lines(tapes: Mapping[str, Summary]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for title, justify in (("tape", "left"), ("moments", "right"), ("tests passed", "left")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    for name, tape in tapes.items():
        moments = f"{tape['moments']:,}" if "moments" in tape else ""
        table.add_row(Text(shorten(plain(name), 26)), moments, Text(passed_words(tape)))
    return table


def _listed(summary: Summary, key: str, title: str) -> Iterator[RenderableType]:
    found = summary.get(key)
    left = [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, Sequence) else []
    if not left:
        return
    yield Padding(Text(title, "bold"), (1, 0, 0, 0), expand=False)
    table = Table.grid(padding=(0, 2))
    for entry in left:
        name = shorten(plain(str(entry.get("tape", "?"))), 30)
        told = ": ".join(str(entry[part]) for part in ("fault", "reason") if entry.get(part))
        table.add_row(Text("  " + name), Text(plain(told), "yellow"))
    yield table


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
