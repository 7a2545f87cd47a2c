"""What a live screen that is being tested shows."""

from textual.widgets import Static

from tui.live.widgets.board import Board


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
