"""That a language server which hangs goes with ghosttape, however ghosttape ends."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys

import psutil
import pytest

from server.providers.language_server.fake_server import PlainServer
from tests.support.places import SCRIPT
from tests.support.waiting import PATIENCE_S, until_held

COMPLETE = "textDocument/inlineCompletion"
HANGS = {"delay_s": 600}
URI = "file:///p/a.py"
DOCUMENT = {"uri": URI, "languageId": "python", "version": 1, "text": "x = "}
ASKED = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 4}, "context": {"triggerKind": 1}}


@pytest.fixture
def run(tmp_path):
    """The real server over a hanging one; gives both once the hanging one has got a message of a method."""
    started = []

    def start(plan, method):
        fake = PlainServer(tmp_path)
        fake.plan(plan)
        words = [SCRIPT, "serve", "--provider", "lsp", "--server", shlex.join(fake.command)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe)
        started.append(psutil.Process(process.pid))
        _send(process, id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
        _send(process, method="initialized", params={})
        _send(process, method="textDocument/didOpen", params={"textDocument": DOCUMENT})
        _send(process, id=2, method=COMPLETE, params=ASKED)
        until_held(lambda: fake.sent(method))
        children = started[0].children(recursive=True)
        assert children
        started.extend(children)
        return process, children

    yield start
    for each in started:
        try:
            each.kill()
        except psutil.NoSuchProcess:
            continue


def _send(process, **message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    process.stdin.flush()


def _end(process, way):
    if way == "end of input":
        process.stdin.close()
        process.stdin = None
    elif way == "exit":
        _send(process, method="exit")
    else:
        process.send_signal(way)


LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux kills a process with its parent (PR_SET_PDEATHSIG)"
)
HUNG = {COMPLETE: HANGS, "shutdown": HANGS}
STARTING = {"initialize": HANGS}


@pytest.mark.parametrize(
    ("way", "plan", "method"),
    [
        (signal.SIGTERM, HUNG, COMPLETE),
        (signal.SIGTERM, STARTING, "initialize"),
        pytest.param(signal.SIGKILL, HUNG, COMPLETE, marks=LINUX),
        ("end of input", HUNG, COMPLETE),
        ("end of input", STARTING, "initialize"),
        ("exit", HUNG, COMPLETE),
        ("exit", STARTING, "initialize"),
    ],
)
def test_a_server_that_hangs_does_not_outlive_us(run, way, plan, method):
    process, children = run(plan, method)
    _end(process, way)
    _, errors = process.communicate(timeout=PATIENCE_S)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert alive == []
    status = {"end of input": 0, "exit": 1}  # nobody said shutdown
    assert process.returncode == (-way if isinstance(way, signal.Signals) else status[way])
    assert b"closed file" not in errors
    assert b"Traceback" not in errors
