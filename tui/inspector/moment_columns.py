"""The columns of the list of moments, and their widths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import set_cell_size

from replay.run.listing.moment_rows import UNTESTED, Row
from tui.glossary import named, row_block, row_location
from tui.inspector.model import RunView
from tui.terminal_text import headline, one_line, shorten

GAP = 1
_ENDINGS = {
    "failed": "$text-error",
    "accepted": "$text-success",
    "part": "$text-success",
    "typed-through": "$text-success",
}
_VERDICTS = {"passed": "$text-success", "untestable": "$faint", "infrastructure": "$text-warning"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the list. Widths are in cells."""

    title: str
    least: int
    """The width that the column needs at least."""
    most: int
    """The width that the column takes at most."""
    text: Callable[[Row], str]
    style: Callable[[Row], str] = lambda row: ""
    side: Literal["left", "right", "end"] = "left"
    """Where the text stands; `end` also keeps its end if it is cut."""
    whole: bool = False
    """The text is not cut as long as leaving out other columns makes room for it."""
    sort: str = ""
    """What a click on the title sorts by (`replay.run.listing.moment_selection.SORTS`)."""

    def fit(self, text: str, width: int) -> str:
        """Cut or fill `text` to `width` cells."""
        short = shorten(text, width, keep_end=self.side == "end")
        return short.rjust(width) if self.side == "right" else set_cell_size(short, width)


def _mark(row: Row) -> str:
    return "✎" if row.note else "★" if row.mark else " "


def _latency(row: Row) -> str:
    return "—" if row.latency is None else f"{row.latency:,.0f}"


def _verdict(row: Row) -> str:
    return "—" if row.verdict == UNTESTED else headline(named(row.verdict, row.verdict_reason))


def ending_style(name: str, *, answered: bool) -> str:
    """Return the style of a text about the ending of a moment."""
    return _ENDINGS.get(name, "" if answered else "$faint")


def verdict_style(name: str, *, failed: bool) -> str:
    """Return the style of a text about the verdict on a moment."""
    return "$text-error" if failed and name != UNTESTED else _VERDICTS.get(name, "$faint")


def _ending_style(row: Row) -> str:
    return ending_style(row.ending, answered=row.latency is not None)


MARK = Column("", 1, 1, _mark, lambda row: "bold $text-warning")
TAPE = Column("tape", 6, 24, lambda row: one_line(row.tape), sort="tape")
BLOCK = Column("block", 8, 16, lambda row: one_line(row_block(row)), sort="block")
PLACE = Column("moment", 14, 44, lambda row: one_line(row_location(row)), side="end", sort="moment")
SAMPLE = Column("#", 2, 4, lambda row: str(row.sample + 1), lambda row: "$faint", side="right", sort="moment")
ENDING = Column(
    "ending", 9, 34, lambda row: headline(named(row.ending, row.ending_reason)), _ending_style, sort="ending"
)
VERDICT = Column("verdict", 10, 30, _verdict, lambda row: verdict_style(row.verdict, failed=row.failed), whole=True, sort="verdict")  # fmt: skip
LATENCY = Column("ms", 6, 7, _latency, lambda row: "$faint", side="right", sort="ms")
SUGGESTION = Column(
    "suggestion",
    10,
    400,
    lambda row: headline(row.suggestion) or "—",
    lambda row: "italic" if row.suggestion else "$faint",
    sort="suggestion",
)
COLUMNS = (MARK, PLACE, SAMPLE, BLOCK, ENDING, VERDICT, LATENCY, SUGGESTION)
_GIVES_WAY = (SUGGESTION, BLOCK, LATENCY, TAPE)
"""Columns that are left out, one after the other, where there is no room for those that are shown whole."""


def columns_of(run: RunView) -> tuple[Column, ...]:
    """Return the columns for a run; tape and block are among them if they differ between moments, and the sample's number if there are several."""
    blocks = run.widths.get("kind") or run.widths.get("scenario")
    several = run.config.get("samples", 1) > 1
    kept = tuple(column for column in COLUMNS if (blocks or column is not BLOCK) and (several or column is not SAMPLE))
    return (MARK, TAPE, *kept[1:]) if run.widths.get("tapes", 0) > 1 else kept


def natural_widths(columns: Sequence[Column], run: RunView) -> list[int]:
    """Return the width that each column takes if there is room for everything."""
    longest = run.widths
    known = {
        MARK: 1,
        TAPE: longest["tape"],
        PLACE: longest["place"],
        BLOCK: longest["kind"] + longest["scenario"] + 1,
        ENDING: longest["ending"] + (longest["ending_reason"] + 2 if longest["ending_reason"] else 0),
        VERDICT: longest["verdict"] + (longest["verdict_reason"] + 2 if longest["verdict_reason"] else 0),
        SAMPLE: 2,
        LATENCY: 7,
        SUGGESTION: SUGGESTION.least,
    }
    return [min(column.most, max(len(column.title) + 2 * bool(column.title), known[column])) for column in columns]


def share_width(columns: Sequence[Column], natural: Sequence[int], room: int) -> dict[Column, int]:
    """Share `room` cells among the columns, and return the width of each that is shown.

    The widest column above its least width gives way first; the last column takes what is left. Where whole columns
    have no room otherwise, others are left out.
    """
    shown = dict(zip(columns, natural, strict=True))
    for gone in (None, *_GIVES_WAY):
        shown.pop(gone, None)  # type: ignore[arg-type]
        least = {column: width if column.whole else column.least for column, width in shown.items()}
        if _with_gaps(least) <= room:
            return _shrunk(shown, least, room)
    return _shrunk(shown, {column: column.least for column in shown}, room)


def _shrunk(natural: Mapping[Column, int], least: Mapping[Column, int], room: int) -> dict[Column, int]:
    *_, last = natural
    widths = {**natural, last: least[last]}
    while _with_gaps(widths) > room:
        widest = max(widths, key=lambda column: widths[column] - least[column])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    widths[last] += max(0, room - _with_gaps(widths))
    return widths


def _with_gaps(widths: Mapping[Column, int]) -> int:
    return sum(widths.values()) + GAP * (len(widths) - 1)
