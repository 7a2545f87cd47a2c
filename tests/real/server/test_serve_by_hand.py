"""`ghosttape serve` in a terminal, where a person started it and not an editor."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios

import pytest

from tests.support.places import SCRIPT
from tests.support.waiting import PATIENCE_S

CTRL_C, CTRL_D = b"\x03", b"\x04"
LINE = b"hello\n"


def _own_standard_input() -> None:
    """Make the terminal on standard input the one whose Ctrl-C reaches this process, as a shell does for what a person starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests that were started in the background ignore it
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """The server in a terminal of its own. `seen` is what the person sees."""

    def __init__(self, **redirected) -> None:
        self.master, slave = pty.openpty()
        streams = {"stdin": slave, "stdout": slave, "stderr": slave, **redirected}
        command = [SCRIPT, "serve", "--provider", "fixed", "--text", "x"]
        self.process = subprocess.Popen(command, start_new_session=True, preexec_fn=_own_standard_input, **streams)  # noqa: PLW1509 - the tests have one thread
        os.close(slave)
        self.seen = b""

    def read_until(self, words: bytes) -> None:
        while words not in self.seen:
            assert select.select([self.master], [], [], PATIENCE_S)[0], self.seen
            self.seen += os.read(self.master, 4096)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal():
    made = Terminal()
    yield made
    made.close()


def test_the_server_says_what_it_is_and_how_to_leave(terminal):
    terminal.read_until(b"Ctrl-C to leave")
    assert b"language server" in terminal.seen


@pytest.mark.parametrize("keys", [CTRL_C, CTRL_D, LINE + CTRL_C])
def test_the_server_leaves_without_a_traceback_when_the_person_says_so(terminal, keys):
    terminal.read_until(b"Ctrl-C to leave")
    os.write(terminal.master, keys)
    assert terminal.process.wait(PATIENCE_S) in {0, 130}
    assert b"Traceback" not in terminal.seen


def test_the_notice_is_no_part_of_standard_output(tmp_path):
    with (tmp_path / "out").open("wb") as out:
        terminal = Terminal(stdout=out)
    try:
        terminal.read_until(b"Ctrl-C to leave")
    finally:
        terminal.close()
    assert (tmp_path / "out").read_bytes() == b""
