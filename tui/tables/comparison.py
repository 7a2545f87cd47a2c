"""The table of two or more runs over the same moments."""

from __future__ import annotations

import os.path
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
from tui.figures import (
    adjusted_words,
    chance_words,
    measure_name,
    measure_words,
    measured_net_words,
    net_words,
    passing_words,
    percent,
    share_words,
    verdict_words,
)
from tui.render.section import TOO_FEW, Section
from tui.render.terminal import in_terminal, section_title, style_of, table_of
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


def _fitted(section: Section) -> Table:
    """The table of all runs in 80 columns."""
    rows = [[label, shorten(one_line(name), _RUN), *cells] for label, name, *cells in section.rows]
    return table_of(replace(section, rows=rows))


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
            shorten(f"{one['by']} {one['group']}", _NAME),
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
