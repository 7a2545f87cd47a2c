"""The columns of the list of moments, and how wide each is when there is this much room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from replay.records import Record
from tui.model import is_failure, verdict_of
from tui.plain import first_line, plain, shorten
from tui.words import block, place, verdict_name

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
    """One column: its title, the cells that it needs at least and takes at most, its text and its style."""

    title: str
    least: int
    most: int
    text: Callable[[Record], str]
    style: Callable[[Record], str] = lambda record: ""
    side: str = "left"

    def fit(self, text: str, width: int) -> str:
        """Cut or fill `text` to `width` cells."""
        short = shorten(text, width, keep_end=self.side == "end")
        return short.rjust(width) if self.side == "right" else set_cell_size(short, width)


def _tape(record: Record) -> str:
    return plain(record.moment.tape)


def _place(record: Record) -> str:
    return plain(place(record))


def _ending(record: Record) -> str:
    return first_line(str(record.ending))


def _verdict(record: Record) -> str:
    return first_line(verdict_name(record.verdict)) or "—"


def _latency(record: Record) -> str:
    return f"{record.suggestion.latency:,.0f}" if record.suggestion else "—"


def _suggestion(record: Record) -> str:
    if record.suggestion and record.suggestion.text:
        return first_line(record.suggestion.text) or "(white space)"
    return "—"


def _ending_style(record: Record) -> str:
    return _ENDINGS.get(record.ending.name, "" if record.suggestion else "$foreground 65%")


def _verdict_style(record: Record) -> str:
    if is_failure(record) and record.verdict:
        return "$text-error"
    return _VERDICTS.get(verdict_of(record), "$foreground 65%")


TAPE = Column("tape", 6, 24, _tape)
BLOCK = Column("block", 8, 16, block)
COLUMNS = (
    Column("moment", 14, 44, _place, side="end"),
    BLOCK,
    Column("ending", 9, 34, _ending, _ending_style),
    Column("verdict", 10, 26, _verdict, _verdict_style),
    Column("ms", 4, 7, _latency, lambda record: "$foreground 70%", side="right"),
    Column("suggestion", 10, 400, _suggestion, lambda record: "italic" if record.suggestion else "$foreground 65%"),
)


def columns_of(records: Sequence[Record]) -> tuple[Column, ...]:
    """Return the columns for these records; tape and block are among them where they tell moments apart."""
    several = len({record.moment.tape for record in records}) > 1
    blocks = any(block(record) for record in records)
    kept = tuple(column for column in COLUMNS if blocks or column is not BLOCK)
    return (TAPE, *kept) if several else kept


def natural(columns: Sequence[Column], records: Sequence[Record]) -> list[int]:
    """Return the cells that each column would take if there was no end of room."""
    return [_natural(column, records) for column in columns]


def widths(columns: Sequence[Column], wishes: Sequence[int], room: int) -> list[int]:
    """Share `room` cells: the widest column above its least gives way first, the last takes what is left."""
    given = list(wishes)
    given[-1] = columns[-1].least
    room -= GAP * (len(columns) - 1)
    while sum(given) > room:
        slack = [width - column.least for width, column in zip(given, columns, strict=True)]
        if max(slack) <= 0:
            break
        given[slack.index(max(slack))] -= 1
    given[-1] = max(columns[-1].least, room - sum(given[:-1]))
    return given


def _natural(column: Column, records: Sequence[Record]) -> int:
    if column is COLUMNS[-1]:
        return column.least
    longest = max((cell_len(column.text(record)) for record in records), default=0)
    return min(column.most, max(len(column.title), longest))
