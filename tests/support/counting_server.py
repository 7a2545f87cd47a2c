"""A model server on loopback that counts: requests, how many at once, when they came. Its answers depend on the prompt alone."""

import hashlib
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LINES = (
    "return total\n",
    "pass\n",
    "```python\n",
    "for each in rows:\n",
    "    total += each\n",
    "return None\n",
    "value = 1)\n",
    "}\n",
)


@dataclass
class CountingServer:
    """What came so far. `usage`: whether answers tell their tokens."""

    latency_s: float = 0.0
    together: int = 1
    """The first questions wait until so many are under way."""
    usage: bool = True
    characters_a_token: float | None = None
    """By which the tokens of a prompt are told; None: each prompt has 100."""
    most_in_window: int | None = None
    """Requests within `window_s` that are answered; what is more gets 429 with a Retry-After."""
    window_s: float = 1.0
    retry_after: str = "1"
    times: list = field(default_factory=list)
    refused: list = field(default_factory=list)
    prompts: list = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    url: str = ""
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def asked(self):
        """Questions, without the small one that finds out whether the server answers."""
        return [prompt for prompt in self.prompts if not is_probe(prompt)]

    @contextmanager
    def met(self, prompt):
        with self._changed:
            self.times.append(time.monotonic())
            self.prompts.append(prompt)
            self.in_flight += 1
            self.most_in_flight = max(self.in_flight, self.most_in_flight)
            self._changed.notify_all()
            self._changed.wait_for(lambda: is_probe(prompt) or self.most_in_flight >= self.together)
        try:
            yield
        finally:
            with self._changed:
                self.in_flight -= 1

    def is_too_many(self):
        now = time.monotonic()
        recent = [at for at in self.times if now - at < self.window_s]
        return self.most_in_window is not None and len(recent) >= self.most_in_window


def is_probe(prompt):
    """Whether this is the question of `server.providers.probing`."""
    return "def double(x):" in prompt


def pieces_of(prompt):
    """Five lines that the prompt decides."""
    digest = hashlib.sha256(prompt.encode()).digest()
    return [LINES[byte % len(LINES)] for byte in digest[:5]]


def _handler(counting):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self._whole(200, b'{"data": []}')

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body.get("prompt") or json.dumps(body.get("messages"))
            if counting.is_too_many():
                counting.refused.append(time.monotonic())
                self._whole(429, b'{"error": {"message": "slow down"}}', {"Retry-After": counting.retry_after})
                return
            with counting.met(prompt):
                time.sleep(0 if is_probe(prompt) else counting.latency_s)
                self._stream(prompt, pieces_of(prompt)[: body.get("max_tokens", 99)])

        def _whole(self, status, body, headers=()):
            self.send_response(status)
            for name, value in dict(headers).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, prompt, pieces):
            chat = "chat" in self.path
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            events = [{"choices": [_choice(chat, piece, None)]} for piece in pieces]
            events.append({"choices": [_choice(chat, "", "stop")]})
            if counting.usage:
                rate = counting.characters_a_token
                told = {"prompt_tokens": round(len(prompt) / rate) if rate else 100, "completion_tokens": len(pieces)}
                events.append({"choices": [], "usage": told})
            for event in events:
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

    return Handler


def _choice(chat, text, reason):
    return {"index": 0, "finish_reason": reason, **({"delta": {"content": text}} if chat else {"text": text})}


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        """A client that was killed leaves its connection."""


@contextmanager
def counting_server(**options):
    """A server that runs in a thread until the end of the block."""
    counting = CountingServer(**options)
    server = _Quiet(("127.0.0.1", 0), _handler(counting))
    counting.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield counting
    finally:
        server.shutdown()
        server.server_close()
