"""`ghosttape watch` as a person starts it: tapes that appear, grow, break, and go away."""

import json
import os
import shutil
import signal
import subprocess
import time

import msgspec
import pytest

from replay.run.events import Ended, RunBegan, RunEnded, RunEvent
from replay.run.live.live_reader import is_alive
from replay.run.live.live_stream import FILE
from replay.run.store import Store
from tests.support.places import SCRIPT
from tests.support.terminals import Terminal
from tests.support.waiting import PATIENCE_S
from tests.support.watch_program import WORDS, Watch, put

SOON_S = 2.0


@pytest.fixture
def watch(tmp_path):
    started = Watch(tmp_path, [*WORDS, "--plain"])
    started.until("are replayed")
    yield started
    started.end()


def test_a_tape_is_replayed_when_it_appears_and_again_when_it_grows_and_its_last_run_is_kept(watch, tmp_path):
    put(tmp_path, "def f(x):\n    return x + 1\n")
    watch.until("small.tape.jsonl: is replayed", within_s=10)
    first = watch.until("moments")
    began = time.monotonic()
    put(tmp_path, "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x + 2\n")
    watch.until("small.tape.jsonl: is replayed")
    assert time.monotonic() - began < SOON_S
    second = watch.until("moments")
    assert int(second.split(" moments")[0].split()[-1]) > int(first.split(" moments")[0].split()[-1])
    assert len(list((tmp_path / ".ghosttape/runs").iterdir())) == 1


def test_a_tape_in_the_current_folder_whose_name_looks_like_an_option_is_replayed(tmp_path):
    put(tmp_path, "def f(x):\n    return x + 1\n", "-x")
    watch = Watch(tmp_path / "tapes", ["watch", ".", *WORDS[2:], "--plain"])
    try:
        assert "could not" not in watch.until("-x.tape.jsonl: ", " moments")
    finally:
        watch.end()


def test_a_tape_whose_last_line_is_being_written_is_replayed_up_to_it(watch, tmp_path):
    put(tmp_path, "def f(x):\n    return x + 1\n", "whole")
    whole = (tmp_path / "tapes" / "whole.tape.jsonl").read_bytes()
    (tmp_path / "tapes" / "part.tape.jsonl").write_bytes(whole[:-20])
    assert "could not" not in watch.until("part.tape.jsonl: ", " moments")


def test_a_broken_tape_is_named_and_the_others_are_replayed(watch, tmp_path):
    (tmp_path / "tapes").mkdir()
    (tmp_path / "tapes" / "broken.tape.jsonl").write_text('{"tape": 1}\n{"event": "sing"}\n')
    put(tmp_path, "def f(x):\n    return x + 1\n")
    watch.until("broken.tape.jsonl is broken")
    watch._read = 0
    watch.until("small.tape.jsonl", "moments")


def test_a_folder_that_is_removed_and_comes_back_is_watched_again(watch, tmp_path):
    put(tmp_path, "def f(x):\n    return x + 1\n")
    watch.until("moments")
    shutil.rmtree(tmp_path / "tapes")
    time.sleep(1.5)
    began = time.monotonic()
    put(tmp_path, "def f(x):\n    return x + 1\n", "other")
    watch.until("other.tape.jsonl: is replayed")
    assert time.monotonic() - began < SOON_S


def test_new_settings_replay_every_tape(watch, tmp_path):
    put(tmp_path, "def f(x):\n    return x + 1\n")
    watch.until("moments")
    (tmp_path / "ghosttape.toml").write_text("[server]\nrepairs = []\n")
    watch.until("ghosttape.toml has changed")
    watch.until("moments")


def test_what_is_wrong_with_one_tape_does_not_end_the_watch(tmp_path):
    watch = Watch(tmp_path, [*WORDS, "--plain", "--path", "b.py"])
    try:
        put(tmp_path, "def f(x):\n    return x + 1\n")
        assert "no document of the tapes begins with it" in watch.until("small.tape.jsonl: could not be replayed")
        put(tmp_path, "def f(x):\n    return x + 1\n", "other")
        watch.until("other.tape.jsonl: could not be replayed")
    finally:
        watch.end()


def test_an_option_that_replay_does_not_know_ends_it(tmp_path):
    put(tmp_path, "def f(x):\n    return x + 1\n")
    done = subprocess.run(
        [SCRIPT, *WORDS, "--policy", "nonsense", "--plain"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_the_reason_of_a_wrong_option_is_the_text_of_its_box(tmp_path):
    words = [SCRIPT, *WORDS, "--nonsense", "--plain"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("ghosttape: No such option: --nonsense")


def test_the_live_screen_shows_each_replay(tmp_path):
    terminal = Terminal([SCRIPT, *WORDS, "--speed", "4"], tmp_path)
    try:
        terminal.until("Tapes that appear in tapes")
        put(tmp_path, "def f(x):\n    return x + 1\n")
        terminal.until("small.py|a.py")
        terminal.until("done")
        terminal.press("q")
        assert terminal.status() == 0
    finally:
        terminal.end()


SLOWLY = [*WORDS, "--speed", "2"]


def put_long(folder):
    put(folder, "\n\n".join(f"def f{number}(x):\n    return x + 1\n" for number in range(40)), "long")


def playing(folder, within_s=60.0):
    """Wait until a replay of the watch has records, and give its folder and process."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        for run in (folder / ".ghosttape/runs").glob("*"):
            found = heard(run)
            if any(isinstance(event, Ended) for event in found):
                began = next(event for event in found if isinstance(event, RunBegan))
                return run, began.process, began.birth
        time.sleep(0.05)
    raise AssertionError("nothing is replayed")


def heard(run):
    path = run / FILE
    return (
        [msgspec.json.decode(line, type=RunEvent) for line in path.read_bytes().splitlines()] if path.exists() else []
    )


def was_ended_with_its_records(run, process, birth, within_s=20.0):
    end = time.monotonic() + within_s
    while is_alive(process, birth):
        assert time.monotonic() < end, "the replay goes on alone"
        time.sleep(0.05)
    assert [event.how for event in heard(run) if isinstance(event, RunEnded)] == ["interrupted"]
    with Store.open(run) as store:
        assert list(store.records())


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_watch_that_is_ended_ends_what_it_replays_and_its_records_are_kept(tmp_path, sign):
    watch = Watch(tmp_path, [*SLOWLY, "--plain"])
    try:
        put_long(tmp_path)
        found = playing(tmp_path)
        watch.process.send_signal(sign)
        assert watch.process.wait(PATIENCE_S) == (-signal.SIGKILL if sign is signal.SIGKILL else 130)
        was_ended_with_its_records(*found)
        assert "Traceback" not in watch.path.read_text()
    finally:
        watch.end()


def test_a_watch_under_nohup_goes_on_without_its_terminal(tmp_path):
    watch = Watch(tmp_path, [*SLOWLY, "--plain"], before=["nohup"])
    try:
        put_long(tmp_path)
        _, process, birth = playing(tmp_path)
        watch.process.send_signal(signal.SIGHUP)
        time.sleep(1)
        assert watch.process.poll() is None
        assert is_alive(process, birth)
    finally:
        watch.end()


@pytest.mark.parametrize("way", ["q", "SIGTERM", "terminal closed"])
def test_a_live_watch_that_is_ended_ends_what_it_replays(tmp_path, way):
    terminal = Terminal([SCRIPT, *SLOWLY], tmp_path)
    try:
        terminal.until("Tapes that appear in tapes")
        put_long(tmp_path)
        found = playing(tmp_path)
        if way == "terminal closed":
            assert os.WTERMSIG(terminal.hang_up()) == signal.SIGHUP
        elif way == "q":
            terminal.press("q")
            assert terminal.status() == 0
        else:
            os.kill(terminal.pid, signal.SIGTERM)
            assert terminal.status() == 130
            assert "\x1b[?1049l" in terminal.drawn, "the terminal is not as it was"
        was_ended_with_its_records(*found)
    finally:
        terminal.end()


def test_a_tape_that_the_language_server_is_recording_is_replayed_within_2_s_of_each_flush(watch, tmp_path):
    """An editor types two functions; after each the server's recorder has written something new."""
    server = Recording(tmp_path)
    try:
        server.open("")
        text = ""
        for part in ("def f(x):\n    return x + 1\n", "\n\ndef g(x):\n    return x + 2\n"):
            for char in part:
                server.type(char, text)
                text += char
            size = server.flushed()
            began = time.monotonic()
            watch.until("is replayed")
            assert time.monotonic() - began < SOON_S
            watch.until("moments")
            assert size
    finally:
        server.end()


class Recording:
    """An editor at `ghosttape serve --record`, as plain frames."""

    def __init__(self, folder):
        self.tapes, self._version, self._size = folder / "tapes", 1, 0
        command = [SCRIPT, "serve", "--stdio", "--provider", "fixed", "--record", str(self.tapes)]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.uri = (folder / "a.py").as_uri()
        self._send("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}, number=1)
        self._send("initialized", {})

    def _send(self, method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def open(self, text):
        self._send(
            "textDocument/didOpen",
            {"textDocument": {"uri": self.uri, "languageId": "python", "version": 1, "text": text}},
        )

    def type(self, char, before):
        self._version += 1
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        at = {"line": line, "character": column}
        change = {"range": {"start": at, "end": at}, "text": char}
        self._send(
            "textDocument/didChange",
            {"textDocument": {"uri": self.uri, "version": self._version}, "contentChanges": [change]},
        )
        time.sleep(0.01)

    def flushed(self, within_s=30.0):
        """Wait until the tape has grown and is quiet; give its size."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            size = sum(path.stat().st_size for path in self.tapes.glob("*.tape.jsonl"))
            if size > self._size:
                self._size = size
                return size
            time.sleep(0.02)
        raise AssertionError("nothing is recorded")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
