"""A language server of the standard library alone, which does what it is told: `python stdio_server.py PLAN LOG`.

PLAN (JSON) says by method what to do: `result` or `error` to answer with, `stderr` to write, `noise` (bytes) to write on
standard error, `prints` to write between the messages, `says` for a message that is this text, `hold` to answer only when the request is cancelled, `die` to end with that exit status, `under way` to tell that, `streamed` texts to tell, `first` a request to send to the client before the answer, `leaves a child` to start a process that keeps its streams open, `stays` (of `exit`) how many seconds to stay. LOG gets
every message that came, one JSON line each.
"""

import json
import os
import subprocess
import sys
import time

OPTIONS = {"capabilities": {"inlineCompletionProvider": True, "textDocumentSync": 2}}
DEFAULTS = {"initialize": {"result": OPTIONS}, "shutdown": {"result": None}}


def receive():
    length = 0
    while (line := sys.stdin.buffer.readline()) not in {b"\r\n", b""}:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def act(message, step):
    if "first" in step:
        send({"id": "from-the-server", **step["first"]})
    sys.stdout.write(step.get("prints", ""))
    sys.stdout.flush()
    if "says" in step:
        sys.stdout.write(f"Content-Length: {len(step['says'])}\r\n\r\n{step['says']}")
        sys.stdout.flush()
    sys.stderr.write(step.get("stderr", ""))
    sys.stderr.write("x" * step.get("noise", 0))
    sys.stderr.flush()
    if "under way" in step:
        send({"method": "ghosttape/underway", "params": {"token": message["params"]["willCancel"]}})
    for text in step.get("streamed", ()):
        send({"method": "ghosttape/streamed", "params": {"token": message["params"]["streams"], "text": text}})
    if "leaves a child" in step:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    if "die" in step:
        os._exit(step["die"])
    if "id" in message and "hold" not in step:
        send({"id": message["id"], **{name: step[name] for name in ("result", "error") if name in step}})


def serve(plan, log):
    while (message := receive()) is not None:
        log.write(json.dumps(message) + "\n")
        log.flush()
        method = message.get("method")
        if method == "exit":
            time.sleep(plan.get("exit", {}).get("stays", 0))
            return
        unknown = {"error": {"code": -32601, "message": f"{method} is not known here"}}
        if method == "$/cancelRequest":
            send({"id": message["params"]["id"], "error": {"code": -32800, "message": "cancelled"}})
        elif method is not None:
            act(message, plan.get(method) or DEFAULTS.get(method) or unknown)


if __name__ == "__main__":
    with open(sys.argv[2], "a", encoding="utf-8") as kept:  # noqa: PTH123 - nothing is imported that is not needed
        serve(json.loads(sys.argv[1]), kept)
