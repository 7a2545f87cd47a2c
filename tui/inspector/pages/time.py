"""The page *time*: the keys around the moment on a scale of milliseconds, the question, the first token, the answer and the next key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from replay.records import Record
from tui.glossary import describe_ending
from tui.inspector.code import FAINT, PageContent
from tui.inspector.pages.parts import ShownMoment, faint, head, lines, waits_for_tape, wrapped
from tui.terminal_text import one_line, shorten

if TYPE_CHECKING:
    from replay.judge.retracing import Key, TracedTape

_KEYS = 10
"""The edits before the moment, and those after it, that are named."""
_UNKNOWN = (
    "The time of the first token is not known: the answer came in one piece or from a cache, its latency was not measured, "
    "or an older version made the run."
)
_LEAST, _MOST = 400.0, 6_000.0
"""What the scale shows of each side of the moment, in ms."""


def time_page(shown: ShownMoment) -> PageContent:
    """Show the scale, and the same as a list. Times are in ms of the tape's own time, from the question on."""
    record = shown.record
    marks = _happened(record)
    if shown.tape is None:
        found = (waits_for_tape(shown), Content(""), *_list(marks, []), *_unknown(record, shown.width))
        return _copied(lines(*found))
    begin, (before, after) = record.moment.t, shown.tape.keys(record.moment.event, _KEYS, _KEYS)
    since = _offset(record, shown.tape)
    keys = [(key.at - begin - since, key) for key in (*before, *after)]
    marks += [(at, "◆", "next key") for at, _ in keys[len(before) : len(before) + 1]]
    parts = [*_scale(keys, marks, shown.width), Content(""), *_list(marks, keys)]
    stands = faint("The moment stands alone: it is asked out of the tape's time, and the next key waits for no answer.")
    alone = [wrapped(stands, shown.width)] if record.moment.stop != "auto" else []
    return _copied(lines(*parts, *_unknown(record, shown.width), Content(""), *alone))


def _copied(page: Content) -> PageContent:
    return PageContent(page, copied=page.plain, needs_tape=True)


def _unknown(record: Record, width: int) -> list[Content]:
    """Why the time of the first token is not shown."""
    if record.suggestion is None or record.suggestion.first_token is not None:
        return []
    return [Content(""), wrapped(faint(_UNKNOWN), width)]


def _offset(record: Record, tape: TracedTape) -> float:
    """How much later the tape's clock is than the moment's: a moment that stands alone has a clock of its own."""
    return tape.time(record.moment.event) - record.moment.t if record.moment.stop != "auto" else 0.0


def _happened(record: Record) -> list[tuple[float, str, str]]:
    if record.ending.name in {"gated", "debounced"}:
        return [(0.0, "△", f"not asked; {describe_ending(record.ending)}")]
    found = [(0.0, "▲", "asked")]
    if record.suggestion:
        if record.suggestion.first_token is not None:
            found.append((record.suggestion.first_token, "◐", "first token"))
        found.append((record.suggestion.latency, "●", f"answered; {describe_ending(record.ending)}"))
    else:
        found.append((0.0, "○", f"no answer; {describe_ending(record.ending)}"))
    return found


def _scale(keys: Sequence[tuple[float, Key]], marks: Sequence[tuple[float, str, str]], width: int) -> list[Content]:
    """Draw a line of keys and a line of marks over a ruler. What lies beyond its ends is drawn at them, as an arrow."""
    ends = [at for at, _ in keys] + [at for at, _, _ in marks]
    low, high = max(-_MOST, min([-_LEAST, *ends])), min(_MOST, max([_LEAST, *ends]))
    room = max(20, width - 10)

    def column(at: float) -> int:
        return round((min(max(at, low), high) - low) / (high - low) * (room - 1))

    typed, signs = [" "] * room, [" "] * room
    for at, key in keys:
        typed[column(at)] = "◂" if at < low else "▸" if at > high else _sign(key)
    for at, sign, _ in marks:  # two at one place stand side by side
        there = column(at)
        signs[next((free for free in range(there, room) if signs[free] == " "), there)] = sign
    ruler = ["─"] * room
    ruler[column(0)] = "┴"
    numbers = [" "] * (room + 8)
    for at in (0.0, low, high):
        label = f"{at:+,.0f}" if at else "0"
        place = max(0, min(column(at) - len(label) // 2, room - len(label)))
        if not "".join(numbers[max(0, place - 1) : place + len(label) + 1]).strip():
            numbers[place : place + len(label)] = label
    rows = (("keys", typed), ("", ruler), ("what", signs), ("ms", numbers))
    return [Content.assemble((f"{name:<6}", FAINT), "".join(cells)) for name, cells in rows]


def _sign(key: Key) -> str:
    if not key.text:
        return "⌫" if key.removed else "·"
    return "⏎" if key.text[0] in "\r\n" else "␣" if key.text[0].isspace() else shorten(one_line(key.text[0]), 1)


def _list(marks: Sequence[tuple[float, str, str]], keys: Sequence[tuple[float, Key]]) -> list[Content]:
    rows = [(at, 1, sign, words) for at, sign, words in marks if words != "next key"]
    rows += [(at, 0 if at < 0 else 2, _sign(key), _words(key)) for at, key in keys]
    title = head("In order: ms after the question")
    ordered = sorted(rows, key=lambda row: (row[0], row[1]))
    return [title, *(_row(at, sign, words, what=order == 1) for at, order, sign, words in ordered)]


def _row(at: float, sign: str, words: str, *, what: bool) -> Content:
    return Content(f"{at:>+12,.0f}  {sign}  {one_line(words)}").stylize("bold" if what else "")


def _words(key: Key) -> str:
    removed = f", takes {key.removed:,} characters out" if key.removed else ""
    return f"{key.kind} {shorten(one_line(key.text), 60)!s}{removed}" if key.text else f"{key.kind}{removed}"
