"""A run of which something is asked again, and what a person does for that."""

import asyncio
import hashlib
from pathlib import Path

import pytest
from textual.widgets import Checkbox, Input, OptionList, Static

from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.tape import read, write
from tests.support.replays import options_of, run
from tests.support.tapes import Typist
from tests.support.waiting import until_drawn
from tui.inspector.screens.again import AgainDialog
from tui.inspector.screens.answer_list import AnswersScreen

CART = """def following(x):
    return x + 1


def before(x):
    return x - 1
"""
RIGHT, WRONG = "return x + 1", "return x + 2"
CHECK = "grep -q 'return x + 1' cart.py && grep -q 'return x - 1' cart.py"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run of a tape whose suggestions are all wrong but at one function, and are tested."""
    folder = tmp_path_factory.mktemp("asked")
    typist = Typist("cart.py", "python", tests=ProjectTests(toolchain="none", command=CHECK), name="cart")
    tape = typist.type(CART).tape()
    write(tape, folder / "cart.tape.jsonl")
    settings = {"provider": {"name": "fixed", "text": WRONG}}
    options = options_of(settings=settings, latency="fixed:80", sandbox="none")
    asyncio.run(run([read(folder / "cart.tape.jsonl")], folder / "run", options, [], cache=folder / "cache"))
    return folder / "run"


@pytest.fixture
def asked_run(played, tmp_path):
    """A copy of that run: what is asked again stands beside it."""
    import shutil

    return Path(shutil.copytree(played, tmp_path / "run"))


def state_of(folder):
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("run.sqlite", "config.toml")}


def said(app):
    return str(app.screen.query_one("#said Static", Static).content)


def fill(app, **values):
    for name, value in values.items():
        app.screen.query_one(f"#{name}", Input).value = value


async def ask(pilot, **values):
    """Ask again with these fields, and wait for the answer and its verdict."""
    await pilot.press("a")
    await until_drawn(pilot, lambda: isinstance(pilot.app.focused, Input))
    fill(pilot.app, **values)
    await pilot.press("enter")
    await until_drawn(pilot, lambda: isinstance(pilot.app.screen, AnswersScreen) or _refusal(pilot.app))
    assert not _refusal(pilot.app)
    screen = pilot.app.screen
    await until_drawn(pilot, lambda: screen.answers and not screen.answers[-1].state)
    return screen.answers


def _refusal(app):
    """What the dialog says that cannot be asked; nothing while it is asked, and on other screens."""
    return said(app).removeprefix("asking …") if isinstance(app.screen, AgainDialog) else ""


async def refused(pilot):
    await pilot.press("a")
    await pilot.pause()
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False
    fill(pilot.app, temperature="warm")
    pilot.app.screen.query_one("#indent", Checkbox).value = False
    await pilot.press("enter")
    await pilot.pause()


async def listed(pilot):
    await ask(pilot, text=RIGHT)
    await pilot.press("escape")
    await ask(pilot, provider="ngram", temperature="0.5")
    pilot.app.screen.query_one(OptionList).highlighted = 1
    await pilot.pause()
