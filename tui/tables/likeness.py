"""The section that says how alike answers and ground truths are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tui.figures import DASH, Summary, mapping, number_of, percent
from tui.render.section import Section


def similarity_section(summary: Summary) -> Section:
    """The figures of likeness, with their intervals; no rows if there is no answer, or the run is of an earlier version."""
    found = mapping(summary.get("similarity"))
    n = found["exact"]["n"] if found else 0
    title = f"how alike answers and ground truths are ({n:,} tasks)"
    return Section(title, ["", "value", "meaning"], list(_rows(found)) if n else [])


def _rows(found: Mapping[str, Any]) -> Iterator[Sequence[str]]:
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
