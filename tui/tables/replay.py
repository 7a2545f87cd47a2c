"""The table at the end of a replay, for someone who sees one for the first time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui import figures
from tui.figures import Summary
from tui.glossary import EFFORT, ENDINGS, UNTESTABLE, VERDICTS
from tui.render.terminal import section_title
from tui.tables.adherence import instructions_section
from tui.tables.sections import REASONS, failure_reasons, machine_warnings
from tui.terminal_text import message, one_line, shorten

WIDTH = 80
NAME, REASON = 200, 60
"""The width that the name of a tape and the reason of an ending take at most, in cells."""
_NAMED = 3
"""How many tapes are named of which the same is to be said."""
SIDE_BY_SIDE = 3
"""Up to this number of tapes have a column each in 80 cells; more tapes have a line each."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One figure: its name, its meaning, and its text from a summary (empty if the run did not measure it)."""

    name: str
    value: Callable[[Summary], str]
    meaning: str = ""
    share: Callable[[Summary], str] = lambda _: ""
    """The share with its interval, for a table that has room for it."""


_WIDE_ROWS = (
    _Row("moments", figures.moments_words),
    _Row("with a verdict", figures.judged_words),
    _Row("  testable", lambda summary: figures.share_words(figures.testable_share(summary))),
    _Row("tests passed", figures.passed_words),
    _Row("  clusters", figures.clusters_words),
    _Row("  by hole", figures.by_hole_words),
    _Row("passed in time", figures.in_time_words),
    _Row("keystrokes saved", figures.keystrokes_words),
    _Row("latency", figures.latency_words),
    _Row("not a person's", figures.no_person_words),
)
"""The figures of one run; each has a line."""

_NARROW_ROWS = (
    _Row("moments", figures.moments_words),
    _Row("  testable", lambda summary: _number(figures.judged_counts(summary).testable)),
    _Row("  untestable", lambda summary: _number(figures.judged_counts(summary).untestable)),
    _Row("  not tested", lambda summary: _number(figures.judged_counts(summary).untested)),
    _Row("  share testable", lambda summary: figures.share_words(figures.testable_share(summary))),
    _Row("tests passed", lambda summary: figures.passed(summary)[0]),
    _Row("  share", lambda summary: figures.passed(summary)[1]),
    _Row("  95 % interval", figures.interval_words),
    _Row("  clusters", lambda summary: figures.clusters(summary)[0]),
    _Row("  design effect", lambda summary: figures.clusters(summary)[1]),
    _Row("  by hole", figures.by_hole_words),
    _Row("passed in time", lambda summary: figures.in_time(summary)[0]),
    _Row("  share", lambda summary: figures.in_time(summary)[1]),
    _Row("keystrokes saved", lambda summary: figures.keystrokes(summary)[0]),
    _Row("  share", lambda summary: figures.keystrokes(summary)[1]),
    _Row("  95 % interval", lambda summary: figures.range_words(figures.metric(summary, "keystrokes_saved"))),
    _Row("latency p50", lambda summary: figures.latency(summary, "p50")),
    _Row("latency p95", lambda summary: figures.latency(summary, "p95")),
    _Row("not a person's", lambda summary: _number(figures.mapping(summary.get("no_person")).get("edits", 0))),
)
"""The same figures for narrow columns."""


def replay_table(summary: Summary) -> RenderableType:
    """Lay out the summary of a replay in 80 columns; missing and unknown keys are left out."""
    tapes = figures.tapes(summary)
    if len(tapes) < 2:
        parts: list[RenderableType] = list(_sections(summary))
    elif len(tapes) <= SIDE_BY_SIDE:
        parts = [_columns({**tapes, "total": summary}), *_why_wide(summary), *_legend(summary)]
    else:
        parts = [*_sections(summary), _lines(tapes)]
    return Group(
        *parts,
        *instructions_section(summary),
        *failure_reasons(summary),
        *machine_warnings(summary),
        *_test_origins(summary),
        *_listed(summary, "faults", "warnings about the tests"),
        *_listed(summary, "left_out", "tapes left out"),
        *_listed(summary, "skipped", "nothing was asked in"),
        Text(""),
    )


def nothing_played(summary: Summary) -> RenderableType:
    """Say of a replay of which no tape is left why nothing was asked; the logs were shown when it happened."""
    reasons = (str(entry["reason"]).partition("\n")[0] for entry in figures.entries(summary, "left_out"))
    names = (shorten(one_line(str(entry["tape"])), NAME) for entry in figures.entries(summary, "left_out"))
    lines = (f"  {name}: {one_line(reason)}" for name, reason in zip(names, reasons, strict=True))
    return Text("\n".join(["No tape is left to play, and nothing was asked.", *lines]), "yellow")


def _test_origins(summary: Summary) -> Iterator[RenderableType]:
    """Say where what is known of the tests comes from: one line for all tapes of which the same is to be said."""
    tapes: dict[str, list[str]] = {}
    for tape, origins in figures.mapping(summary.get("tests_from")).items():
        tapes.setdefault(figures.origins_words(origins), []).append(shorten(one_line(str(tape)), 30))
    if not tapes:
        return
    yield section_title("where the tests come from")
    for words, names in tapes.items():
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        of = f" ({', '.join(names[:_NAMED])}{more})" if len(tapes) > 1 else ""
        yield Padding(Text(words + of, "dim"), (0, 0, 0, 2), expand=False)


def _number(number: int) -> str:
    return f"{number:,}" if number else ""


def _groups(summary: Summary) -> Iterator[tuple[str, list[_Row]]]:
    """Return each group of counts that has any, with its title."""
    groups = (
        ("how the moments ended", "endings", ENDINGS),
        ("verdicts", "verdicts", VERDICTS),
        ("why untestable", "untestable", UNTESTABLE),
        ("keys in drive mode", "effort", EFFORT),
    )
    for title, key, meanings in groups:
        found = figures.effort(summary) if key == "effort" else figures.counts(summary, key)
        rows = [_Row(f"  {name}", _counted(key, name), meanings.get(name, ""), _shared(key, name)) for name in found]
        if key == "endings":
            rows = [_with_reasons(row, summary) for row in rows]
        if rows:
            yield title, rows
    if lengths := figures.lengths(summary):
        yield "by length of truth", [_length_row(name) for name in lengths]


def _length_row(name: str) -> _Row:
    value: Callable[[Summary], str] = lambda summary: figures.share_words(figures.lengths(summary).get(name, {}))  # noqa: E731
    return _Row(f"  {name} characters", value)


def _shared(key: str, name: str) -> Callable[[Summary], str]:
    return lambda summary: figures.share_words(figures.shares(summary, key).get(name, {}))


def _counted(key: str, name: str) -> Callable[[Summary], str]:
    return lambda summary: f"{figures.counts(summary, key).get(name, 0):,}"


def _with_reasons(row: _Row, summary: Summary) -> _Row:
    """Add the reasons of an ending to its meaning. The reasons of failures are sentences: they have a section of their own."""
    ending = row.name.strip()
    found = {} if ending == "failed" else figures.reasons(summary, ending)
    if not found:
        return row
    named = [f"{shorten(one_line(reason), REASON)} {number:,}" for reason, number in islice(found.items(), REASONS)]
    more = [f"{len(found) - REASONS:,} other reasons"] if len(found) > REASONS else []
    return replace(row, meaning=f"{row.meaning}: {', '.join([*named, *more])}")


def _sections(summary: Summary) -> Iterator[RenderableType]:
    grid = Table.grid(padding=(0, 2))
    for row in _WIDE_ROWS:
        if value := row.value(summary):
            grid.add_row(Text(row.name, "dim"), Text(value, "bold"))
    yield Padding(grid, (1, 0, 0, 0), expand=False)
    yield from _why_wide(summary)
    for title, rows in _groups(summary):
        yield section_title(title)
        yield _counts(rows, summary)


def _why_wide(summary: Summary) -> Iterator[RenderableType]:
    if said := figures.alike_words(summary):
        yield Text(f"{said}.", "dim")


def _counts(rows: Sequence[_Row], summary: Summary) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=16, no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    has_shares = any(row.share(summary) for row in rows)
    for row in rows:
        share = [Text(row.share(summary))] if has_shares else []
        table.add_row(Text(row.name), Text(row.value(summary), "bold"), *share, Text(row.meaning, "dim"))
    return table


def _columns(summaries: Mapping[str, Summary]) -> Table:
    """Lay out a column for each summary. The last one is the total: it decides which rows there are."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("", no_wrap=True)
    width = (WIDTH - 20) // len(summaries) - 3
    for name in summaries:
        table.add_column(Text(shorten(one_line(name), width)), justify="right", max_width=width)
    *_, total = summaries.values()
    _add(table, [row for row in _NARROW_ROWS if row.value(total)], summaries)
    for title, rows in _groups(total):
        table.add_section()
        table.add_row(Text(title, "bold"))
        _add(table, rows, summaries)
    return table


def _legend(summary: Summary) -> Iterator[RenderableType]:
    """Say what the words in the columns mean: the columns have no room for it."""
    rows = [row for _, rows in _groups(summary) for row in rows if row.meaning]
    if rows:
        table = Table.grid(padding=(0, 2))
        for row in rows:
            table.add_row(Text(row.name), Text(row.meaning, "dim"))
        yield table


def _add(table: Table, rows: Sequence[_Row], summaries: Mapping[str, Summary]) -> None:
    for row in rows:
        table.add_row(Text(row.name), *(Text(row.value(summary)) for summary in summaries.values()))


def _lines(tapes: Mapping[str, Summary]) -> RenderableType:
    """Lay out a line for each tape."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    table.add_column("tape", overflow="fold")
    table.add_column("moments", justify="right")
    table.add_column("testable", justify="right")
    table.add_column("tests passed (95 % interval)", no_wrap=True)
    for name, tape in tapes.items():
        share = figures.testable_share(tape).get("value")
        passed = figures.passed_words(tape, name_interval=False).replace(" testable", "")
        row = (
            shorten(one_line(name), NAME),
            figures.moments_words(tape),
            "" if share is None else f"{figures.percent(share)} %",
            passed,
        )
        table.add_row(*map(Text, row))
    return Padding(table, (1, 0, 0, 0), expand=False)


def _listed(summary: Summary, key: str, title: str) -> Iterator[RenderableType]:
    """Name the entries of a list in the summary: a tape, and what is said of it."""
    found = figures.entries(summary, key)
    if not found:
        return
    yield section_title(title)
    table = Table.grid(padding=(0, 2))
    for entry in found:
        name = shorten(one_line(str(entry.get("tape", "?"))), 30)
        text = ": ".join(str(entry[part]) for part in ("fault", "reason") if entry.get(part))
        table.add_row(Text(f"  {name}"), Text(message(text), "yellow"))
    yield table
