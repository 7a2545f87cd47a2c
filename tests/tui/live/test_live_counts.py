"""The figures of a run that goes on are those that its table has at the end."""

import msgspec
import pytest

from replay.run.events import Ended, Judged, RunBegan, RunPlan
from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.tape import read, write
from tests.support.replays import options_of, run
from tests.support.tapes import Typist, record_of
from tui.live.app import stored_state
from tui.live.live_figures import LiveFigures, figures_of
from tui.live.live_text import latencies
from tui.live.state import Lane, LiveState

BODY = "return x + 1"
CODE = f"def f(x):\n    {BODY}\n\n\ndef g(y):\n    return f(y) * 2\n"


def tape(folder):
    tests = ProjectTests(toolchain="none", command=f"grep -q '{BODY}' a.py")
    path = folder / "small.tape.jsonl"
    write(Typist(tests=tests).type(CODE).tape(), path)
    return read(path)


def state_of(heard):
    state = LiveState()
    for event in heard:
        if isinstance(event, RunBegan | Ended | Judged):
            state.take(event)
    return state


def figures(state):
    records = {moment: one for lane in state.lanes.values() for moment, one in lane.records.items()}
    return figures_of([records[moment] for moment in sorted(records)], state)


def sample(event, number, ending, verdict):
    record = record_of(event, ending, verdict)
    moment = msgspec.structs.replace(record.moment, hole=f"a.py:{event}", sample=number)
    return msgspec.structs.replace(record, moment=moment)


def test_a_computation_that_loads_the_statistics_does_not_hold_the_next_ones_up():
    figures, state = LiveFigures(), LiveState(lanes={"small": Lane("small", "")})
    seen = []
    for number, (at, took) in enumerate(((0, 0.01), (1.1, 3), (4.2, 0.02), (5.3, 2), (7.4, 2), (40, 2), (68, 2))):
        state.lanes["small"].records[str(number)] = sample(number, 0, "accepted", "passed")
        times = iter([at, at + took])
        figures.clock = lambda times=times: next(times)
        seen.append(figures.update(state)["moments"])
    assert seen == [1, 2, 3, 4, 5, 5, 7]  # after two that took 2 s the screen spares the machine


def test_each_moment_counts_once_whatever_number_of_answers_it_has():
    answers = {
        1: [("accepted", "passed"), ("rejected", "passed"), ("rejected", "failed")],
        2: [("rejected", "failed"), ("accepted", "failed"), ("accepted", "failed")],
        3: [("rejected", "passed"), ("accepted", "untestable"), ("accepted", "untestable")],
    }
    records = [sample(event, at, *one) for event, own in answers.items() for at, one in enumerate(own)]
    found = figures_of(records, LiveState(plan=RunPlan(samples=3)))["metrics"]
    assert found["pass_at_1"]["value"] == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert found["pass_at_1"]["n"] == 3
    assert (found["pass_at_1"]["testable"]["value"], found["pass_at_1"]["testable"]["n"]) == (1.0, 3)
    assert (found["acceptance"]["value"], found["acceptance"]["n"]) == (pytest.approx(1 / 3), 3)


async def test_several_answers_and_a_record_without_times_have_the_figures_of_the_table(tmp_path):
    kept = tmp_path / "old.jsonl"
    kept.write_bytes(msgspec.json.encode({"key": "k", "provider": "fixed", "model": "", "prompt": "", "pieces": ["a"]}))
    provider = {"name": "fixed", "text": BODY, "record": {"path": str(kept)}}
    options = options_of(settings={"provider": provider}, latency="measured", samples=3, sandbox="none")
    heard = []
    summary = await run([tape(tmp_path)], tmp_path / "run", options, heard, cache=tmp_path / "cache")
    assert "note" in summary["metrics"]["latency_ms"], "its times are not measured"
    for state in (state_of(heard), stored_state(tmp_path / "run")):
        found = figures(state)
        for name in ("moments", "endings", "verdicts", "untestable"):
            assert found[name] == summary[name]
        for name in ("pass_at_1", "acceptance", "latency_ms"):
            assert found["metrics"][name] == summary["metrics"][name]
        assert "come from a file" in str(latencies(found, state, 80))
