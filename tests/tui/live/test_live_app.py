"""The live screen on a real run: what it shows."""

import shutil
import sqlite3
import zlib

import pytest
from textual.widgets import Static

from replay.play.playback import Playback
from replay.run.events import Answered, Asked, Ended, Judged, Pulse, RunEnded, SessionBegan, Streamed
from replay.run.live.live_stream import FILE, LiveStream
from tests.support.live_screen import LIVE_SCENERIES, board, drawn, played_to, seen, text_of
from tests.support.screen_looks import in_one_look
from tests.support.waiting import until
from tui.live.app import LiveApp
from tui.live.widgets.page_view import PageView
from tui.text_dialog import TextDialog


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


@in_one_look
@pytest.mark.parametrize("scenery", LIVE_SCENERIES)
@pytest.mark.usefixtures("beside")
def test_live_screen(scene, snap_compare, scenery, size, theme):
    app, draw = played_to(scene, scenery, theme)
    assert snap_compare(app, terminal_size=size, run_before=draw)


async def test_a_stream_is_flushed_without_another_event(tmp_path):
    playback = Playback()
    with LiveStream(tmp_path, playback) as live:
        live.listen(Pulse(1.0))
        await until(lambda: (tmp_path / FILE).read_bytes().count(b"\n") == 2)
