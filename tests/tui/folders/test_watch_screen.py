"""What the screen of a watch shows: the replay that began last of those that go on."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tui.cli.app import app as cli
from tui.folders.folder_screen import WatchApp
from tui.folders.replays import ReplayBegan, ReplayEnded
from tui.live.state import LiveState


@pytest.fixture
def app(tmp_path):
    return WatchApp(tmp_path, [])


def began(name):
    return ReplayBegan(Path(f"{name}.tape.jsonl"), Path(f"run-{name}"))


def ended(name):
    return ReplayEnded(Path(f"{name}.tape.jsonl"), Path(f"run-{name}"), {}, "")


async def test_it_goes_on_to_a_replay_that_still_goes_on(app, monkeypatch):
    monkeypatch.setattr(app, "notify", lambda *_, **__: None)
    for event, shown in (
        (began("a"), "a"),
        (began("b"), "b"),
        (began("c"), "c"),
        (ended("b"), "c"),
        (ended("c"), "a"),
        (ended("a"), "a"),
    ):
        app._show_event(event)
        assert app.folder == Path(f"run-{shown}")


async def test_another_replay_begins_with_nothing_of_the_one_before(app):
    app._show_event(began("a"))
    before = app.state
    app.state.lanes["old"] = object()
    app._show_event(began("b"))
    assert app.state is not before
    assert app.state == LiveState()


def test_a_file_is_no_folder_to_watch(tmp_path):
    (tmp_path / "a.tape.jsonl").write_text("{}")
    done = CliRunner().invoke(cli, ["watch", str(tmp_path / "a.tape.jsonl"), "--plain"])
    assert done.exit_code == 2
    assert "is no folder: watch takes a folder of tapes" in done.stderr
