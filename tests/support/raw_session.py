"""A server as a child, and what is sent to it byte by byte."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections import Counter
from pathlib import Path

import psutil

from tests.support.hostile_client import TEXT, URI, Hostile, encoded, framed
from tests.support.waiting import PATIENCE_S


class RawSession:
    """The console script as a child; a thread takes in what it says, so that neither side waits for the other."""

    def __init__(self, script: str, tmp_path: Path) -> None:
        argv = [script, "serve", "--stdio", "--provider", "fixed", "--text", "return 1"]
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

    def storm(self, batches: int, each: int) -> None:
        """Send hostile messages, and a good request behind each batch; every request is answered as often as it was sent."""
        for seed in range(1, batches + 1):
            client = Hostile(seed)
            for _ in range(each):
                self.send(client.message())
            assert self.complete(f"good-{seed}") == "return 1"
            answered = {number: self.answers[number] for number in client.owed}
            assert answered == client.owed, f"seed {seed}"

    def close(self) -> None:
        self.child.kill()
        self.child.wait()
        self.child.stdin.close()
