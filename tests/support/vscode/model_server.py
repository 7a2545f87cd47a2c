"""A model server that answers as a test says: OpenAI's completions with a suffix, in this process."""

import json
import select
import socket
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class ModelServer:
    """`answer` gives the text for a request (`prompt`, `suffix`, `seed`, …), or None to break the connection; it is sent `pause_s` later, unless the client has gone."""

    answer: object = lambda _asked: ""
    pause_s: float = 0.0
    prompts: list = field(default_factory=list)
    """What was asked, in this order."""
    longest_overlap: float = 0.0
    """For how long (s) a client left a request open at most after it had sent another one."""
    given_up: int = 0
    _overtaken: dict = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self):
        serving = type("Serving", (_Handler,), {"model": self})
        self._http = _Server(("127.0.0.1", 0), serving)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def settings(self):
        """The setting `ghosttape.provider` for it."""
        url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        return {"name": "openai", "base_url": url, "model": "scripted", "api": "suffix", "heal": False}

    def forget(self):
        """Count anew."""
        self.prompts.clear()
        self.given_up, self.longest_overlap = 0, 0.0

    def close(self):
        self._http.shutdown()
        self._http.server_close()

    def begin(self, prompt, connection):
        """Count a request; the others that are open are overtaken from now on."""
        with self._lock:
            self.prompts.append(prompt)
            now = time.monotonic()
            for other, since in self._overtaken.items():
                self._overtaken[other] = now if since is None and not _has_gone(other) else since
            self._overtaken[connection] = None

    def end(self, connection, *, answered):
        with self._lock:
            since = self._overtaken.pop(connection)
            self.longest_overlap = max(self.longest_overlap, time.monotonic() - since if since is not None else 0.0)
            self.given_up += not answered


def _has_gone(connection):
    """Whether the other side has closed a connection: then there is something to read, and it is nothing."""
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # clients that go, or are killed, are what is tested
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ModelServer

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.model.begin(asked["prompt"], self.connection)
        answered = self._client_waits(self.model.pause_s)
        text = self.model.answer(asked)
        self.model.end(self.connection, answered=answered)
        if text is None:
            self.close_connection = True
        elif answered:
            self._send([{"text": text}, {"text": "", "finish_reason": "stop"}])

    def do_GET(self):
        self.send_error(404, "no such route")

    def _client_waits(self, seconds):
        """Wait, and say whether the client is still there: one that cancels closes the connection."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            select.select([self.connection], [], [], left)
            if _has_gone(self.connection):
                self.close_connection = True
                return False
        return True

    def _send(self, choices):
        pieces = [f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices]
        body = "".join([*pieces, "data: [DONE]\n\n"]).encode()
        with suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):
        pass
