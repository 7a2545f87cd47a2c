"""The live screen on a real run: each of its keys."""

import os

import pytest
from textual.widgets import Input

from replay.play.playback import Playback
from replay.run.events import Ended, Pulse, RunEnded
from replay.run.live.control import FILE as SOCKET
from replay.run.live.control import controlled
from tests.support.live_screen import drawn, text_of
from tests.support.waiting import until_drawn
from tui.live.app import LiveApp
from tui.live.widgets.dialogs import JumpScreen, LeaveScreen, parse_time


@pytest.fixture
async def heard(scene):
    """The playback of a run that listens in the scene's folder."""
    scene.until(Ended)
    playback = Playback()
    async with controlled(scene.folder, playback, lambda: None) as problem:
        assert not problem
        yield playback


async def test_space_pauses_and_goes_on(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("space")
        await until_drawn(pilot, lambda: heard.is_paused)
        scene.say(Pulse(1010.0, paused=True))
        await drawn(app, pilot)
        assert "paused" in text_of(app, "#title")
        await pilot.press("space")
        await until_drawn(pilot, lambda: not heard.is_paused)


async def test_the_palette_has_the_pace_the_themes_and_the_end(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await drawn(app, pilot)

        async def command(words):
            await pilot.press("ctrl+p")
            await until_drawn(pilot, lambda: len(app.screen_stack) == 2)
            await pilot.press(*words)
            await until_drawn(pilot, lambda: app.screen.query("CommandList").first().option_count == 1)
            await pilot.press("enter")
            await until_drawn(pilot, lambda: len(app.screen_stack) == 1)

        await command("Pause or go on")
        await until_drawn(pilot, lambda: heard.is_paused)
        await command("Theme: light")
        await until_drawn(pilot, lambda: app.theme == "light")
        await command("Quit")
        await until_drawn(pilot, lambda: app._exit)
    assert app.outcome == "left"


async def test_the_keys_of_the_screen_rest_under_the_palette(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("ctrl+p")
        await until_drawn(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press("space", "q", "n", "tab")
        await drawn(app, pilot)
        assert not heard.is_paused
        assert not app._exit
        await pilot.press("escape")
        await until_drawn(pilot, lambda: len(app.screen_stack) == 1)


async def test_plus_minus_equals_and_f_change_the_speed(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        for key, before, speed in (
            ("minus", None, 1000.0),
            ("minus", 1000.0, 500.0),
            ("minus", 0.25, 0.25),
            ("plus", 0.25, 0.5),
            ("plus", 1000.0, None),
            ("equals_sign", 10.0, 1.0),
            ("f", 10.0, None),
        ):
            app.state.take(Pulse(1010.0, before))
            heard.set_speed(7.0)
            await pilot.press(key)
            await until_drawn(pilot, lambda speed=speed: heard.speed == speed)


async def test_n_goes_on_to_the_end_of_a_moment_and_a_point_one_instruction(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("n")
        await until_drawn(pilot, lambda: heard._moments == 1)
        await heard.reach(10.0)
        await heard.reach(20.0, ends_moment=True)
        assert heard.is_paused
        await pilot.press("full_stop")
        await until_drawn(pilot, lambda: heard._steps == 1)


async def test_greater_skips_a_minute_and_g_asks_for_a_time(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("greater_than_sign")
        await until_drawn(pilot, lambda: heard._seek == 60_000.0)
        await pilot.press("g")
        await pilot.press(*"nonsense2:30")
        assert isinstance(app.screen, JumpScreen)
        assert app.screen.query_one(Input).value == "2:30"
        await pilot.press("enter")
        await until_drawn(pilot, lambda: heard._seek == 150_000.0)


@pytest.mark.parametrize(
    ("text", "ms"), [("90", 90e3), ("2:30", 150e3), ("1:00:00", 3.6e6), ("1.5", 1500.0), ("", None), ("1:2:3:4", None)]
)
def test_a_time_is_hours_minutes_and_seconds(text, ms):
    assert parse_time(text) == ms


async def test_a_run_that_does_not_listen_is_named(scene):
    scene.until(Ended)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await drawn(app, pilot)
        await pilot.press("space")
        await until_drawn(pilot, lambda: any("does not listen" in note.message for note in app._notifications))
    assert not (scene.folder / SOCKET).exists()


# Closing


@pytest.mark.parametrize(
    ("keys", "outcome"), [(["q", "enter"], "left"), (["q", "e"], "stopped"), (["ctrl+c", "g"], "left")]
)
async def test_closing_the_screen_of_ones_own_run_asks_what_becomes_of_it(scene, keys, outcome):
    scene.until(Ended)
    app = LiveApp(scene.folder, process=os.getpid())
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press(keys[0])
        assert isinstance(app.screen, LeaveScreen)
        await pilot.press("escape")
        assert app.is_running
        await pilot.press(*keys)
    assert app.outcome == outcome


async def test_closing_the_screen_of_anothers_run_asks_nothing(scene):
    scene.until(Ended)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("q")
    assert app.outcome == "left"


async def test_the_screen_of_ones_own_run_closes_when_the_run_ends(scene):
    scene.go()
    scene.say(RunEnded(1100.0, "done"))
    app = LiveApp(scene.folder, process=os.getpid())
    async with app.run_test(size=(80, 24)) as pilot:
        await until_drawn(pilot, lambda: not app.is_running)
    assert app.outcome == "ended"


# Pictures
