"""A replay that is watched on a real terminal: it keeps its pace, and obeys keys."""

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

SCRIPT = str(Path(sys.executable).with_name("ghosttape"))


class Terminal:
    """A process on a pseudo-terminal of 100 columns, and what it has drawn."""

    def __init__(self, argv, folder):
        self.drawn = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ |= {"COLUMNS": "150", "TERM": "xterm"}
            os.execv(argv[0], argv)

    def until(self, pattern, within_s=40.0):
        """Read until a pattern is drawn, from what came since the last time."""
        end = time.monotonic() + within_s
        while not (found := re.search(pattern, self.drawn)):
            assert time.monotonic() < end, f"{pattern!r} was not drawn: {self.drawn[-600:]}"
            if select.select([self.fd], [], [], 0.2)[0]:
                self.drawn += os.read(self.fd, 1 << 16).decode("utf-8", "replace")
        self.drawn = self.drawn[found.end() :]
        return found

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


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
