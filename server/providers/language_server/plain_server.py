"""The public fake: a language server of the standard library alone, `python plain_server.py PLAN`, over standard input and output.

It keeps the documents by LSP's own rules, and completes the line at the cursor from a line that begins in the same way. PLAN is a JSON
file that is read anew with each message, and so can be changed while it runs. It says by method what else to do, a step or a list of
them, of which each serves once but the last:

* `result` or `error`: what to answer with. `silent`: no answer. `delay_s`: wait so long, unless it is cancelled meanwhile.
* `first`: messages to send before. `raw`: text to write as it is. `stderr`: text for standard error. `die`: end with this status.

Under `log` stands a file that gets every message that came, one JSON line each, and one `{"answered": id}` for each answer. Beyond LSP it
knows `plain/documents`: what it holds, by URI.
"""

from __future__ import annotations

import json
import os
import queue
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

COMPLETE = "textDocument/inlineCompletion"
CAPABILITIES = {
    "textDocumentSync": {"openClose": True, "change": 2},
    "inlineCompletionProvider": True,
    "executeCommandProvider": {"commands": ["plain.accepted"]},
}
_LINE_END = re.compile(r"\r\n|\n|\r")


def offset(text: str, position: dict[str, int]) -> int:
    """The index of a position, whose characters are UTF-16 code units (LSP 3.17, "Position")."""
    starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
    start = starts[position["line"]]
    index, units = start, 0
    while units < position["character"] and index < len(text) and text[index] not in "\r\n":
        units += 2 if text[index] > "\uffff" else 1
        index += 1
    return index


class TrackedDocuments:
    """What the client has open."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Take in what a notification says of a document.

        Raises:
            ValueError: it breaks the protocol: opens twice, changes what is not open, or counts versions backwards.

        """
        document = params["textDocument"]
        uri = document["uri"]
        if (uri in self.texts) is (method == "textDocument/didOpen"):
            raise ValueError(f"{method} of {uri} out of turn")
        if method == "textDocument/didClose":
            del self.texts[uri]
            return
        if document["version"] <= self.versions.get(uri, 0) and method == "textDocument/didChange":
            raise ValueError(f"version {document['version']} of {uri} comes after {self.versions[uri]}")
        self.versions[uri] = document["version"]
        if method == "textDocument/didOpen":
            self.texts[uri] = document["text"]
        for change in params.get("contentChanges", ()):
            self.texts[uri] = self._changed(self.texts[uri], change)

    def _changed(self, text: str, change: dict[str, Any]) -> str:
        if "range" not in change:
            return str(change["text"])
        start, end = (offset(text, change["range"][name]) for name in ("start", "end"))
        return f"{text[:start]}{change['text']}{text[end:]}"

    def completed(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        """The rest of the latest line above, else of the next below, that begins as the line at the cursor; as an item."""
        text, position = self.texts[params["textDocument"]["uri"]], params["position"]
        at = offset(text, position)
        typed = _LINE_END.split(text[:at])[-1]
        if not typed.strip():
            return []
        lines = [*reversed(_LINE_END.split(text[: at - len(typed)])), *_LINE_END.split(text[at:])[1:]]
        rest = next((line[len(typed) :] for line in lines if line.startswith(typed) and line != typed), "")
        command = {"title": "Tell", "command": "plain.accepted", "arguments": [rest]}
        where = {"start": position, "end": position}
        return [{"insertText": rest, "range": where, "command": command}] if rest else []


class StandInServer:
    """The server: what it was told to do, and what it was told."""

    def __init__(self, plan: Path) -> None:
        self._path, self._used = plan, dict[str, int]()
        self._documents = TrackedDocuments()
        self._cancelled: set[Any] = set()
        self._writing = threading.Lock()

    def serve(self) -> int:
        """Answer until the client says `exit` or is gone; the exit status."""
        inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()
        while (message := inbox.get()) is not None:
            if message.get("method") == "exit":
                return 0
            self._handle(message)
        return 1

    def _listen(self, inbox: queue.Queue[dict[str, Any] | None]) -> None:
        """Read beside, so that a request can be cancelled while it is worked on."""
        while (message := _received()) is not None:
            self._log(message)
            if message.get("method") == "$/cancelRequest":
                self._cancelled.add(message["params"]["id"])
            inbox.put(message)
        inbox.put(None)

    def _handle(self, message: dict[str, Any]) -> None:
        method = message.get("method", "")
        if method in {"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"}:
            self._documents.hear(method, message["params"])
        step = self._step(method)
        for other in step.get("first", ()):
            self._send(other)
        sys.stderr.write(step.get("stderr", ""))
        sys.stderr.flush()
        self._write(step.get("raw", "").encode())
        if "die" in step:
            os._exit(step["die"])
        if "id" in message and method:
            self._answer(message, step)

    def _answer(self, message: dict[str, Any], step: dict[str, Any]) -> None:
        number, ends = message["id"], time.monotonic() + step.get("delay_s", 0.0)
        while (now := time.monotonic()) < ends and number not in self._cancelled:
            time.sleep(min(0.002, ends - now))
        if "silent" in step:
            return
        if number in self._cancelled:
            reply: dict[str, Any] = {"error": {"code": -32800, "message": "cancelled"}}
        elif "error" in step or "result" in step:
            reply = {name: step[name] for name in ("result", "error") if name in step}
        else:
            reply = self._known(message["method"], message.get("params", {}))
        self._send({"id": number, **reply})
        self._log({"answered": number})

    def _known(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        match method:
            case "initialize":
                return {"result": {"capabilities": CAPABILITIES, "serverInfo": {"name": "plain"}}}
            case "shutdown" | "workspace/executeCommand":
                return {"result": None}
            case "plain/documents":
                return {"result": self._documents.texts}
            case _ if method == COMPLETE:
                return {"result": {"items": self._documents.completed(params)}}
        return {"error": {"code": -32601, "message": f"{method} is not known here"}}

    def _plan(self) -> dict[str, Any]:
        plan: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        return plan

    def _step(self, method: str) -> dict[str, Any]:
        steps = self._plan().get(method, {})
        if isinstance(steps, dict):
            return steps
        self._used[method] = self._used.get(method, 0) + 1
        chosen: dict[str, Any] = steps[min(self._used[method], len(steps)) - 1]
        return chosen

    def _log(self, message: dict[str, Any]) -> None:
        with self._writing, Path(self._plan()["log"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(message) + "\n")

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _received() -> dict[str, Any] | None:
    length = 0
    while (line := sys.stdin.buffer.readline()) not in {b"\r\n", b""}:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    message: dict[str, Any] | None = json.loads(sys.stdin.buffer.read(length)) if length else None
    return message


if __name__ == "__main__":
    os._exit(StandInServer(Path(sys.argv[1])).serve())  # the thread that reads would hold up a clean end for a second
