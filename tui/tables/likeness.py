"""The section of a table that says how alike answers and ground truths are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tui.figures import DASH, Summary, mapping, number_of, percent
from tui.render.terminal import section_title


def similarity_section(summary: Summary) -> Iterator[RenderableType]:
    """Lay out the figures of likeness, with their intervals; nothing if there is no answer, or the run is of an earlier version."""
    found = mapping(summary.get("similarity"))
    if not found or not found["exact"]["n"]:
        return
    yield section_title(f"how alike answers and ground truths are ({found['exact']['n']:,} tasks)")
    table = Table.grid(padding=(0, 2))
    for _ in range(2):
        table.add_column(no_wrap=True)
    for name, value, about in _rows(found):
        table.add_row(f"  {name}", Text(value, "bold"), Text(about, "dim"))
    yield table


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    code, paper, lines = found["code"], found["paper"], found["lines"]
    yield (
        "first line",
        _share(code["first_line"]),
        f"of any answer is the truth's: {number_of(code['matches'], 'task')}",
    )
    yield "", _share(paper["first_line"]), "of all answers"
    yield "cosine", _number(code["cosine"]), "of the words of the first lines"
    yield "", _number(paper["cosine"]), "of the words of the whole answers"
    yield "exact", _share(found["exact"]), "of all answers are the truth"
    yield "edit similarity", _number(found["edit_similarity"]), "of the whole answers"
    yield "lines", f"{lines['answers']:.1f}", f"of an answer; {lines['truths']:.1f} of a truth"


def _share(figure: Mapping[str, Any]) -> str:
    low, high = figure["low"], figure["high"]
    return f"{100 * figure['value']:.1f} %" + (f" ({percent(low)}{DASH}{percent(high)})" if low is not None else "")


def _number(figure: Mapping[str, Any]) -> str:
    low, high = figure["low"], figure["high"]
    return f"{figure['value']:.2f}" + (f" ({low:.2f}{DASH}{high:.2f})" if low is not None else "")
