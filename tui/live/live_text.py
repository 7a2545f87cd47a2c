"""What the live screen says in words: the run, its lanes, the moment that is at hand, and the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.cells import cell_len
from textual.content import Content

from replay.judge.tested_states import StateRun
from replay.records import Record
from tui.glossary import location, verdict_label
from tui.live.state import Lane, LiveState
from tui.summary_figures import (
    Summary,
    clusters_words,
    counts,
    judged_counts,
    latency,
    latency_words,
    metric,
    number_of,
    passed_words,
    share_words,
    testable_share,
)
from tui.terminal_text import headline, one_line, shorten

# How endings and verdicts are marked where there is room for one letter: colour is never the only sign.

PASSED, FAILED, UNSURE, FAINT = "$text-success", "$text-error", "$text-warning", "$faint"


@dataclass(frozen=True, slots=True)
class Mark:
    """A letter with the style of its text; of several marks in one place, that of the highest `rank` is shown."""

    letter: str
    style: str
    rank: int


ENDING_MARKS: dict[str, Mark] = {
    "gated": Mark("g", FAINT, 0),
    "debounced": Mark("d", FAINT, 0),
    "superseded": Mark("u", FAINT, 1),
    "cancelled": Mark("c", FAINT, 1),
    "empty": Mark("e", UNSURE, 2),
    "filtered": Mark("f", UNSURE, 2),
    "late": Mark("l", UNSURE, 2),
    "shown": Mark("S", "$text-primary", 3),
    "typed-through": Mark("T", PASSED, 4),
    "part": Mark("P", PASSED, 4),
    "accepted": Mark("A", PASSED, 4),
    "rejected": Mark("R", "$text-primary", 3),
    "failed": Mark("!", FAILED, 5),
}
VERDICT_MARKS: dict[str, Mark] = {
    "untestable": Mark("-", FAINT, 1),
    "passed": Mark("P", PASSED, 3),
    "failed": Mark("F", FAILED, 4),
    "assertion": Mark("A", FAILED, 4),
    "exception": Mark("X", FAILED, 4),
    "syntax": Mark("S", FAILED, 4),
    "indentation": Mark("I", FAILED, 4),
    "compile": Mark("C", FAILED, 4),
    "undefined-name": Mark("U", FAILED, 4),
    "timeout": Mark("T", FAILED, 4),
    "memory": Mark("M", FAILED, 4),
    "output": Mark("O", FAILED, 4),
    "crashed": Mark("K", FAILED, 4),
    "flaky": Mark("Y", UNSURE, 4),
    "repeated": Mark("R", FAILED, 4),
    "infrastructure": Mark("!", UNSURE, 5),
}
AWAITED = Mark("?", "$heading", 2)
"""A moment that waits for its verdict."""
NOTHING = Mark(" ", "", -1)


def ending_mark(record: Record) -> Mark:
    """The mark of a moment's ending."""
    return ENDING_MARKS[record.ending.name]


def verdict_mark(record: Record, *, awaited: bool) -> Mark:
    """The mark of a moment's verdict, or that it waits for one; nothing where there is none to wait for."""
    if record.verdict is not None:
        return VERDICT_MARKS.get(record.verdict.name, VERDICT_MARKS["failed"])
    return AWAITED if awaited else NOTHING


LABEL = 11
"""Cells of the name of a figure."""
TIMES = "\N{MULTIPLICATION SIGN}"
_LEAST_BARS = 16
"""Cells that bars need to say anything."""
_HURRIED = 20.0
"""A speed at which the rests of a person are short on the wall, so that the rate tells how fast it really goes."""
_BARS = "▁▂▃▄▅▆▇█"
_PHASES = {
    "waiting": ("waiting for the run", UNSURE),
    "going": ("▶ going on", PASSED),
    "paused": ("⏸ paused", UNSURE),
    "done": ("■ done", PASSED),
    "interrupted": ("■ interrupted", UNSURE),
    "failed": ("■ failed", FAILED),
    "killed": ("■ its process was killed", FAILED),
}
_STATES = {"finished": "finished project", "emptied": "empty hole", "graft": "suggestion"}


def title(state: LiveState, name: str, width: int) -> Content:
    """The run, what it measures, and how it goes."""
    plan = state.plan
    said, style = _PHASES[state.phase]
    has_speed = state.phase == "going" or (state.phase == "paused" and state.pulse is not None and state.pulse.speed)
    pace = f" {speed_words(state)}" if has_speed else ""
    what = " ".join(
        filter(None, (plan.provider, one_line(plan.model), plan.policy, plan.mode if plan.mode == "drive" else ""))
    )
    right = Content.assemble((said, f"bold {style}"), pace)
    room = width - right.cell_length - 3
    left = Content.assemble(
        (shorten(one_line(name), max(8, room // 2)), "bold $heading"), " ", shorten(one_line(what), room // 2 - 1)
    )
    return Content.assemble(left, " " * max(1, width - 1 - left.cell_length - right.cell_length), right)


def speed_words(state: LiveState) -> str:
    """How fast it is watched, as `10` with a multiplication sign before it."""
    speed = state.pulse.speed if state.pulse else None
    return f"{TIMES}{speed:g}" if speed else "at full speed"


def lanes(state: LiveState, shown: str, width: int) -> Content:
    """Each tape or corpus with how far it is; the one on the screen is marked."""
    found = list(state.lanes.values())
    names = max(6, (width - 12 * len(found)) // max(1, len(found)))
    parts: list[Content] = []
    for number, lane in enumerate(found, 1):
        done = (
            "left out" if lane.left_out and not lane.records else "✓" if lane.is_over else f"{100 * lane.share:.0f} %"
        )
        style = "bold reverse" if lane.name == shown else ""
        label = f" {number} {shorten(one_line(lane.name), min(24, names))} {done} "
        parts.append(Content(label).stylize(style) if style else Content(label))
    parts += [Content("⇥ next").stylize(FAINT)]
    return Content(" ").join(parts)


def place(lane: Lane, path: str, row: int, width: int) -> Content:
    """Which document is shown, and how far the session is."""
    session, at = lane.session, lane.position
    if session is None or at is None:
        return Content(shorten(one_line(f"{lane.name}: {lane.note}" if lane.note else lane.name), width - 1))
    sample = f", sample {session.sample + 1}" if session.sample else ""
    right = f"{shorten(one_line(session.unit), 12)} {at.index:,} of {session.of:,}{sample}"
    where = shorten(one_line(f"{path}:{row}") if path else "", max(8, width - cell_len(right) - 3), keep_end=True)
    return Content.assemble(
        (where, "bold"), " " * max(1, width - 1 - cell_len(where) - cell_len(right)), (right, FAINT)
    )


def moment(lane: Lane, width: int) -> Content:
    """The moment at hand: asked, answered, how it ended, its verdict."""
    asked, answer = lane.asked, lane.answer
    record = lane.current
    if asked is not None and asked.moment not in lane.records:
        block = f"{asked.block} " if asked.block else ""
        if answer is None and lane.streamed:
            return Content(f"… the answer comes: {len(lane.streamed):,} characters").stylize("bold $heading")
        if answer is None:
            return Content(shorten(one_line(f"… asked at {block}{asked.path}"), width - 1)).stylize("bold $heading")
        came = (
            f"the model answered in {answer.latency:,.0f} ms"
            if not answer.why
            else f"no text after {answer.latency:,.0f} ms: {answer.why}"
        )
        return Content(shorten(one_line(f"● {came} {block}"), width - 1)).stylize("bold $text-primary")
    return ended(record, lane, width) if record else Content("no moment yet").stylize(FAINT)


def ended(record: Record, lane: Lane, width: int) -> Content:
    """One line about a moment that has ended."""
    ends, judged = ending_mark(record), verdict_mark(record, awaited=record.moment.id in lane.awaited)
    verdict = shorten(one_line(verdict_label(record.verdict)), 60) or (
        "waits for its tests" if record.moment.id in lane.awaited else ""
    )
    took = f"{record.suggestion.latency:,.0f} ms" if record.suggestion else ""
    parts: list[Content | str | tuple[str, str]] = [
        (f"[{ends.letter}] {shorten(one_line(str(record.ending)), 60)}", f"bold {ends.style}"),
        f" {took} ",
    ]
    if verdict:
        parts.append((f"[{judged.letter}] {verdict}", f"bold {judged.style}"))
    line = Content.assemble(*parts)
    where = shorten(one_line(location(record)), max(0, width - line.cell_length - 3), keep_end=True)
    return Content.assemble(line, ("  " + where, FAINT)).truncate(width - 1, ellipsis=True)


def passed(figures: Summary, state: LiveState) -> Content:
    """How many testable moments passed, with the interval."""
    if not state.plan.tests:
        return Content("nothing is tested (--no-tests)").stylize(FAINT)
    words = passed_words(figures, name_interval=False)
    return (
        Content.assemble((words, "bold"), (f"  {clusters_words(figures)}", FAINT))
        if words
        else Content("no verdict yet").stylize(FAINT)
    )


def untestable(figures: Summary) -> Content:
    """How many moments no test can judge, and why; testable ones stand apart."""
    judged, found = judged_counts(figures), counts(figures, "untestable")
    reasons = ", ".join(f"{shorten(one_line(name), 40)} {number:,}" for name, number in found.items())
    share = share_words(testable_share(figures)) if found or judged.testable else ""
    parts = [f"{judged.untestable:,}" + (f": {reasons}" if reasons else "")]
    parts += [f"not tested {judged.untested:,}"] if judged.untested else []
    parts += [f"testable {share}"] if share else []
    return Content("  ".join(parts))


def endings(figures: Summary) -> Content:
    """How often each ending occurred, and the share of what was shown that was accepted."""
    found = counts(figures, "endings")
    parts = [f"{shorten(one_line(name), 40)} {number:,}" for name, number in found.items()]
    share = share_words(metric(figures, "acceptance")) if found.get("accepted") or found.get("part") else ""
    return (
        Content(", ".join(parts) + (f"  accepted of shown {share}" if share else ""))
        if parts
        else Content("none").stylize(FAINT)
    )


def latencies(figures: Summary, state: LiveState, width: int) -> Content:
    """Quantiles of the latency, and the latest as bars: behind them, or below where there is no room."""
    found = [(name, latency(figures, name).removesuffix(" ms")) for name in ("p50", "p90", "p99")]
    words = "  ".join(f"{name} {value}" for name, value in found if value)
    if not state.plan.measured:
        return Content(latency_words(figures)).stylize(FAINT)
    if not words:
        return Content("no answer yet").stylize(FAINT)
    room = width - len(words) - 6
    below = room < _LEAST_BARS
    latest = [*state.latencies][-max(1, min(40, width - 1 if below else room)) :]
    return Content.assemble(f"{words} ms", "\n" if below else "  ", (bars(latest), "$text-primary"))


def bars(values: Sequence[float]) -> str:
    """Values as bars of eight heights: 0, 50 and 100 are `▁▅█`."""
    most = max(values, default=0.0) or 1.0
    return "".join(_BARS[min(7, int(8 * value / most))] for value in values)


def tests(state: LiveState, lane: Lane) -> Content:
    """The tests that wait, run and are done, and the one that runs."""
    if not state.plan.tests:
        return Content("none are run (--no-tests)").stylize(FAINT)
    found = (
        lane.tests
        if lane.tests.open
        else next((own.tests for own in state.lanes.values() if own.tests.open), lane.tests)
    )
    done = sum(own.tests.done for own in state.lanes.values())
    numbers = f"{len(found.running)} running, {found.queued:,} queued, {done:,} done"
    if state.plan.arms > 1:
        tried = sum(own.tried for own in state.lanes.values())
        numbers += f"; ablation: {tried:,} verdicts of the other {state.plan.arms - 1:,} arms"
    if not state.is_going and (found.running or found.queued):
        return Content.assemble(f"{done:,} done", (f", {len(found.running) + found.queued:,} were left undone", UNSURE))
    now = ", ".join(_state_words(run, state.at - found.began[run.number]) for run in found.running[:1])
    return Content.assemble(numbers, (f": {now}" if now else "", UNSURE))


def _state_words(run: StateRun, seconds: float) -> str:
    line = f":{run.line}" if run.line else ""
    return f"{_STATES[run.what]}, {shorten(one_line(run.path), 40, keep_end=True)}{line}, {max(0.0, seconds):.0f} s"


def pace(state: LiveState, lane: Lane) -> Content:
    """How fast it goes, how long it goes on, and what it does where that takes time."""
    parts = []
    if state.rates and state.is_going and (span := state.rates[-1][0] - state.rates[0][0]) > 1:
        events, moments = (state.rates[-1][column] - state.rates[0][column] for column in (1, 2))
        parts = [done_words(state), f"{60 * moments / span:,.0f}/min", *_left(state, lane, events / span)]
    if state.began:
        parts.append(f"{clock(1000 * (state.at - state.began))} so far")
    reason = state.ending.reason if state.ending else ""
    if (stall := state.stall) and state.is_going:
        waits = f"waits for the model server, asked again in {stall.pause_s:.0f} s: {stall.reason.rstrip('.')}: {stall.remedy}"
        return Content(headline(waits)).stylize(UNSURE)
    said = headline(reason or ("" if parts and lane.share else state.note))
    return Content.assemble(", ".join(parts), (f"  {said}" if said else "", FAILED if reason else FAINT))


def done_words(state: LiveState) -> str:
    """How many moments have their verdict, or ended without one, of how many, where that is known of every tape: `12 of 96 moments`."""
    lanes = [lane for lane in state.lanes.values() if not (lane.left_out and not lane.records)]
    done = sum(len(lane.records) - len(lane.awaited) for lane in lanes)
    planned = [lane.session.moments if lane.session else None for lane in lanes]
    of = sum(number * state.plan.samples for number in planned if number is not None)
    return f"{done:,} of {of:,} moments" if planned and None not in planned else number_of(done, "moment")


def _left(state: LiveState, lane: Lane, rate: float) -> list[str]:
    """How long a lane goes on, with all its samples: at its speed, else at this rate (events or tasks a second). A high speed is often not reached, as answers take their time."""
    session, at, speed = lane.session, lane.position, state.pulse.speed if state.pulse else None
    if session is None or at is None or lane.is_over or (rate <= 0 and not (speed and session.duration)):
        return []
    sessions = state.plan.samples - 1 - session.sample
    by_rate = 1000 * (session.of - at.index + sessions * session.of) / rate if rate > 0 else 0.0
    if not speed or not session.duration:
        return _about(by_rate)
    by_speed = (session.duration - at.t + sessions * session.duration) / speed
    return _about(max(by_speed, by_rate) if speed >= _HURRIED else by_speed)


def _about(left_ms: float) -> list[str]:
    return [f"about {clock(max(1_000.0, left_ms))} left"]


def latest(lane: Lane, number: int, width: int) -> Iterable[Content]:
    """The moments that ended last, the newest first."""
    for moment_id in islice(reversed(lane.records), number):
        yield _in_list(lane.records[moment_id], lane, width)


def _in_list(record: Record, lane: Lane, width: int) -> Content:
    """One moment in a list: both letters, where it is, and how its test ended if it did not pass."""
    ends, judged = ending_mark(record), verdict_mark(record, awaited=record.moment.id in lane.awaited)
    took = f"{record.suggestion.latency:,.0f} ms" if record.suggestion else ""
    found = record.verdict
    verdict = shorten(one_line(found.reason or found.name), 24) if found and found.name != "passed" else ""
    right = Content.assemble((f"{verdict} ", judged.style), f"{took:>8}")
    room = max(6, width - right.cell_length - 6)
    where = shorten(one_line(location(record)), room, keep_end=True)
    left = Content.assemble(
        (ends.letter, f"bold {ends.style}"),
        " ",
        (judged.letter, f"bold {judged.style}" if judged.style else ""),
        f" {where}",
    )
    return Content.assemble(left, " " * max(1, width - 1 - left.cell_length - right.cell_length), right)


# A session on one line of time: a mark for each moment, by its ending and by its verdict.

_LABEL = 8
"""Cells of the words on the left."""


def clock(ms: float) -> str:
    """Virtual time as `12:03`, or `1:02:03` from an hour on."""
    minutes, seconds = divmod(int(ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def strip(lane: Lane, width: int) -> Content:
    """Three lines: how far the session is, endings, verdicts. Where moments share a cell, the most telling is shown, underlined."""
    room = max(10, width - _LABEL)
    endings, verdicts = [[NOTHING] * room for _ in range(2)]
    shared = [0] * room
    for number, record in enumerate(lane.records.values()):
        at = _cell(lane, record, number, room)
        shared[at] += 1
        _put(endings, at, ending_mark(record))
        _put(verdicts, at, verdict_mark(record, awaited=record.moment.id in lane.awaited))
    rows = [_axis(lane, room), _row("endings", endings, shared), _row("tests", verdicts, shared)]
    return Content("\n").join(rows)


def _cell(lane: Lane, record: Record, number: int, room: int) -> int:
    """Where a moment stands: by its time; where there is no time (the tasks of a corpus), by its number."""
    session = lane.session
    if session is None:
        return 0
    if session.duration > 0:
        share = record.moment.t / session.duration
    else:
        share = number % session.of / session.of if session.of > 0 else 0.0
    return max(0, min(room - 1, int(min(1.0, share) * room)))


def _put(cells: list[Mark], at: int, mark: Mark) -> None:
    if mark.rank >= cells[at].rank:
        cells[at] = mark


def _row(label: str, cells: list[Mark], shared: list[int]) -> Content:
    parts: list[Content | tuple[str, str]] = [(f"{label:<{_LABEL}}", FAINT)]
    for mark, number in zip(cells, shared, strict=True):
        style = f"bold underline {mark.style}" if number > 1 and mark is not NOTHING else mark.style
        parts.append((mark.letter, style) if style else Content(mark.letter))
    return Content.assemble(*parts)


def _axis(lane: Lane, room: int) -> Content:
    session, at = lane.session, lane.position
    if session is None or at is None:
        return Content.assemble((f"{'':<{_LABEL}}", ""), ("─" * room, FAINT))
    ends = clock(session.duration) if session.duration else f"{session.of:,}"
    here = clock(at.t) if session.duration else f"{at.index:,}"
    bar = room - len(ends) - 1
    share = at.t / session.duration if session.duration else lane.share
    done = max(0, min(bar, round(min(1.0, share) * bar)))
    line = Content.assemble(
        ("━" * done, "$primary"), ("╸" if done < bar else "", "$primary"), ("─" * max(0, bar - done - 1), FAINT)
    )
    return Content.assemble((f"{here:<{_LABEL}}", "bold"), line, " ", (ends, FAINT))
