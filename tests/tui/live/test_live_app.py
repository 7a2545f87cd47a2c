"""The live screen on a real run: what it shows, and each of its keys."""

import os
import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from replay.play.playback import Playback
from replay.run.events import Answered, Asked, Ended, Judged, Pulse, RunEnded, SessionBegan, Streamed
from replay.run.live.control import FILE as SOCKET
from replay.run.live.control import controlled
from replay.run.live.stream import FILE, LiveStream
from tui.live.app import LiveApp
from tui.live.widgets.board import Board
from tui.live.widgets.dialogs import JumpScreen, LeaveScreen, parse_time
from tui.live.widgets.page_view import PageView
from tui.text_dialog import TextDialog

SIZES = [(80, 24), (120, 40), (200, 60)]


def text_of(app, selector):
    return str(app.screen_stack[0].query_one(selector, Static).content)


def board(app):
    return str(app.screen_stack[0].query_one(Board).content)


async def seen(app, pilot, words, selector="#title"):
    """Wait until words stand in a part of the screen."""
    for _ in range(200):
        if words in (text_of(app, selector) if selector != "Board" else board(app)):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{words!r} is not in {text_of(app, selector) if selector != 'Board' else board(app)!r}")


async def drawn(app, pilot):
    app._looked = app.figures._next = 0.0
    app._read()
    app._draw()
    await pilot.pause(0.05)


async def test_it_waits_for_a_run_that_does_not_exist_yet(scene):
    app = LiveApp(scene.folder.parent / "live-run")
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(app, pilot, "waiting for the run")
        assert "no run in" in text_of(app, "#waiting")
        scene.until(SessionBegan)
        await drawn(app, pilot)
        assert "going on" in text_of(app, "#title")
        assert not app.query_one("#waiting").display


async def test_the_document_the_ghost_text_the_ending_and_the_verdict_come_as_they_happen(scene):
    scene.until(Asked, where=lambda asked: asked.block == "function/full")
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        page = lambda: str(app.query_one(PageView).content)  # noqa: E731
        assert text_of(app, "#moment").startswith("… asked at function/full cart.py")
        assert "def following(x):" in page()
        assert "return x + 1" not in page()
        scene.say(Streamed("cart", app.lane.asked.moment, "return"))
        await drawn(app, pilot)
        assert "    return" in page()
        assert text_of(app, "#moment") == "… the answer comes: 6 characters"
        scene.until(Answered)
        await drawn(app, pilot)
        assert "return x + 1" in page()
        assert text_of(app, "#moment").startswith("● the model answered in 80 ms")
        scene.until(Ended)
        await drawn(app, pilot)
        assert text_of(app, "#moment").startswith("[A] accepted 80 ms [?] waits for its tests")
        scene.until(Judged)
        await drawn(app, pilot)
        assert "[P] passed" in text_of(app, "#moment")
        assert "1 of 1 testable, 100 %" in board(app)
        endings, tests = text_of(app, "#strip").split("\n")[1:]
        assert endings.split() == ["endings", "R", "A"]
        assert tests.split() == ["tests", "-", "P"]
        assert endings.index("A") == tests.index("P")


async def test_figures_are_those_of_the_finished_run(scene, real_run):
    from replay.run.store import Store

    scene.go()
    app = LiveApp(scene.folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await drawn(app, pilot)
        with Store.open(real_run.folder) as store:
            summary = store.fact("summary")
        for name in ("endings", "verdicts", "untestable"):
            assert app.figures.summary[name] == summary[name]
        for name in ("pass_at_1", "acceptance", "latency_ms"):
            assert app.figures.summary["metrics"][name] == summary["metrics"][name]


async def test_a_run_that_has_ended_says_so_and_its_keys_for_the_pace_are_gone(scene):
    scene.go()
    scene.say(RunEnded(1100.0, "done"))
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        assert "done" in text_of(app, "#title")
        assert app.check_action("pause", ()) is False
        await pilot.press("q")
    assert app.outcome == "ended"


async def test_a_run_whose_process_is_gone_was_killed(scene):
    scene.until(Ended)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        app.state.birth = "1"  # another process has the number now
        await drawn(app, pilot)
        assert "its process was killed" in text_of(app, "#title")


async def test_lines_that_cannot_be_read_are_said_once(scene):
    scene.until(SessionBegan)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(2):
            with (scene.folder / FILE).open("ab") as file:
                file.write(b'{"event": "Sung"}\n')
            await drawn(app, pilot)
        (said,) = app._notifications
        assert "live.jsonl has lines that cannot be read" in said.message


async def test_a_process_that_continues_the_run_is_followed_from_its_beginning(scene):
    scene.until(Ended, 2)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        assert len(app.lane.records) == 2
        (scene.folder / FILE).rename(scene.folder / "old")
        scene._done = 0
        scene.until(Ended, 1)
        await drawn(app, pilot)
        assert len(app.lane.records) == 1


async def test_a_run_without_a_live_file_shows_what_its_store_holds(real_run, tmp_path):
    folder = tmp_path / "old"
    shutil.copytree(real_run.folder, folder, ignore=shutil.ignore_patterns(FILE))
    app = LiveApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        assert "done" in text_of(app, "#title")
        assert " 2 query " in text_of(app, "#lanes")
        assert app.figures.summary["moments"] == sum(isinstance(event, Ended) for event in real_run.heard)


@pytest.mark.parametrize("body", [b"no zlib", zlib.compress(b"{}"), zlib.compress(b"\xff")])
async def test_a_run_whose_records_cannot_be_read_says_why(real_run, tmp_path, body):
    folder = tmp_path / "old"
    shutil.copytree(real_run.folder, folder, ignore=shutil.ignore_patterns(FILE))
    with sqlite3.connect(folder / "run.sqlite") as db:
        db.execute("UPDATE records SET body = ?", (body,))
    db.close()
    app = LiveApp(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(app, pilot, "cannot be read", "#waiting")


async def test_a_run_that_is_no_database_says_why(tmp_path):
    (tmp_path / "run.sqlite").write_bytes(b"nonsense" * 1000)
    app = LiveApp(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(app, pilot, "not a database", "#waiting")


async def test_tab_and_numbers_show_another_tape_and_l_the_one_that_is_played(scene):
    scene.until(SessionBegan, 2).until(Ended)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        assert app.lane.name == "query"
        await pilot.press("tab")
        assert app.lane.name == "cart"
        assert text_of(app, "#place").startswith("cart.py:")
        await pilot.press("2")
        assert app.lane.name == "query"
        await pilot.press("1", "l")
        assert app.lane.name == "query"
        await pilot.press("9")
        assert app.lane.name == "query"


async def test_help_names_every_key_and_letter(scene):
    scene.until(Ended)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, TextDialog)
        said = str(app.screen.query_one(Static).content)
        assert "A  accepted: the user accepted it" in said
        assert "pause, or go on" in said
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_the_theme_is_the_one_of_all_screens(scene):
    scene.until(Ended)
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.theme == "dark"
        await pilot.press("T")
        assert app.theme == "light"
    assert LiveApp(scene.folder).theme == "light"


# The pace


@pytest.fixture
async def heard(scene):
    """The playback of a run that listens in the scene's folder."""
    scene.until(Ended)
    playback = Playback()
    async with controlled(scene.folder, playback, lambda: None) as problem:
        assert not problem
        yield playback


async def until(holds, pilot):
    for _ in range(200):
        if holds():
            return
        await pilot.pause(0.02)
    raise AssertionError


async def test_space_pauses_and_goes_on(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("space")
        await until(lambda: heard.is_paused, pilot)
        scene.say(Pulse(1010.0, paused=True))
        await drawn(app, pilot)
        assert "paused" in text_of(app, "#title")
        await pilot.press("space")
        await until(lambda: not heard.is_paused, pilot)


async def test_the_palette_has_the_pace_the_themes_and_the_end(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await drawn(app, pilot)

        async def command(words):
            await pilot.press("ctrl+p")
            await until(lambda: len(app.screen_stack) == 2, pilot)
            await pilot.press(*words)
            await until(lambda: app.screen.query("CommandList").first().option_count == 1, pilot)
            await pilot.press("enter")
            await until(lambda: len(app.screen_stack) == 1, pilot)

        await command("Pause or go on")
        await until(lambda: heard.is_paused, pilot)
        await command("Theme: light")
        await until(lambda: app.theme == "light", pilot)
        await command("Quit")
        await until(lambda: app._exit, pilot)
    assert app.outcome == "left"


async def test_the_keys_of_the_screen_rest_under_the_palette(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("ctrl+p")
        await until(lambda: len(app.screen_stack) == 2, pilot)
        await pilot.press("space", "q", "n", "tab")
        await drawn(app, pilot)
        assert not heard.is_paused
        assert not app._exit
        await pilot.press("escape")
        await until(lambda: len(app.screen_stack) == 1, pilot)


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
            await until(lambda speed=speed: heard.speed == speed, pilot)


async def test_n_goes_on_to_the_end_of_a_moment_and_a_point_one_instruction(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("n")
        await until(lambda: heard._moments == 1, pilot)
        await heard.reach(10.0)
        await heard.reach(20.0, ends_moment=True)
        assert heard.is_paused
        await pilot.press("full_stop")
        await until(lambda: heard._steps == 1, pilot)


async def test_greater_skips_a_minute_and_g_asks_for_a_time(scene, heard):
    app = LiveApp(scene.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await drawn(app, pilot)
        await pilot.press("greater_than_sign")
        await until(lambda: heard._seek == 60_000.0, pilot)
        await pilot.press("g")
        await pilot.press(*"nonsense2:30")
        assert isinstance(app.screen, JumpScreen)
        assert app.screen.query_one(Input).value == "2:30"
        await pilot.press("enter")
        await until(lambda: heard._seek == 150_000.0, pilot)


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
        await until(lambda: any("does not listen" in note.message for note in app._notifications), pilot)
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
        await until(lambda: not app.is_running, pilot)
    assert app.outcome == "ended"


# Pictures


@pytest.fixture
def beside(scene, monkeypatch):
    """Work in the folder of runs, so that no picture names a folder of this machine."""
    monkeypatch.chdir(scene.folder.parent)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scenery", ["answered", "judged", "left-over", "help", "leave", "jump", "palette"])
@pytest.mark.usefixtures("beside")
def test_live_screen(scene, snap_compare, scenery, size, theme):
    scene.until(Answered, 2) if scenery == "answered" else scene.until(SessionBegan, 2).until(Judged, 2)
    if scenery == "left-over":
        scene.say(RunEnded(1100.0, "failed", "the language server died"))
    scene.say(Pulse(1100.0, 10.0))
    app = LiveApp(Path("live-run"), process=os.getpid() if scenery == "leave" else 0)

    async def draw(pilot):
        app.theme = theme
        await drawn(app, pilot)
        keys = {"help": "question_mark", "leave": "q", "jump": "g", "palette": "ctrl+p"}
        if scenery in keys:
            await pilot.press(keys[scenery])
            for field in app.screen.query(Input):
                field.cursor_blink = False
        await pilot.pause(0.2)

    assert snap_compare(app, terminal_size=size, run_before=draw)


async def test_a_stream_is_flushed_without_another_event(tmp_path):
    import asyncio

    playback = Playback()
    with LiveStream(tmp_path, playback) as live:
        live.listen(Pulse(1.0))
        await asyncio.sleep(0.4)
        assert (tmp_path / FILE).read_bytes().count(b"\n") == 2
