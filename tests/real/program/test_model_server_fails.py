"""A model server that cannot answer, or dies: the command says so soon, leaves nothing that blocks the corrected one, and loses nothing."""

import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from replay.run.store import Store
from tests.support.places import SCRIPT
from tests.support.terminals import Terminal

SERVER = """
import http.server, json, sys, time
status, port, pause_s = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
PIECES = [{"choices": [{"text": "return 1"}]}, {"choices": [{"text": "", "finish_reason": "stop"}]}]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.do_POST()
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        time.sleep(pause_s)
        body = b"".join(b"data: " + json.dumps(piece).encode() + b"\\n\\n" for piece in PIECES)
        body = body if status == 200 else json.dumps({"error": {"message": sys.argv[4]}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture
def serve(port):
    """A function that starts a model server, which answers with a status after a pause (s); it returns when that listens."""
    started = []

    def start(status=200, pause_s=0.0, message="no"):
        words = [sys.executable, "-c", SERVER, str(status), str(port), str(pause_s), message]
        started.append(subprocess.Popen(words))
        end = time.monotonic() + 20
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < end
            time.sleep(0.05)
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def words_of(port, folder, *more):
    named = ["--provider", "openai", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "m"]
    return [
        "replay",
        "demo",
        *named,
        "--no-tests",
        "--latency",
        "fixed:80",
        "--limit",
        "6",
        "--out",
        str(folder),
        *more,
    ]


def endings(folder):
    if not (folder / "run.sqlite").exists():
        return {}
    with Store.open(folder) as store:
        return {record.moment.id: record.ending.name for record in store.records()}


@pytest.mark.parametrize(
    "case",
    [
        (None, "no connection"),
        ({"pause_s": 600.0}, "no answer to anything"),
    ],
)
def test_a_provider_that_cannot_answer_ends_the_command_soon_and_leaves_the_folder_free(
    ghosttape, serve, port, tmp_path, case
):
    server, said = case
    process = serve(**server) if server is not None else None
    began = time.monotonic()
    outcome = ghosttape(*words_of(port, tmp_path / "run", "--json"), status=3)
    assert time.monotonic() - began < 15 + 5 * os.getloadavg()[0]  # a machine at rest needs 10 s for the one that hangs
    assert outcome.out == ""
    assert outcome.err.strip().count("\n") == 0
    assert outcome.err.startswith("ghosttape: ")
    assert said in outcome.err
    if process is not None:
        process.kill()
        process.wait()
    serve()
    assert ghosttape(*words_of(port, tmp_path / "run", "--json", "--seed", "1")).json["moments"] == 12


def test_a_name_that_does_not_resolve_ends_the_command_soon(ghosttape):
    said = ghosttape(
        "replay", "demo", "--provider", "openai", "--base-url", "http://no-such-host.invalid/v1", status=3
    ).err
    assert "no-such-host.invalid" in said
    assert "--base-url" in said


def test_a_model_server_that_dies_loses_nothing(ghosttape, serve, port, tmp_path):
    process = serve()
    assert ghosttape(*words_of(port, tmp_path / "whole", "--json")).json["moments"] == 12
    process.kill()
    process.wait()
    process = serve(pause_s=0.3)

    def kill_after_some():
        while len(endings(tmp_path / "run")) < 2:
            time.sleep(0.02)
        process.kill()

    threading.Thread(target=kill_after_some, daemon=True).start()
    said = ghosttape(*words_of(port, tmp_path / "run"), status=3).err
    assert "5 questions in a row failed" in said
    assert "start the model server" in said
    assert f"The same command with --out {tmp_path / 'run'} goes on from there" in said
    assert "failed" in endings(tmp_path / "run").values()
    process.wait()
    serve()
    assert ghosttape(*words_of(port, tmp_path / "run", "--json")).json["moments"] == 12
    assert endings(tmp_path / "run") == endings(tmp_path / "whole")


def test_on_a_terminal_the_run_waits_and_goes_on_by_itself(serve, port, tmp_path):
    process = serve(pause_s=0.3)
    terminal = Terminal([SCRIPT, *words_of(port, tmp_path / "run")], tmp_path)
    while len(endings(tmp_path / "run")) < 2:
        time.sleep(0.02)
    process.kill()
    process.wait()
    terminal.until(r"(?s)waits: .*?no\s+connection.*?start\s+the\s+model\s+server.*?again\s+in\s+5\s+s")
    serve()
    assert terminal.status() == 0
    assert "nothing is decided there" not in terminal.drawn
    found = list(endings(tmp_path / "run").values())
    assert (len(found), found.count("failed")) == (12, 0)  # what had failed was asked again
