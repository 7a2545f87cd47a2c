"""What a live screen that is being tested shows."""

import os
import time
from pathlib import Path

from textual.widgets import Input, Static

from replay.run.events import Answered, Judged, Pulse, RunEnded, SessionBegan
from tests.support.waiting import PATIENCE_S
from tui.live.app import LiveApp
from tui.live.widgets.board import Board


def text_of(app, selector):
    return str(app.screen_stack[0].query_one(selector, Static).content)


def board(app):
    return str(app.screen_stack[0].query_one(Board).content)


async def seen(app, pilot, words, selector="#title"):
    """Wait until words stand in a part of the screen."""
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        if words in (text_of(app, selector) if selector != "Board" else board(app)):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{words!r} is not in {text_of(app, selector) if selector != 'Board' else board(app)!r}")


async def drawn(app, pilot):
    app._looked = app.figures._next = 0.0
    app._read()
    app._draw()
    await pilot.pause(0.05)


LIVE_SCENERIES = ("answered", "judged", "left-over", "help", "leave", "jump", "palette")


def played_to(scene, scenery, theme):
    """The app on a run that has come so far, and what brings the scenery to the screen."""
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

    return app, draw
