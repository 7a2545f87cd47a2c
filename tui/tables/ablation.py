"""The table of an ablation: what each repair gains and breaks, for someone who sees one for the first time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui.figures import chance_words, net_words
from tui.terminal_text import one_line, shorten

CASES = 8
"""The number of spoilt suggestions that are named; the store and --json have all of them."""
_TITLES = ("left out", "gained", "broken", "killed", "net, % of moments (95 %)", "p")
_LEGEND = {
    "all, none": "moments that pass with all steps, and with none",
    "gained": "moments that pass with all steps, but not without this one",
    "broken": "moments that pass without this step, but not with all",
    "killed": "of the broken moments, those whose raw answer passes",
    "net": "gained minus broken; p: of no difference, by Holm over the steps (docs/numbers.md)",
}


def ablation_table(found: Mapping[str, Any]) -> RenderableType:
    """Lay out the result of `replay.numbers.effects.ablation` in 80 columns."""
    if not found["moments"]:
        return Padding(Text("No moment is testable, so nothing is known about the repairs.", "yellow"), (1, 0))
    return Group(*_parts(found))


def _parts(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Padding(Text("what each repair does, by leaving it out", "bold"), (1, 0, 0, 0), expand=False)
    yield _table(found)
    legend = Table.grid(padding=(0, 2))
    for name, meaning in _LEGEND.items():
        legend.add_row(Text(f"  {name}"), Text(meaning, "dim"))
    yield legend
    yield from _spoilt([case for case in found["cases"] if case["kind"] != "gained"])
    if found["infrastructure"]:
        lacking = f"{found['infrastructure']:,} trials have no verdict, as their tests could not be run; their pairs are left out."
        yield Padding(Text(lacking, "yellow"), (1, 0, 0, 0))
    yield Text("")


def _table(found: Mapping[str, Any]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for title in _TITLES:
        table.add_column(title, justify="left" if title == _TITLES[0] else "right", no_wrap=True)
    languages = found["languages"]
    groups = {"all languages": found, **languages} if len(languages) > 1 else languages
    for name, figures in groups.items():
        table.add_section()
        table.add_row(Text(shorten(one_line(name), 16), "bold"), *_passed(figures))
        for step, effect in figures["effects"].items():
            table.add_row("  all of them" if step == "together" else f"  {step}", *_cells(effect))
    return table


def _passed(figures: Mapping[str, Any]) -> Sequence[Text]:
    """Return the cells of a language's line: how many moments pass with all steps and with none."""
    kept, none = (figures["arms"][arm] for arm in ("all", "none"))
    passed = [f"{round((share['value'] or 0) * share['n']):,}" for share in (kept, none)]
    return [Text(""), Text(""), Text(""), Text(f"all {passed[0]}, none {passed[1]} of {figures['moments']:,}", "bold")]


def _cells(effect: Mapping[str, Any]) -> Iterator[Text]:
    for kind, style in (("gained", "green"), ("broken", "red"), ("killed", "red")):
        yield Text(f"{effect[kind]:,}", style if effect[kind] else "")
    yield Text(net_words(effect["net"]) or "–")  # noqa: RUF001 - a dash for nothing
    yield Text(chance_words(effect["p_adjusted"]) or "–")  # noqa: RUF001 - likewise


def _spoilt(cases: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    if not cases:
        return
    yield Padding(Text("where a step does harm", "bold"), (1, 0, 0, 0), expand=False)
    table = Table.grid(padding=(0, 2))
    for case in cases[:CASES]:
        place = shorten(one_line(f"{case['tape']} {case['place']}"), 56, keep_end=True)
        table.add_row(Text(f"  {case['step']}"), Text(case["kind"], "red"), Text(place))
    yield table
    if len(cases) > CASES:
        yield Text(f"  and {len(cases) - CASES:,} more (--json names them under ablation.cases)", "dim")
