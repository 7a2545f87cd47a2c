"""Time: how a replay is watched changes nothing that happens in it, and how late answers are changes only what it must."""

import asyncio
import math

import pytest

from replay.importers.workspace_recording.recording_import import import_recording
from replay.play.latency import latency_of
from replay.play.playback import Playback, PlaybackError
from replay.play.player import Player
from replay.play.player_instructions import Ask, DidChange, DidClose, DidOpen, DidSave, MomentEnded, VerifyCheckpoint
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.records import SHOWN
from replay.run.events import Ended, Judged, Played
from replay.run.store import Store
from replay.tapes.clock import virtual_times
from replay.tapes.tape import Edit
from replay.tapes.timeline import Timeline
from tests.support.policy_timing import Replay, inside, offering, type_inside
from tests.support.replays import options_of, run

NOT_YET = 0.02
"""How long a test waits (s) to see that nothing happens."""


class Clock:
    """A wall clock (s) that goes only when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


async def goes(playback, now):
    """Whether the instruction at a virtual time may be carried out by now."""
    try:
        await asyncio.wait_for(playback.reach(now), NOT_YET)
    except TimeoutError:
        return False
    return True


# Speed


async def test_without_a_speed_nothing_is_waited_for(clock):
    playback = Playback(clock=clock)
    assert [await goes(playback, now) for now in (0, 60_000, 1e9)] == [True, True, True]


@pytest.mark.parametrize(("speed", "wall"), [(1.0, 60.0), (10.0, 6.0), (0.5, 120.0)])
async def test_an_instruction_waits_until_its_time_has_come_on_the_wall(clock, speed, wall):
    playback = Playback(speed, clock)
    assert await goes(playback, 0)
    clock.now += wall - 1
    assert not await goes(playback, 60_000)
    clock.now += 1
    assert await goes(playback, 60_000)
    assert playback.now == 60_000


async def test_it_waits_as_long_as_it_says_by_itself():
    loop = asyncio.get_running_loop()
    playback = Playback(10.0, loop.time)
    await playback.reach(0)
    began = loop.time()
    await playback.reach(500)
    assert 0.05 <= loop.time() - began < 1


async def test_the_clock_begins_with_the_first_instruction_and_not_with_what_prepares_it(clock):
    playback = Playback(1.0, clock)
    clock.now += 3600
    assert await goes(playback, 0)
    assert not await goes(playback, 5_000)


async def test_the_clock_begins_anew_with_the_next_tape(clock):
    playback = Playback(1.0, clock)
    await playback.reach(0)
    clock.now += 100
    await playback.reach(90_000)
    assert await goes(playback, 0)
    assert playback.now == 0
    assert not await goes(playback, 5_000)


async def test_a_change_of_speed_counts_from_where_it_is(clock):
    playback = Playback(1.0, clock)
    await playback.reach(0)
    clock.now += 4
    playback.set_speed(2.0)
    clock.now += 2.9
    assert not await goes(playback, 10_000)
    clock.now += 0.1
    assert await goes(playback, 10_000)
    playback.set_speed(None)
    assert await goes(playback, 1e9)


async def test_a_new_speed_is_heard_by_who_waits_already(clock):
    playback = Playback(1.0, clock)
    await playback.reach(0)
    waiting = asyncio.create_task(playback.reach(3_600_000))
    await asyncio.sleep(NOT_YET)
    assert not waiting.done()
    playback.set_speed(None)
    await asyncio.wait_for(waiting, 30)


@pytest.mark.parametrize("speed", [0, -1, math.inf, math.nan])
def test_what_is_no_speed_is_refused(speed):
    with pytest.raises(PlaybackError, match=r"a speed of .* is none: 1 is the tape's own"):
        Playback(speed)
    with pytest.raises(PlaybackError):
        Playback().set_speed(speed)


# Pause, step, seek


async def test_while_it_is_paused_nothing_goes_and_no_time_passes(clock):
    playback = Playback(1.0, clock)
    await playback.reach(0)
    clock.now += 9
    playback.pause()
    clock.now += 500
    assert playback.is_paused
    assert not await goes(playback, 10_000)
    playback.resume()
    assert not await goes(playback, 10_000)
    clock.now += 1
    assert await goes(playback, 10_000)


async def test_a_step_carries_out_one_instruction_and_stands(clock):
    playback = Playback(clock=clock)
    playback.pause()
    for now in (0, 100, 100):
        assert not await goes(playback, now)
        playback.step()
        assert await goes(playback, now)
    assert playback.now == 100
    playback.step()
    playback.step()
    assert [await goes(playback, now) for now in (200, 300, 400)] == [True, True, False]


async def test_a_step_stops_what_runs(clock):
    playback = Playback(clock=clock)
    playback.step()
    assert [await goes(playback, now) for now in (0, 100)] == [True, False]


async def test_seeking_goes_without_a_wait_up_to_the_time_and_from_there_as_before(clock):
    playback = Playback(1.0, clock)
    await playback.reach(0)
    playback.seek(60_000)
    assert [await goes(playback, now) for now in (10_000, 59_999, 61_000)] == [True, True, False]
    assert playback.now == 60_000
    clock.now += 1
    assert await goes(playback, 61_000)


async def test_seeking_while_it_is_paused_stands_there_again(clock):
    playback = Playback(clock=clock)
    playback.pause()
    playback.seek(60_000)
    assert [await goes(playback, now) for now in (0, 59_999, 60_000)] == [True, True, False]
    playback.resume()
    assert await goes(playback, 60_000)


async def test_the_past_is_not_played_again(clock):
    playback = Playback(clock=clock)
    await playback.reach(0)
    await playback.reach(5_000)
    with pytest.raises(PlaybackError, match=r"4\.0 s has been played already \(5\.0 s now\): a replay only goes on"):
        playback.seek(4_000)
    playback.seek(5_000)
    assert await goes(playback, 5_000)


async def test_what_is_sought_in_one_tape_is_not_sought_in_the_next(clock):
    playback = Playback(1.0, clock)
    await playback.reach(0)
    playback.seek(1e9)
    assert await goes(playback, 500_000)
    assert await goes(playback, 0)
    assert not await goes(playback, 5_000)


def test_where_it_is_and_how_it_goes_is_said_in_words():
    playback = Playback(10)
    assert playback.status() == "0:00 of the tape, 10 times as fast"
    playback.pause()
    playback.now = 723_000
    assert (playback.status(), playback.speed) == ("12:03 of the tape, paused", 10)
    assert Playback().status() == "0:00 of the tape, at full speed"


# Whatever the speed, the same happens


def words():
    typist = type_inside(inside(gap=90), "first, second")
    return typist.edit((0, 0, "# a line\n"), gap=700, reason="paste").type("\nprint(value)\n").checkpoint()


async def watched(playback, policy, latency, seed, also=None):
    """A replay as its shell carries it out: every instruction when it may, with its virtual time."""
    timeline = Timeline(words().tape())
    player = Player(timeline, policy_of(policy), user_of("exact"), latency_of(latency, seed), seed=seed)
    steps, reply, done = player.play(), None, []
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return done
        await playback.reach(player.now)
        done.append((player.now, step))
        reply = offering("second)")(step) if isinstance(step, Ask) else None
        if also is not None:
            also(len(done))


class Late(Clock):
    """A clock on which it is always late already."""

    def __call__(self):
        self.now += 1e6
        return self.now


@pytest.mark.parametrize("policy", ["vscode", "copilot", "copilot-nes", "tabby", "cody", "zed", "every"])
async def test_two_replays_with_one_seed_are_equal_instruction_by_instruction_whatever_the_speed(policy):
    latency = "lognormal:120,1"
    once = await watched(Playback(), policy, latency, 7)
    assert once == await watched(Playback(0.5, Late()), policy, latency, 7)
    assert once == await watched(Playback(1e6), policy, latency, 7)


async def test_pausing_stepping_and_seeking_change_nothing_either():
    playback = Playback(1e5)
    loop = asyncio.get_running_loop()

    def interfere(done):
        [playback.step, playback.pause, lambda: playback.seek(playback.now + 300), lambda: None][done % 4]()
        loop.call_later(0.001, playback.resume)

    once = await watched(Playback(), "vscode", "lognormal:120,1", 7)
    assert once == await watched(playback, "vscode", "lognormal:120,1", 7, interfere)


async def test_another_seed_draws_other_latencies_and_changes_no_document():
    one, other = [await watched(Playback(), "vscode", "lognormal:60,1", seed) for seed in (7, 8)]
    assert one != other
    assert [step for _, step in one if isinstance(step, DidChange)] == [
        step for _, step in other if isinstance(step, DidChange)
    ]


@pytest.fixture
def replayed(tmp_path):
    """A function that replays a tape in the real engine: what was heard, without what the wall clock measured."""

    async def replayed(name, playback):
        heard = []
        options = options_of(
            settings={"provider": {"name": "fixed", "text": "econd)"}},
            policy="vscode",
            latency="lognormal:350,0.5",
            tests=False,
            sandbox="none",
            seed=3,
        )
        tape = type_inside(inside(gap=400), "second, third").checkpoint().tape()
        await run([tape], tmp_path / name, options, heard, cache=tmp_path / "cache", playback=playback)
        with Store.open(tmp_path / name) as store:
            records = list(store.records())
        return records, [one for one in heard if isinstance(one, Played | Ended | Judged)]

    return replayed


async def test_the_engine_hears_the_same_at_any_speed(replayed):
    records, heard = await replayed("quick", Playback())
    again, heard_again = await replayed("watched", Playback(50.0))
    assert len(records) == 13
    assert {record.ending.name for record in records} >= {"superseded"}
    assert (records, heard) == (again, heard_again)


# Late answers change what lateness demands

LATE = 5000.0
DOCUMENTS = (DidOpen, DidChange, DidSave, DidClose, VerifyCheckpoint)


@pytest.fixture(scope="module")
def recording(shared):
    return import_recording(shared / "recordings" / "RejectionCollector.test1.w.json").tape


def text_for(ask):
    """An answer that depends on the question alone."""
    return offering(f"/* {len(ask.before)} {len(ask.after)} */")(ask)


@pytest.mark.parametrize(
    "policy", ["vscode", "copilot", "continue", "cody", "pause:100", "every", "recorded", "blocks"]
)
def test_in_judge_mode_documents_moments_and_offered_texts_are_the_same_however_late(recording, policy):
    soon, late = (Replay(recording, policy, text_for, latency=f"fixed:{ms}") for ms in (0, LATE))
    for kind in (DOCUMENTS, Ask):
        assert [_timeless(step) for _, step in soon.steps if isinstance(step, kind)] == [
            _timeless(step) for _, step in late.steps if isinstance(step, kind)
        ]
    moments = [{step.moment.id: step for _, step in one.steps if isinstance(step, MomentEnded)} for one in (soon, late)]
    assert moments[0].keys() == moments[1].keys()
    for moment, one in moments[0].items():
        other = moments[1][moment]
        assert (one.moment, one.before, one.after) == (other.moment, other.before, other.after)
        if other.suggestion is not None:
            assert one.suggestion.text == other.suggestion.text


def _timeless(step):
    """An instruction without what an editor knows of its own patience."""
    return (step.moment, step.before, step.after) if isinstance(step, Ask) else step


@pytest.mark.parametrize("policy", ["vscode", "pause:100", "every", "continue"])
def test_an_ending_differs_only_where_the_editor_had_moved_on_before_the_answer(recording, policy):
    soon, late = (Replay(recording, policy, text_for, latency=f"fixed:{ms}") for ms in (0, LATE))
    asked = {ask.moment.id: ask.moment.t for ask in soon.asks}
    times = virtual_times(recording.events)
    edits = [times[index] for index, event in enumerate(recording.events) if isinstance(event, Edit)]
    endings = [
        {step.moment.id: step.ending for _, step in one.steps if isinstance(step, MomentEnded)} for one in (soon, late)
    ]
    seen = set()
    for moment, before in endings[0].items():
        after = endings[1][moment]
        if moment not in asked:
            assert before == after
        elif any(asked[moment] < edit <= asked[moment] + LATE for edit in edits):
            seen.add("overtaken")
            assert after.name in {"superseded", "cancelled", "late"}
        elif after.name not in {"cancelled", "late"}:
            seen.add("in time")
            assert after.name in SHOWN
            assert before.name in SHOWN
    assert seen == {"overtaken", "in time"}
