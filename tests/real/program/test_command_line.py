"""What a stranger may type, and what may be broken."""

import os
import re
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from replay.run.store import Store
from tests.support.places import SCRIPT

STOPPING = "ghosttape: stopping: the tests that run are ended, and what is finished is kept …"


def test_the_doctor_tries_everything(ghosttape, need):
    need("bwrap", "node", "npm")
    checks = {check["name"]: check for check in ghosttape("doctor", "--json").json["checks"]}
    assert checks["sandbox bubblewrap"]["ok"]
    assert checks["toolchain python"]["ok"]
    assert checks["toolchain node"]["ok"]


@pytest.fixture
def slow():
    """A model server that never answers, and what is set once it has been asked."""

    class Slow(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.set()
            ended.wait()

        def log_message(self, *_):
            pass

    asked, ended = threading.Event(), threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
        ended.set()
        server.shutdown()


def test_who_interrupts_a_question_hears_where_the_run_is_and_how_to_go_on_and_nothing_else(tmp_path, slow):
    base_url, asked = slow
    words = ["--provider", "openai", "--base-url", base_url, "--settings", '{"provider": {"api": "completions"}}']
    words += ["--no-tests", "--out", "my run", "--record-answers", "answers.jsonl", "--latency", "fixed:80"]
    with subprocess.Popen(
        [SCRIPT, "replay", "demo", *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell in the background ignores it
    ) as process:
        assert asked.wait(120)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    *progress, kept, look, on = said.splitlines()
    assert kept == "ghosttape: interrupted; what was finished is kept in my run:"
    assert look == "  ghosttape tui 'my run'"
    assert on == "The same command with --out 'my run' goes on from there."
    assert progress[-2:] == ["", STOPPING]
    assert all(line.startswith("ledger: ") for line in progress[:-2]), said


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_replay_keeps_what_was_finished_and_leaves_nothing_running(tmp_path, need, way):
    need("bwrap")
    words = [SCRIPT, "replay", "demo", "--provider", "ngram", "--out", "run"]
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell in the background ignores it
    )
    for line in process.stderr:
        if re.search(r" [1-9]\d* (un)?testable", line):  # what is not judged yet is not kept
            break
    process.send_signal(way)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.endswith(
        "ghosttape: interrupted; what was finished is kept in run:\n  ghosttape tui run\n"
        "The same command with --out run goes on from there.\n"
    )
    assert (STOPPING in said) == (way is signal.SIGINT)
    assert "Traceback" not in said
    assert not list(tmp_path.glob("ghosttape-*"))
    with Store.open(tmp_path / "run") as store:
        assert list(store.records())
