"""The thinnest client there is: blocking pipes, so that what is measured is the server."""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from tests.support.places import ROOT

URI = "file:///long.py"
PEERS = ROOT / "tests/performance/peers"


def script(name):
    """How to start one of the servers that ours is set against."""
    return [sys.executable, str(PEERS / f"{name}.py")]


def ours(answer, **settings):
    """How to start ours with a provider that answers at once."""
    given = {"provider": {"name": "fixed", "text": answer}, **settings}
    ghosttape = Path(sys.executable).with_name("ghosttape")
    return [str(ghosttape), "serve", "--stdio", "--settings", msgspec.json.encode(given).decode()]


def framed(message):
    """A message as it goes over the wire."""
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class Wire:
    """A server as a child process, with one document open."""

    def __init__(self, argv, text):
        self._child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._rest, self._number, self._version = b"", 0, 1
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})
        document = {"uri": URI, "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def processor_ms(self):
        """The processor time that the server has used so far, in ms, with all its threads: what clock_getcpuclockid(3) reads."""
        return time.clock_gettime_ns(~self._child.pid << 3 | 2) / 1e6

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._child.communicate(timeout=20)

    @property
    def status(self):
        """The exit status of the server, once it has ended."""
        return self._child.returncode

    def tell(self, method, params):
        self._write(framed({"method": method, "params": params}))

    def ask(self, method, params):
        """The result of a request; what else the server says is passed over."""
        self._number += 1
        self._write(framed({"id": self._number, "method": method, "params": params}))
        return self._answered()

    def pair(self, line, character):
        """Type one key there and ask behind it, in one go; give the item and the ms from the first byte to the answer."""
        self._version, self._number = self._version + 1, self._number + 1
        here, behind = {"line": line, "character": character}, {"line": line, "character": character + 1}
        key = "xyz"[self._version % 3]
        change = {
            "textDocument": {"uri": URI, "version": self._version},
            "contentChanges": [{"range": {"start": here, "end": here}, "text": key}],
        }
        asked = {"textDocument": {"uri": URI}, "position": behind, "context": {"triggerKind": 2}}
        both = framed({"method": "textDocument/didChange", "params": change})
        both += framed({"id": self._number, "method": "textDocument/inlineCompletion", "params": asked})
        began = time.perf_counter()
        self._write(both)
        (item,) = self._answered()
        return item, (time.perf_counter() - began) * 1000

    def replace(self, line, start, end, text):
        """Put a text in place of a part of a line; nothing waits for it."""
        self._version += 1
        where = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        change = {
            "textDocument": {"uri": URI, "version": self._version},
            "contentChanges": [{"range": where, "text": text}],
        }
        self.tell("textDocument/didChange", change)

    def _write(self, data):
        self._child.stdin.write(data)
        self._child.stdin.flush()

    def _answered(self):
        while True:
            message = msgspec.json.decode(self._message())
            if message.get("id") == self._number:
                return message["result"]

    def _message(self):
        while (end := self._rest.find(b"\r\n\r\n")) < 0:
            self._read()
        size = int(self._rest[:end].lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(self._rest) < end + 4 + size:
            self._read()
        body, self._rest = self._rest[end + 4 : end + 4 + size], self._rest[end + 4 + size :]
        return body

    def _read(self):
        piece = os.read(self._child.stdout.fileno(), 1 << 16)
        assert piece, "the server has gone"
        self._rest += piece
