"""What the live screen says of the pace and of the tests, of plain events."""

import pytest
from msgspec import structs

from replay.judge.tested_states import StateRun
from replay.records import ArmTrial, Ending, Record, Verdict
from replay.run.events import (
    Answered,
    Ended,
    Judged,
    Pulse,
    Reached,
    RunBegan,
    RunEnded,
    RunPlan,
    SessionBegan,
    Stalled,
    StateRunChanged,
    Tried,
)
from tests.support.tapes import moment_of
from tui.live import live_text
from tui.live.live_text import strip
from tui.live.state import Lane, LiveState


def going(*, of=100, duration=0.0, samples=1, sample=0, speed=None, done=20, t=0.0):
    """A run that has played `done` events in ten seconds, and is at `t` (ms)."""
    state = LiveState()
    for event in (
        RunBegan(1000.0, 1, "", RunPlan(samples=samples, arms=3), {"small": ""}),
        SessionBegan("small", of, "event", duration, as_recorded=True, sample=sample),
        Pulse(1000.0, speed),
        Reached("small", done, t),
        Pulse(1010.0, speed),
    ):
        state.take(event)
    return state, state.lanes["small"]


@pytest.mark.parametrize(
    ("run", "left"),
    [
        ({}, "0:40"),  # 80 events at two a second
        ({"speed": 2.0, "duration": 100_000.0, "t": 20_000.0}, "0:40"),  # 80 s at twice the tape's time
        ({"speed": 10.0}, "0:40"),  # tasks of a corpus have no time: the rate says it
        ({"samples": 3, "sample": 1}, "1:30"),  # 80 and 100 events at two a second
        ({"samples": 2, "speed": 1.0, "duration": 60_000.0, "t": 59_000.0}, "1:01"),
        ({"speed": 1000.0, "duration": 100_000.0, "t": 20_000.0}, "0:40"),  # the model does not keep up
        ({"done": 99, "of": 100}, "0:01"),  # less than a second is not nothing
        ({"speed": 1.0, "duration": 100_000.0, "t": 99_900.0}, "0:01"),
    ],
)
def test_what_is_left_is_never_nothing_while_it_goes_on(run, left):
    assert f"about {left} left" in live_text.pace(*going(**run)).plain


def test_it_is_said_how_many_moments_are_done_of_how_many_once_every_tape_says_how_many_it_has():
    state, lane = going()
    record = Record(moment=moment_of(1), ending=Ending("shown"))
    other = Record(moment=moment_of(2), ending=Ending("shown"))
    state.take(Ended(record, awaits_verdict=False))
    state.take(Ended(other, awaits_verdict=True))
    tape = record.moment.tape
    assert live_text.pace(state, lane).plain.startswith("1 moment, 0/min, ")
    state, lane = going(samples=2)
    state.lanes = {tape: Lane(tape, "")}
    state.take(SessionBegan(tape, 100, "event", 0.0, as_recorded=True, moments=8))
    state.take(Ended(record, awaits_verdict=True))
    state.take(Ended(other, awaits_verdict=True))
    assert live_text.done_words(state) == "0 of 16 moments"
    state.take(Judged(structs.replace(record, verdict=Verdict(name="passed"))))
    assert live_text.done_words(state) == "1 of 16 moments"
    state.lanes["gone"] = Lane("gone", "", left_out=["no clone"])
    assert live_text.done_words(state) == "1 of 16 moments"
    state.lanes["later"] = Lane("later", "")
    assert live_text.done_words(state) == "1 moment"


def test_the_arms_of_an_ablation_are_counted():
    state, lane = going()
    state.take(StateRunChanged("small", StateRun(1, "graft", "a.py", 1, "ended")))
    for arm in ("none", "prose"):
        trial = ArmTrial(moment="m", tape="small", place="a.py:1:1", language="python", arm=arm, text="x", start=0, end=0, verdict=Verdict(name="passed"))  # fmt: skip
        state.take(Tried(trial))
    assert live_text.tests(state, lane).plain == "0 running, 0 queued, 1 done; ablation: 2 verdicts of the other 2 arms"


@pytest.mark.parametrize(("of", "duration"), [(0, 0.0), (0, 10.0), (3, -5.0), (3, 0.0)])
@pytest.mark.parametrize("width", [0, 1, 8, 200])
def test_the_strip_of_a_session_without_length_is_drawn(of, duration, width):
    _, lane = going(of=of, duration=duration, done=0)
    lane.records["m"] = Record(moment=moment_of(1, t=5.0), ending=Ending("accepted"))
    rows = strip(lane, width).plain.split("\n")
    assert len(rows) == 3
    assert rows[1].count("A") == 1


@pytest.mark.parametrize(("speed", "said"), [(50.0, "⏸ paused ×50"), (None, "⏸ paused")])
def test_a_paused_run_says_how_fast_it_will_go_on(speed, said):
    state, _ = going(speed=speed)
    state.take(Pulse(1011.0, speed, paused=True))
    assert live_text.title(state, "run", 80).plain.endswith(said)


def test_where_nothing_is_tested_the_shares_say_so():
    assert live_text.passed({}, LiveState()).plain == "no verdict yet"
    state = LiveState()
    state.take(RunBegan(1000.0, 1, "", RunPlan(tests=False), {"small": ""}))
    assert live_text.passed({}, state).plain == "nothing is tested (--no-tests)"


def test_the_tests_of_a_run_that_was_killed_are_left_undone():
    state, lane = going()
    for number, how in enumerate(("queued", "running", "queued")):
        state.take(StateRunChanged("small", StateRun(max(number, 1), "graft", "a.py", 1, how)))
    assert live_text.tests(state, lane).plain.startswith("1 running, 1 queued, 0 done")
    state.is_killed = True
    assert live_text.tests(state, lane).plain == "0 done, 2 were left undone"


def test_why_a_run_waits_is_said_until_it_is_answered_or_over():
    state, lane = going()
    state.take(Stalled("small", "h:80: no connection (refused).", "start it", 20.0))
    said = "waits for the model server, asked again in 20 s: h:80: no connection (refused): start it"
    assert live_text.pace(state, lane).plain == said
    state.take(Reached("small", 21, 0.0))
    assert live_text.pace(state, lane).plain == said
    state.take(Answered("small", "m", "x", 0, 0, 1.0))
    assert "waits" not in live_text.pace(state, lane).plain
    state.take(Stalled("small", "no", "start it", 20.0))
    state.take(RunEnded(1020.0, "interrupted"))
    assert "waits" not in live_text.pace(state, lane).plain
