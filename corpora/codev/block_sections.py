"""The tables of an evaluation of blocks: by what a model sees of the file and by type of block, and what is wrong with the answers that fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from corpora.codev.answer_errors import ANSWER_ERRORS
from replay.numbers.section import Section

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


def block_sections(summary: Mapping[str, Any]) -> Iterator[Section]:
    """Yield the figures of Codev-Bench; nothing of a summary that has none."""
    blocks: Sequence[Mapping[str, Any]] = summary.get("blocks", ())
    if not blocks:
        return
    rules = ("by rules",) * any("by_rules" in row for row in blocks)
    head = ["blocks", "tasks", "pass@1", "95 %", *rules, "similar", "tokens", "lines", "ms"]
    names = (
        _SHOWN.get(row["scenario"], row["scenario"]) if row["type"] == _ALL else f"  {row['type']}" for row in blocks
    )
    yield Section("", head, [[name, *_cells(row)] for name, row in zip(names, blocks, strict=True)], _WORDS)
    found = blocks[-1]["errors"]
    rows = [[name, f"{one['answers']:,}", ANSWER_ERRORS.get(name, "")] for name, one in found["by"].items()]
    title = f"what is wrong with the {found['failed']:,} answers that fail (one may have several)"
    yield Section(title, ["", "number", "meaning"], rows)


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    passing, alike = row["pass_at_1"], row["similarity"]
    yield f"{row['tasks']:,}"
    yield _hundredths(passing)
    yield "" if passing["low"] is None else f"{_percent(passing['low'])}\N{EN DASH}{_percent(passing['high'])}"
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


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
