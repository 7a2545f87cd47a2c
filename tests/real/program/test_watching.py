"""A replay that is watched on a real terminal: it keeps its pace, and obeys keys."""

import time

import pytest

from tests.support.places import SCRIPT
from tests.support.terminals import Terminal


@pytest.fixture
def terminal(tmp_path):
    words = ["replay", "demo", "--provider", "fixed", "--no-tests", "--policy", "vscode", "--speed", "4"]
    terminal = Terminal([SCRIPT, *words], tmp_path)
    yield terminal
    terminal.end()


def test_a_replay_is_paused_stepped_hurried_and_moved_on_by_keys(terminal):
    terminal.until(r"0:0\d of the tape, 4 times as fast")
    terminal.press(" ")
    at = terminal.until(r"(\d+:\d\d) of the tape, paused")[1]
    time.sleep(1.5)
    terminal.drawn = ""
    assert terminal.until(r"(\d+:\d\d) of the tape, paused")[1] == at, "it goes on though it is paused"
    terminal.press("+ ")
    terminal.until(r"of the tape, 8 times as fast")
    terminal.press(">")
    minutes = int(terminal.until(r"([1-9]\d*):\d\d of the tape, 8 times as fast")[1])
    assert minutes >= 1
