"""Whatever comes in: the server lives, answers each request, and serves the next good one."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.support.hostile_client import TEXT, URI, Hostile, encoded, framed

BATCHES, EACH = 20, 500
PATIENCE_S = 30


class Session:
    """The console script as a child; a thread takes in what it says, so that neither side waits for the other."""

    def __init__(self, tmp_path: Path) -> None:
        script = Path(sys.executable).with_name("ghosttape")
        argv = [str(script), "serve", "--stdio", "--provider", "fixed", "--text", "return 1"]
        self.errors = tmp_path / "errors.txt"
        with self.errors.open("wb") as errors:
            self.child = subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=tmp_path
            )
        self.told: queue.Queue = queue.Queue()
        self.answers: Counter = Counter()
        self.codes: dict = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while head := self.child.stdout.readline():
            while (line := self.child.stdout.readline()).strip():
                head += line
            size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            self.told.put(json.loads(self.child.stdout.read(size)))
        self.told.put(None)

    def send(self, data: bytes) -> None:
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def ask(self, number, method: str, params) -> dict:
        """Send a good request and take in all that is said until it is answered."""
        self.send(framed(encoded({"jsonrpc": "2.0", "id": number, "method": method, "params": params})))
        while (message := self.told.get(timeout=PATIENCE_S)) is not None:
            if "method" not in message:
                self.answers[message["id"]] += 1
                self.codes[message["id"]] = message.get("error", {}).get("code")
            if message.get("id") == number:
                return message
        raise AssertionError(f"the server has gone: {self.errors.read_text()[-2000:]}")

    def greet(self) -> None:
        self.ask("hello", "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.send(framed(encoded({"jsonrpc": "2.0", "method": "initialized", "params": {}})))
        document = {"uri": URI, "languageId": "python", "version": 1, "text": TEXT}
        opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}
        self.send(framed(encoded(opened)))

    def complete(self, number) -> str:
        where = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}, "context": {"triggerKind": 1}}
        (item,) = self.ask(number, "textDocument/inlineCompletion", where)["result"]
        return item["insertText"]

    def memory_mb(self) -> float:
        return psutil.Process(self.child.pid).memory_info().rss / 2**20


@pytest.fixture
def session(tmp_path):
    started = Session(tmp_path)
    yield started
    started.child.kill()
    started.child.wait()
    started.child.stdin.close()


def test_ten_thousand_hostile_messages_neither_kill_nor_hang_the_server(session):
    session.greet()
    assert session.complete("first") == "return 1"
    memory = session.memory_mb()
    for seed in range(1, BATCHES + 1):
        client = Hostile(seed)
        for _ in range(EACH):
            session.send(client.message())
        assert session.complete(f"good-{seed}") == "return 1"
        wrong = {
            number: session.answers[number] for number, times in client.owed.items() if session.answers[number] != times
        }
        assert not wrong, f"seed {seed}: answered so often"
    assert session.memory_mb() - memory < 150
    assert "Traceback" not in session.errors.read_text()


def test_before_the_greeting_every_request_is_refused_and_after_goodbye_too(session):
    assert session.ask("early", "ghosttape/stats", {})["error"]["code"] == -32002
    session.greet()
    assert session.complete("good") == "return 1"
    assert session.ask("bye", "shutdown", None)["result"] is None
    assert session.ask("late", "ghosttape/stats", {})["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"method": "textDocument/inlineCompletion", "params": {"textDocument": {"uri": URI}}}, -32602),
        ({"method": "ghosttape/explain", "params": {"textDocument": {"uri": 5}}}, -32602),
        ({"method": "ghosttape/state"}, -32602),
        ({"method": "nonsense", "params": {}}, -32601),
        ({"method": "textDocument/didSave", "params": {"textDocument": {"uri": URI}}}, -32600),
        ({"method": 5}, -32600),
        ({"method": "ghosttape/stats", "jsonrpc": "1.0"}, -32600),
    ],
)
def test_a_request_that_is_wrong_is_told_what_is_wrong(session, message, code):
    session.greet()
    session.send(framed(encoded({"jsonrpc": "2.0", "id": 7, **message})))
    assert session.complete("good") == "return 1"
    assert session.codes[7] == code


def test_ten_gigabytes_are_refused_at_once(session):
    session.greet()
    memory = session.memory_mb()
    session.send(b"Content-Length: 10737418240\r\n\r\n" + b"x" * (8 << 20))
    assert session.complete("good") == "return 1"
    assert session.codes[None] == -32700
    assert session.memory_mb() - memory < 50


@pytest.mark.parametrize(
    "last",
    [
        framed(encoded({"jsonrpc": "2.0", "method": "exit"})),
        framed(b'{"jsonrpc": "2.0", "met', 500),
        b"Content-Len",
        b"",
        framed(encoded(Hostile(0).request("textDocument/inlineCompletion")))
        + framed(encoded({"jsonrpc": "2.0", "method": "exit"})),
    ],
)
def test_a_client_that_leaves_in_the_middle_takes_the_server_with_it(session, last):
    session.greet()
    assert session.complete("good") == "return 1"
    session.send(last)
    session.child.stdin.close()
    assert session.child.wait(timeout=PATIENCE_S) in {0, 1}
    assert "Traceback" not in session.errors.read_text()
