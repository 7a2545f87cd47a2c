"""Text of tapes, tests and models on the live screen is shown as text, and never leaves its place."""

import unicodedata

import pytest
from rich.cells import cell_len

from replay.judge.tested_states import StateRun
from replay.records import Ending, Record, Suggestion, Verdict
from replay.run.events import (
    Answered,
    Asked,
    Ended,
    LeftOut,
    Note,
    Pulse,
    Reached,
    RunBegan,
    RunEnded,
    RunPlan,
    SessionBegan,
    StateRunChanged,
)
from tests.support.hostile_texts import HOSTILE
from tests.support.scale import sampled
from tests.support.tapes import moment_of
from tui.live import live_text
from tui.live.document_page import GhostText, draw
from tui.live.lane_documents import View
from tui.live.live_figures import figures_of
from tui.live.live_text import strip
from tui.live.state import LiveState
from tui.live.widgets.board import ShownLane, _column, _lines

WIDTH = 80


def state_of(text):
    """A run in which every text is this one."""
    moment = moment_of(0, tape=text, path=text, language=text, kind=text)
    record = Record(
        moment=moment,
        ending=Ending("failed", text),
        suggestion=Suggestion(text=text, start=0, end=0, latency=1.0),
        verdict=Verdict(name="untestable", reason=text, message=text),
    )
    state = LiveState()
    for event in (
        RunBegan(1.0, 1, "", RunPlan(provider=text, model=text, policy=text), {text: text}),
        Note(text, text),
        SessionBegan(text, 3, text, 0.0, as_recorded=False),
        Reached(text, 1, 0.0),
        Ended(record, awaits_verdict=False),
        StateRunChanged(text, StateRun(1, "graft", text, 1, "running")),
        Asked(text, "m", text, 0, 0.0, text),
        Pulse(1.0),
        Pulse(3.0),
    ):
        state.take(event)
    return state, record


def drawn(text):
    """Everything that the screen says of such a run, each in its own width."""
    state, record = state_of(text)
    lane = next(iter(state.lanes.values()))
    shown = ShownLane(state, lane, figures_of([record], state))
    yield from (
        live_text.title(state, text, WIDTH),
        live_text.lanes(state, text, WIDTH),
        live_text.place(lane, text, 1, WIDTH),
    )
    yield from (live_text.moment(lane, WIDTH), live_text.ended(record, lane, WIDTH), strip(lane, WIDTH))
    yield from (_lines(shown, WIDTH), _column(shown, WIDTH, 60))
    lane.answer = Answered(text, "m", text, 0, 0, 1.0, text)
    yield live_text.moment(lane, WIDTH)
    for event in (LeftOut(text, text), RunEnded(4.0, "failed", text)):
        state.take(event)
    yield from (live_text.lanes(state, text, WIDTH), _lines(ShownLane(state, lane, shown.figures), WIDTH))
    view = View(text, "python", f"{text}\n{text}", 0, 0)
    yield from (draw(view, None, WIDTH, 20, 0)[0], draw(view, GhostText(text, 0, 1, "italic"), WIDTH, 20, 0)[0])


@pytest.mark.sampled
@pytest.mark.parametrize("text", sampled(HOSTILE), ids=range(len(sampled(HOSTILE))))
def test_hostile_text_is_harmless_on_every_line_of_the_live_screen(text):
    for content in drawn(text):
        for line in content.plain.split("\n"):
            for character in line:
                assert unicodedata.category(character) not in {"Cc", "Cs", "Cf", "Zl", "Zp"}, hex(ord(character))
            assert len(line) <= 6 * WIDTH, "a line has no end"


@pytest.mark.parametrize("text", ["x" * 100_000, "漢字" * 5_000, "\x1b[31m" * 5_000], ids=["long", "wide", "signs"])
def test_a_long_text_keeps_within_its_width(text):
    state, record = state_of(text)
    lane = next(iter(state.lanes.values()))
    for content in (
        live_text.title(state, text, WIDTH),
        live_text.ended(record, lane, WIDTH),
        live_text.place(lane, text, 1, WIDTH),
    ):
        assert cell_len(content.plain) <= WIDTH
