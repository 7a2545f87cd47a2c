"""The live screen as a person meets it, on a real terminal: what is watched has the records of what is not, however it is watched and left."""

import os
import re
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest

from replay.run.events import Pulse, RunBegan, RunEnded, RunEvent, Stalled
from replay.run.live.live_reader import is_alive
from replay.run.live.live_stream import FILE
from replay.run.store import Store
from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.tape import write
from tests.support.places import SCRIPT
from tests.support.tapes import Typist
from tests.support.terminals import Terminal

TEXT = "def f(x):\n    return x + 1\n\n\ndef g(y):\n    return f(y) * 2\n\n\ndef h(z):\n    return g(z) - 1\n"
WORDS = [
    "replay",
    "tape",
    "--provider",
    "fixed",
    "--text",
    "return x + 1",
    "--latency",
    "fixed:80",
    "--sandbox",
    "none",
]


@pytest.fixture
def folder(tmp_path):
    """A folder with a tape of 8 seconds, and the run of it that nobody watched."""
    (tmp_path / "tape").mkdir()
    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py && grep -q 'f(y)' a.py")
    write(Typist(tests=tests).type(TEXT).tape(), tmp_path / "tape" / "small.tape.jsonl")
    return tmp_path


@pytest.fixture
def unwatched(folder, ghosttape):
    ghosttape(*WORDS, "--out", "unwatched")
    return records(folder / "unwatched")


@pytest.fixture
def terminal(folder):
    """A function that starts a command on a terminal."""
    started = []

    def start(*words):
        started.append(Terminal([SCRIPT, *words], folder))
        return started[-1]

    yield start
    for one in started:
        one.end()
    for began in heard(folder, RunBegan):
        if is_alive(began.process, began.birth):
            os.kill(began.process, signal.SIGKILL)


@pytest.fixture
def live(terminal):
    """A function that starts a run on the live screen."""
    return lambda *more: terminal(*WORDS, "--live", "--out", "run", *more)


@pytest.fixture
def watcher(terminal):
    """A function that follows the run."""
    return lambda: terminal("tui", "--follow", "run")


def records(folder):
    """The records of a run, but for how long its tests took."""
    with Store.open(folder) as store:
        found = list(store.records())
    return [
        msgspec.structs.replace(one, verdict=one.verdict and msgspec.structs.replace(one.verdict, wall_ms=0.0))
        for one in found
    ]


def heard(folder, kind):
    """The events of a kind in a run's live file."""
    path = folder / "run" / FILE
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [event for line in lines if isinstance(event := msgspec.json.decode(line, type=RunEvent), kind)]


def ended(folder, within_s=60.0):
    """Wait for the end of the run, and give how it ended."""
    end = time.monotonic() + within_s
    while not (found := heard(folder, RunEnded)):
        assert time.monotonic() < end, "the run does not end"
        time.sleep(0.1)
    return found[0].how


def paused(folder, within_s=20.0):
    """Wait until the run itself says that it stands still."""
    end = time.monotonic() + within_s
    while not (pulses := heard(folder, Pulse)) or not pulses[-1].paused:
        assert time.monotonic() < end, "the run does not pause"
        time.sleep(0.1)


def process_of(folder):
    (began,) = heard(folder, RunBegan)
    return began.process, began.birth


def gone(folder, within_s=20.0):
    process, birth = process_of(folder)
    end = time.monotonic() + within_s
    while is_alive(process, birth):
        assert time.monotonic() < end, "the process of the run does not end"
        time.sleep(0.1)


def playing(live, speed):
    """A run on the live screen, once it has asked something."""
    terminal = live("--speed", f"{speed}")
    terminal.until("asked|answered|rejected|accepted")
    return terminal


def pause(terminal, folder):
    terminal.press(" ")
    paused(folder)


def close(terminal):
    """Close the screen; the run goes on."""
    terminal.press("q")
    terminal.until("The run has not ended")
    terminal.press("\r")
    assert terminal.status() == 0


def assert_done(folder, unwatched):
    """The run comes to its end, with the records of one that nobody watched."""
    assert ended(folder) == "done"
    assert records(folder / "run") == unwatched


def test_the_screen_closes_at_the_end_and_leaves_the_table(folder, unwatched, live):
    terminal = live()
    assert terminal.status() == 0
    assert "ghosttape tui run" in terminal.drawn
    assert re.search(r"tests passed|passed", terminal.drawn)
    assert records(folder / "run") == unwatched


def test_a_run_that_is_paused_stepped_and_hurried_has_the_same_records(folder, unwatched, live):
    terminal = live("--speed", "1")
    terminal.until("going on")
    terminal.until("asked|answered|rejected|accepted")
    for keys in (" ", "n", "n", ".", ".", "+", "-", "=", ">", " ", "f"):
        terminal.press(keys)
        time.sleep(0.3)
    assert terminal.status() == 0
    assert records(folder / "run") == unwatched


# Slowly, so that the run goes on for 16 seconds: a busy machine takes some to close a screen.
def test_a_run_whose_screen_is_closed_goes_on(folder, unwatched, live):
    terminal = playing(live, speed=0.5)
    close(terminal)
    assert "ghosttape tui --follow run" in terminal.drawn
    assert not heard(folder, RunEnded)
    assert_done(folder, unwatched)


def test_a_run_whose_terminal_is_killed_goes_on(folder, unwatched, live):
    terminal = playing(live, speed=0.5)
    assert os.WTERMSIG(terminal.hang_up()) == signal.SIGHUP
    assert not heard(folder, RunEnded)
    assert is_alive(*process_of(folder))
    assert_done(folder, unwatched)


def test_a_paused_run_goes_on_when_its_screen_is_killed(folder, unwatched, live):
    terminal = playing(live, speed=2)
    pause(terminal, folder)
    os.kill(terminal.pid, signal.SIGKILL)
    assert_done(folder, unwatched)


def test_a_paused_run_goes_on_when_its_screen_is_closed(folder, unwatched, live):
    terminal = playing(live, speed=2)
    pause(terminal, folder)
    close(terminal)
    assert_done(folder, unwatched)


def test_a_run_can_be_ended_from_its_screen_and_continued_on_it(folder, unwatched, live):
    terminal = playing(live, speed=1)
    terminal.press("q")
    terminal.until("The run has not ended")
    terminal.press("e")
    assert terminal.status() == 130
    assert "what was finished is kept" in terminal.drawn
    assert ended(folder) == "interrupted"
    gone(folder)
    again = live()
    assert again.status() == 0
    assert records(folder / "run") == unwatched


def test_a_second_terminal_follows_the_run(live, watcher):
    first = live("--speed", "1")
    first.until("asked|answered|rejected|accepted")
    second = watcher()
    second.until("going on")
    second.press(" ")
    first.until("paused")
    second.until("paused")
    second.press("f")
    second.press(" ")
    assert first.status() == 0
    second.until("done")
    second.press("q")
    assert second.status() == 0


def test_what_is_wrong_with_a_command_is_said_without_a_screen(folder, live):
    terminal = live("--policy", "nonsense")
    assert terminal.status() == 2
    assert "nonsense" in terminal.drawn


def test_what_only_the_run_finds_out_is_said_when_the_screen_is_closed(folder, live):
    (folder / "run").write_text("a file")
    terminal = live()
    assert terminal.status() == 2
    assert "is a file, not a folder" in terminal.drawn


def test_without_a_terminal_it_is_the_line_of_progress(folder, ghosttape, unwatched):
    outcome = ghosttape(*WORDS, "--live", "--out", "run")
    assert "small: the language server starts" in outcome.err
    assert "ghosttape tui run" in outcome.out
    assert records(folder / "run") == unwatched


@pytest.fixture
def failing_server():
    """The base URL of a model server that answers the first two questions, fails five times, and then answers."""
    plan = [200, 200, *[500] * 5]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            status = plan.pop(0) if plan else 200
            pieces = [{"choices": [{"text": "return 1"}]}, {"choices": [{"text": "", "finish_reason": "stop"}]}]
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
            self.end_headers()
            self.wfile.write(b"".join(b"data: " + msgspec.json.encode(piece) + b"\n\n" for piece in pieces))

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_run_on_the_live_screen_waits_for_a_model_server_that_fails_and_asks_again(folder, terminal, failing_server):
    text = "".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(8))
    write(Typist().type(text).tape(), folder / "tape" / "small.tape.jsonl")
    settings = '{"provider": {"tries": 1, "api": "completions"}}'
    model = ["--provider", "openai", "--base-url", failing_server, "--model", "m", "--settings", settings]
    screen = terminal("replay", "tape", "--live", "--out", "run", "--no-tests", "--latency", "fixed:0", *model)
    screen.until("waits for the model")  # in a column, so that the line is broken
    assert ended(folder) == "done"
    assert [event.pause_s for event in heard(folder, Stalled)] == [5.0]
    endings = [record.ending.name for record in records(folder / "run")]
    assert len(endings) == 8
    assert "failed" not in endings
