"""The tables of an evaluation of blocks: by what a model sees of the file and by type of block, and what is wrong with the answers that fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from corpora.codev.answer_errors import ANSWER_ERRORS
from tui.figures import DASH, Summary, percent
from tui.render.terminal import section_title

_ALL = "all"
_WORDS = (
    "similar: edit similarity in %, of characters as Codev-Bench's script has it, and of tokens as its paper says; lines: of an answer as the script counts "
    "them; ms: mean latency"
)
_SHOWN = {
    "full": "full block",
    "inner": "inner block",
    "empty": "nothing is missing",
    "rest-of-function-gone": "rest of function gone",
    "rest-of-file-gone": "rest of file gone",
    _ALL: "all",
}


def block_sections(summary: Summary) -> Iterator[RenderableType]:
    """Lay out the figures of Codev-Bench; nothing for other corpora."""
    rows: Sequence[Mapping[str, Any]] = summary.get("blocks", ())
    if not rows:
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("blocks", no_wrap=True)
    rules = ("by rules",) * any("by_rules" in row for row in rows)
    for title in ("tasks", "pass@1", "95 %", *rules, "similar", "tokens", "lines", "ms"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        whole = row["type"] == _ALL
        name = _SHOWN.get(row["scenario"], row["scenario"]) if whole else f"  {row['type']}"
        table.add_row(*map(Text, (name, *_cells(row))), style="bold" if whole else "")
    yield Padding(table, (1, 0, 0, 0), expand=False)
    yield Text(_WORDS, "dim")
    yield from _errors(rows[-1]["errors"])


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    passing, alike = row["pass_at_1"], row["similarity"]
    yield f"{row['tasks']:,}"
    yield _hundredths(passing)
    yield "" if passing["low"] is None else f"{percent(passing['low'])}{DASH}{percent(passing['high'])}"
    if "by_rules" in row:
        yield _hundredths(row["by_rules"])
    yield _hundredths(alike["published"])
    yield _hundredths(alike["paper"])
    yield _plain(row["lines"]["published"], 1)
    yield _plain(row["latency_ms"]["mean"], 0)


def _hundredths(figure: Mapping[str, Any]) -> str:
    return "" if figure["value"] is None else f"{100 * figure['value']:.1f}"


def _plain(figure: Mapping[str, Any], digits: int) -> str:
    return "" if figure["value"] is None else f"{figure['value']:,.{digits}f}"


def _errors(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    if not found["by"]:
        return
    yield section_title(f"what is wrong with the {found['failed']:,} answers that fail (one may have several)")
    table = Table.grid(padding=(0, 2))
    for name, one in found["by"].items():
        table.add_row(f"  {name}", Text(f"{one['answers']:,}", "bold"), Text(ANSWER_ERRORS.get(name, ""), "dim"))
    yield table
