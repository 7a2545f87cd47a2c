"""The columns of the list of moments, and their widths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size

from replay.records import Record
from tui.glossary import block_label, location, verdict_label
from tui.inspector.model import is_failure, verdict_name
from tui.terminal_text import headline, one_line, shorten

GAP = 1
_ENDINGS = {
    "failed": "$text-error",
    "accepted": "$text-success",
    "part": "$text-success",
    "typed-through": "$text-success",
}
_VERDICTS = {"passed": "$text-success", "untestable": "$foreground 65%", "infrastructure": "$text-warning"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the list. Widths are in cells."""

    title: str
    least: int
    """The width that the column needs at least."""
    most: int
    """The width that the column takes at most."""
    text: Callable[[Record], str]
    style: Callable[[Record], str] = lambda record: ""
    side: Literal["left", "right", "end"] = "left"
    """Where the text stands; `end` also keeps its end if it is cut."""
    whole: bool = False
    """The text is not cut as long as leaving out `BLOCK` makes room for it."""

    def fit(self, text: str, width: int) -> str:
        """Cut or fill `text` to `width` cells."""
        short = shorten(text, width, keep_end=self.side == "end")
        return short.rjust(width) if self.side == "right" else set_cell_size(short, width)


def _tape(record: Record) -> str:
    return one_line(record.moment.tape)


def _place(record: Record) -> str:
    return one_line(location(record))


def _block(record: Record) -> str:
    return one_line(block_label(record))


def _ending(record: Record) -> str:
    return headline(str(record.ending))


def _verdict(record: Record) -> str:
    return headline(verdict_label(record.verdict)) or "—"


def _latency(record: Record) -> str:
    return f"{record.suggestion.latency:,.0f}" if record.suggestion else "—"


def _suggestion(record: Record) -> str:
    if record.suggestion and record.suggestion.text:
        return headline(record.suggestion.text) or "(white space)"
    return "—"


def ending_style(record: Record) -> str:
    """Return the style of a text about the ending of a moment."""
    return _ENDINGS.get(record.ending.name, "" if record.suggestion else "$foreground 65%")


def verdict_style(record: Record) -> str:
    """Return the style of a text about the verdict on a moment."""
    if is_failure(record) and record.verdict:
        return "$text-error"
    return _VERDICTS.get(verdict_name(record), "$foreground 65%")


TAPE = Column("tape", 6, 24, _tape)
BLOCK = Column("block", 8, 16, _block)
COLUMNS = (
    Column("moment", 14, 44, _place, side="end"),
    BLOCK,
    Column("ending", 9, 34, _ending, ending_style),
    Column("verdict", 10, 30, _verdict, verdict_style, whole=True),
    Column("ms", 4, 7, _latency, lambda record: "$foreground 70%", side="right"),
    Column("suggestion", 10, 400, _suggestion, lambda record: "italic" if record.suggestion else "$foreground 65%"),
)


def columns_of(records: Sequence[Record]) -> tuple[Column, ...]:
    """Return the columns for these records; tape and block are among them if they differ between moments."""
    several = len({record.moment.tape for record in records}) > 1
    blocks = any(block_label(record) for record in records)
    kept = tuple(column for column in COLUMNS if blocks or column is not BLOCK)
    return (TAPE, *kept) if several else kept


def natural_widths(columns: Sequence[Column], records: Sequence[Record]) -> list[int]:
    """Return the width that each column takes if there is room for everything."""
    return [_natural(column, records) for column in columns]


def share_width(columns: Sequence[Column], natural: Sequence[int], room: int) -> dict[Column, int]:
    """Share `room` cells among the columns, and return the width of each that is shown.

    The widest column above its least width gives way first; the last column takes what is left. Where whole columns
    have no room otherwise, `BLOCK` is left out.
    """
    wanted = dict(zip(columns, natural, strict=True))
    for shown in (wanted, {column: width for column, width in wanted.items() if column is not BLOCK}):
        least = {column: width if column.whole else column.least for column, width in shown.items()}
        if _with_gaps(least) <= room:
            return _shrunk(shown, least, room)
    return _shrunk(wanted, {column: column.least for column in wanted}, room)


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


def _natural(column: Column, records: Sequence[Record]) -> int:
    if column is COLUMNS[-1]:
        return column.least
    longest = max((cell_len(column.text(record)) for record in records), default=0)
    return min(column.most, max(len(column.title), longest))
