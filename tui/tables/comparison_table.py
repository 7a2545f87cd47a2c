"""The table of two or more runs over the same moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from replay.numbers.clusters import NAMES
from replay.numbers.comparison import LETTERS
from replay.numbers.paired.sentences import front_sentences, side_names
from replay.numbers.section import Section
from tui.render.terminal import in_terminal, section_title, style_of, table_of
from tui.summary_figures import (
    adjusted_words,
    chance_words,
    net_words,
    passing_words,
    percent,
    verdict_words,
)
from tui.tables.sections import groups_section, measure_sections, runs_section
from tui.terminal_text import bounded, message, one_line, shorten

_LINES = 8
"""The lines of an answer that are shown."""
_NAME = 40
"""The cells of a group's name that are shown."""
_RUN = 26
"""The cells of a run's name in the table of all runs."""


def comparison_table(found: Mapping[str, Any], changed: int = 0) -> RenderableType:
    """Lay out the result of `replay.numbers.comparison.compare_runs` in 80 columns, with so many of the moments that changed of each pair."""
    return Group(*_parts(found, changed))


def _parts(found: Mapping[str, Any], changed: int) -> Iterator[RenderableType]:
    comparisons = found["comparisons"]
    letters = dict(zip([one["runs"][1] for one in comparisons], LETTERS[1:], strict=False))
    for one in found["unfair"]:
        which = f"A and {letters[one['runs'][1]]}: " if len(comparisons) > 1 else ""
        yield Text(f"  {which}{message(one['says'])}", "yellow")
    if len(found["runs"]) > 2:
        yield Padding(_fitted(runs_section(found)), (1, 0, 0, 0), expand=False)
    first, *others = side_names(found)
    for letter, name, one in zip(LETTERS[1:], others, comparisons, strict=False):
        yield from _pair(one, (first, name), letter, changed, is_alone=len(comparisons) == 1)
    yield from (Text(line, "dim") for line in front_sentences(found))
    yield Text("Verdicts are those by a hole that is the same for both (docs/numbers.md).", "dim")


def _pair(
    found: Mapping[str, Any], names: Sequence[str], letter: str, changed: int, *, is_alone: bool
) -> Iterator[RenderableType]:
    if is_alone:
        yield Padding(_shares(found, names), (1, 0, 0, 0), expand=False)
    else:
        yield section_title(f"{letter} less A: {shorten(one_line(names[1]), _NAME, keep_end=True)}")
    if found["difference"]["n"] or is_alone:
        yield _overall(found, letter)
    says = found["difference"]["says"]
    sentence = found["difference"]["sentence"].replace("B passes", f"{letter} passes", 1)
    yield Padding(Text(sentence, style_of(says)), (1, 0, 0, 0))
    for section in measure_sections(found, letter):
        yield from in_terminal(section)
    if is_alone:
        yield from in_terminal(groups_section(found, letter))
    yield from _changed(found["changed"], letter, changed)
    for note in found["notes"]:
        if note not in found["unfair"]:
            yield Text(f"  {message(note)}", "yellow")


def _fitted(section: Section) -> Table:
    """The table of all runs in 80 columns."""
    rows = [[label, shorten(one_line(name), _RUN), *cells] for label, name, *cells in section.rows]
    return table_of(replace(section, rows=rows))


def _changed(changed: Sequence[Mapping[str, Any]], letter: str, shown: int) -> Iterator[RenderableType]:
    """The moments that changed: how many, and both answers of the first ones."""
    if not changed:
        return
    lost = sum(one["change"] == "lost" for one in changed)
    yield section_title(f"{lost:,} only A passes, {len(changed) - lost:,} only {letter} passes")
    for one in _chosen(changed, shown):
        yield Text(
            f"{'-' if one['change'] == 'lost' else '+'} {shorten(one_line(one['place']), 76, keep_end=True)}", "bold"
        )
        sides = Table.grid(padding=(0, 2, 0, 0), expand=False)
        for _ in one["answers"]:
            sides.add_column(width=38, overflow="fold")
        sides.add_row(
            *(
                Text(f"{side}: {verdict_words(answer)}", "dim")
                for side, answer in zip(("A", letter), one["answers"], strict=True)
            )
        )
        sides.add_row(*(Text(bounded(answer["text"], 160, _LINES) or "(nothing)") for answer in one["answers"]))
        yield Padding(sides, (0, 0, 1, 2), expand=False)
    if len(changed) > shown:
        yield Text(
            f"--changed {len(changed)} shows both answers of all of them, --tui one by one with their logs", "dim"
        )


def _chosen(changed: Sequence[Mapping[str, Any]], number: int) -> list[Mapping[str, Any]]:
    """So many of the moments that changed, of both ways in turn."""
    ways = ([one for one in changed if one["change"] == way] for way in ("lost", "gained"))
    in_turn = [one for both in zip_longest(*ways) for one in both if one is not None]
    return in_turn[:number]


def _shares(found: Mapping[str, Any], names: Sequence[str]) -> Table:
    grid, n = _grid(), found["difference"]["n"]
    for letter, name, passed in zip("AB", names, found["passed"], strict=True):
        share = f"{passing_words(passed)} of {n:,}" + (f", {percent(passed / n)} %" if n else "")
        grid.add_row(Text(letter, "bold"), Text(shorten(one_line(name), 40, keep_end=True)), Text(share, "bold"))
    return grid


def _overall(found: Mapping[str, Any], letter: str) -> Table:
    difference, grid = found["difference"], _grid()
    n, clusters = difference["n"], difference["clusters"]
    names = NAMES[found["cluster_by"]] if clusters != 1 else found["cluster_by"]
    effect = difference["design_effect"]
    design = f", design effect {effect:.1f}" if effect is not None else ""
    grid.add_row(
        Text(f"{letter} less A", "bold"),
        Text(f"{net_words(difference['net'])}  p {chance_words(difference['p_adjusted'])}{adjusted_words(difference)}"),
    )
    grid.add_row(Text("pairs", "dim"), Text(f"{n:,} in {clusters:,} {names}{design}"))
    grid.add_row("", Text(f"only {letter} passes {difference['gained']:,}, only A {difference['broken']:,}"))
    return grid


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=8)
    return grid
