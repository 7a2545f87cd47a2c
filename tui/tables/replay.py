"""The table at the end of a replay, for someone who sees one for the first time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from replay.numbers.section import Section, in_one, meanings
from tui import summary_figures
from tui.render.terminal import in_terminal, section_title
from tui.summary_figures import Summary
from tui.tables.sections import (
    count_sections,
    failures_section,
    figures_section,
    instructions_section,
    lengths_section,
    listed_section,
    machine_section,
    narrow_figures_section,
)
from tui.terminal_text import one_line, shorten

NAME = 200
"""The width that the name of a tape takes at most, in cells."""
_NAMED = 3
"""How many tapes are named of which the same is to be said."""
SIDE_BY_SIDE = 3
"""Up to this number of tapes have a column each in 80 cells; more tapes have a line each."""
_COLUMN = 17
"""The cells of a tape's name above its column."""


def replay_table(summary: Summary) -> RenderableType:
    """Lay out the summary of a replay in 80 columns; missing and unknown keys are left out."""
    return Group(*_parts(summary), Text(""))


def _parts(summary: Summary) -> Iterator[RenderableType]:
    tapes = summary_figures.tapes(summary)
    if 2 <= len(tapes) <= SIDE_BY_SIDE:
        yield from _columns({**tapes, "total": summary})
    else:
        yield from in_terminal(replace(figures_section({"": summary}), title=""))
        yield from _why_wide(summary)
        for section in (*count_sections({"": summary}, summary), lengths_section({"": summary})):
            yield from in_terminal(section)
        if tapes:
            yield from _lines(tapes) if len(tapes) > 1 else ()
    yield from in_terminal(instructions_section(summary, narrow=True))
    yield from in_terminal(failures_section(summary))
    yield from in_terminal(machine_section(summary))
    yield from _test_origins(summary)
    for key, title in (
        ("faults", "warnings about the tests"),
        ("left_out", "tapes left out"),
        ("skipped", "nothing was asked in"),
    ):
        yield from in_terminal(listed_section(summary_figures.entries(summary, key), title))


def _columns(runs: Mapping[str, Summary]) -> Iterator[RenderableType]:
    """A column for each tape, and the total; below stands what the words in it mean, for which columns have no room."""
    short = {shorten(one_line(name), _COLUMN): run for name, run in runs.items()}
    named, total = short if len(short) == len(runs) else runs, runs["total"]
    counts = list(count_sections(named, total, shares=False))
    whole = in_one([narrow_figures_section(named), *counts, lengths_section(named)])
    yield from in_terminal(whole)
    yield from _why_wide(total)
    yield from in_terminal(meanings(counts))


def _why_wide(summary: Summary) -> Iterator[RenderableType]:
    if said := summary_figures.alike_words(summary):
        yield Text(f"{said}.", "dim")


def _lines(tapes: Mapping[str, Summary]) -> Iterator[RenderableType]:
    """A line for each tape."""
    rows = [
        [
            name,
            summary_figures.moments_words(tape),
            ""
            if (share := summary_figures.testable_share(tape).get("value")) is None
            else f"{summary_figures.percent(share)} %",
            summary_figures.passed_words(tape, name_interval=False).replace(" testable", ""),
        ]
        for name, tape in tapes.items()
    ]
    yield from in_terminal(Section("", ["tape", "moments", "testable", "tests passed (95 % interval)"], rows))


def nothing_played(summary: Summary) -> RenderableType:
    """Say of a replay of which no tape is left why nothing was asked; the logs were shown when it happened."""
    reasons = (str(entry["reason"]).partition("\n")[0] for entry in summary_figures.entries(summary, "left_out"))
    names = (shorten(one_line(str(entry["tape"])), NAME) for entry in summary_figures.entries(summary, "left_out"))
    lines = (f"  {name}: {one_line(reason)}" for name, reason in zip(names, reasons, strict=True))
    return Text("\n".join(["No tape is left to play, and nothing was asked.", *lines]), "yellow")


def _test_origins(summary: Summary) -> Iterator[RenderableType]:
    """Say where what is known of the tests comes from: one line for all tapes of which the same is to be said."""
    tapes: dict[str, list[str]] = {}
    for tape, origins in summary_figures.mapping(summary.get("tests_from")).items():
        tapes.setdefault(summary_figures.origins_words(origins), []).append(shorten(one_line(str(tape)), 30))
    if not tapes:
        return
    yield section_title("where the tests come from")
    for words, names in tapes.items():
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        of = f" ({', '.join(names[:_NAMED])}{more})" if len(tapes) > 1 else ""
        yield Padding(Text(words + of, "dim"), (0, 0, 0, 2), expand=False)
