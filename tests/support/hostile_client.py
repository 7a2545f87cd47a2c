"""A client that means no good, or is merely broken: what it sends, and how often each of its requests is to be answered."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field

URI = "file:///a.py"
TEXT = "def f():\n    \n\nx = '\U0001f600'\n"
JUNK = [
    None, True, -1, 2**31, 2**64, 10**400, 1.5, math.nan, math.inf, "", "x" * 2000, "\ud83d", "\0", "file:///c.py", [], [[]], {}, {"a": 1}, [None],
]  # fmt: skip
HERE = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}}
REQUESTS = {
    "textDocument/inlineCompletion": {**HERE, "context": {"triggerKind": 2}, "stop": "auto"},
    "ghosttape/explain": HERE,
    "ghosttape/state": {"textDocument": {"uri": URI}},
    "ghosttape/stats": {},
    "ghosttape/provider": {},
    "workspace/executeCommand": {"command": "ghosttape.accepted", "arguments": [1]},
}
EDIT = {"range": {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 4}}, "text": "y"}
NOTIFICATIONS = {
    "textDocument/didOpen": {
        "textDocument": {"uri": "file:///b.py", "languageId": "python", "version": 1, "text": TEXT}
    },
    "textDocument/didChange": {"textDocument": {"uri": "file:///b.py", "version": 2}, "contentChanges": [EDIT]},
    "textDocument/didClose": {"textDocument": {"uri": "file:///b.py"}},
    "textDocument/didSave": {"textDocument": {"uri": "file:///b.py"}},
    "ghosttape/hint": {"textDocument": {"uri": "file:///b.py"}, "reason": "undo"},
    "ghosttape/terminal": {"command": "pytest", "output": "1 passed in 0.01s", "exitCode": 0},
    "ghosttape/dismissed": {"textDocument": {"uri": "file:///b.py"}},
    "ghosttape/selection": {"textDocument": {"uri": "file:///b.py"}, "selections": [EDIT["range"]]},
    "window/workDoneProgress/cancel": {"token": "t"},
    "$/setTrace": {"value": "off"},
    "$/cancelRequest": {"id": "nobody"},
}


def framed(body: bytes, length: int | None = None) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body) if length is None else length, body)


def encoded(value) -> bytes:
    return json.dumps(value).encode()


@dataclass
class Hostile:
    """Messages drawn with a seed. `owed` says how often each id is to be answered."""

    seed: int
    owed: dict = field(default_factory=dict)
    number: int = 0

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)

    def message(self) -> bytes:
        return self.draw.choice(KINDS)(self)

    def _id(self, times: int = 1) -> str | int:
        self.number += 1
        number = self.draw.choice([f"{self.seed}-{self.number}", self.seed * 1_000_000 + self.number])
        self.owed[number] = times
        return number

    def request(self, method=None, params=None, **more) -> dict:
        method = method or self.draw.choice(list(REQUESTS))
        params = REQUESTS.get(method, {}) if params is None else params
        return {"jsonrpc": "2.0", "id": self._id(), "method": method, "params": params, **more}

    def notification(self) -> dict:
        method = self.draw.choice(list(NOTIFICATIONS))
        return {"jsonrpc": "2.0", "method": method, "params": NOTIFICATIONS[method]}

    def spoiled(self, value):
        """The value with one part of it, wherever, replaced by something else or gone."""
        if not isinstance(value, dict | list) or not value or self.draw.random() < 0.2:
            return self.draw.choice(JUNK)
        copy = dict(value) if isinstance(value, dict) else list(value)
        key = self.draw.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))
        if self.draw.random() < 0.15:
            del copy[key]
        else:
            copy[key] = self.spoiled(copy[key])
        return copy

    def spoiled_request(self) -> bytes:
        message = self.request()
        return framed(encoded({**message, "params": self.spoiled(message["params"])}))

    def spoiled_notification(self) -> bytes:
        message = self.notification()
        return framed(encoded({**message, "params": self.spoiled(message["params"])}))

    def without_params(self) -> bytes:
        message = self.draw.choice([self.request, self.notification])()
        del message["params"]
        return framed(encoded(message))

    def unknown_method(self) -> bytes:
        name = self.draw.choice(["nonsense", "$/nonsense", "", "textDocument/\ud83d", "exit\0", "x" * 5000])
        return framed(encoded(self.request(name, self.draw.choice([*JUNK, {"a": [1]}]))))

    def request_as_notification(self) -> bytes:
        message = self.request()
        del self.owed[message.pop("id")]
        return framed(encoded(message))

    def notification_as_request(self) -> bytes:
        return framed(encoded({**self.notification(), "id": self._id()}))

    def greeted_again(self) -> bytes:
        return framed(encoded(self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})))

    def same_id_twice(self) -> bytes:
        message = self.request("textDocument/inlineCompletion")
        self.owed[message["id"]] = 2
        return framed(encoded(message)) * 2

    def asked_and_cancelled(self) -> bytes:
        message = self.request("textDocument/inlineCompletion")
        cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": message["id"]}}
        return framed(encoded(message)) + framed(encoded(cancel)) * self.draw.choice([1, 2])

    def cancelled_unknown(self) -> bytes:
        return framed(
            encoded({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": self.draw.choice(JUNK)}})
        )

    def answer_to_nothing(self) -> bytes:
        kind = self.draw.choice([{"result": self.draw.choice(JUNK)}, {"error": self.draw.choice(JUNK)}])
        return framed(encoded({"jsonrpc": "2.0", "id": self.draw.choice([*JUNK, 5]), **kind}))

    def edit_outside(self) -> bytes:
        places = [
            {"line": self.draw.choice([0, 3, 9, 2**31 - 1]), "character": self.draw.choice([0, 2, 2**31 - 1])}
            for _ in "12"
        ]
        change = {
            "range": dict(zip(("start", "end"), places, strict=True)),
            "text": self.draw.choice(["", "z\r", "\ude00"]),
        }
        where = {"uri": self.draw.choice(["file:///b.py", "file:///nowhere.py"]), "version": 3}
        params = {"textDocument": where, "contentChanges": [change]}
        return framed(encoded({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}))

    def batch(self) -> bytes:
        return framed(
            encoded([self.draw.choice([self.request, self.notification])() for _ in range(self.draw.randint(0, 3))])
        )

    def no_message(self) -> bytes:
        values = [*JUNK, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "method": 5}, {"method": "shutdown"}]
        return framed(encoded(self.draw.choice([value for value in values if value != []])))

    def odd_id(self) -> bytes:
        odd = self.draw.choice([value for value in JUNK if not isinstance(value, str | int) or isinstance(value, bool)])
        return framed(encoded({**REQUESTS, "jsonrpc": "2.0", "id": odd, "method": "ghosttape/stats"}))

    def other_version(self) -> bytes:
        return framed(encoded(self.request(jsonrpc=self.draw.choice(["1.0", 2.0, None]))))

    def deep(self) -> bytes:
        depth = self.draw.choice([100, 1000, 100_000])
        opening, closing = self.draw.choice([(b"[", b"]"), (b'{"a":', b"}")])
        within = opening * depth + b"1" + closing * depth
        if depth > 100:
            return framed(within)
        return framed(encoded(self.request("ghosttape/state", "HERE")).replace(b'"HERE"', within))

    def cut_off(self) -> bytes:
        body = encoded(self.notification())
        return framed(body[: self.draw.randrange(1, len(body))])

    def no_text(self) -> bytes:
        return framed(bytes(self.draw.randrange(256) for _ in range(self.draw.randint(1, 80))))

    def length_too_great(self) -> bytes:
        body = encoded(self.request())
        return framed(body, len(body) + self.draw.choice([1, 2, 10, 17, 30, 5000]))

    def length_too_small(self) -> bytes:
        body = encoded(self.notification())
        return framed(body, self.draw.randrange(len(body)))

    def length_absurd(self) -> bytes:
        return framed(b"{}", self.draw.choice([-1, 10 * 1024**3, 2**63, 10**25]))

    def junk_between(self) -> bytes:
        junk = [
            b"\r\n",
            b"\n\n",
            b"hello",
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"Content-Length: many\r\n\r\n",
            b"\0" * 100,
        ]
        return self.draw.choice(junk) + framed(encoded(self.request()))


KINDS = [
    method for name, method in vars(Hostile).items()
    if callable(method) and not name.startswith("_") and name not in {"message", "request", "notification", "spoiled"}
]  # fmt: skip
KINDS += [Hostile.spoiled_request, Hostile.spoiled_notification] * 5
