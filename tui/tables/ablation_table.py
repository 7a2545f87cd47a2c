"""The table of an ablation: what each repair gains and breaks, for someone who sees one for the first time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from replay.numbers.section import Section
from tui.render.terminal import in_terminal
from tui.summary_figures import DASH, chance_words, net_words
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
    harmful = [case for case in found["cases"] if case["kind"] != "gained"]
    legend = Section("", ["", "meaning"], list(_LEGEND.items()))
    for section in (_effects(found), legend, _spoilt(harmful)):
        yield from in_terminal(section)
    if found["infrastructure"]:
        lacking = f"{found['infrastructure']:,} trials have no verdict, as their tests could not be run; their pairs are left out."
        yield Padding(Text(lacking, "yellow"), (1, 0, 0, 0))
    yield Text("")


def _effects(found: Mapping[str, Any]) -> Section:
    """A row for each language, with how many moments pass with all steps and with none, and under it one for each step."""
    languages, rows = found["languages"], []
    for name, own in ({"all languages": found, **languages} if len(languages) > 1 else languages).items():
        passed = [f"{round((own['arms'][arm]['value'] or 0) * own['arms'][arm]['n']):,}" for arm in ("all", "none")]
        rows.append([shorten(name, 16), "", "", "", f"all {passed[0]}, none {passed[1]} of {own['moments']:,}", ""])
        for step, effect in own["effects"].items():
            counts = (f"{effect[kind]:,}" for kind in ("gained", "broken", "killed"))
            chance = chance_words(effect["p_adjusted"]) or DASH
            rows.append(
                [
                    "  all of them" if step == "together" else f"  {step}",
                    *counts,
                    net_words(effect["net"]) or DASH,
                    chance,
                ]
            )
    return Section("what each repair does, by leaving it out", _TITLES, rows)


def _spoilt(cases: Sequence[Mapping[str, Any]]) -> Section:
    rows = [
        [case["step"], case["kind"], shorten(one_line(f"{case['tape']} {case['place']}"), 56, keep_end=True)]
        for case in cases[:CASES]
    ]
    more = f"and {len(cases) - CASES:,} more (--json names them under ablation.cases)" if len(cases) > CASES else ""
    return Section("where a step does harm", ["", "", "meaning"], rows, more)
