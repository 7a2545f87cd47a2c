"""Whatever comes in: the server lives, answers each request, and serves the next good one."""

from __future__ import annotations

import pytest

from tests.support.hostile_client import URI, Hostile, encoded, framed
from tests.support.preloaded import preloaded_script
from tests.support.raw_session import RawSession
from tests.support.waiting import PATIENCE_S


@pytest.fixture
def session(tmp_path):
    started = RawSession(preloaded_script(), tmp_path)
    yield started
    started.close()


def test_a_thousand_hostile_messages_neither_kill_nor_hang_the_server(session):
    session.greet()
    assert session.complete("first") == "return 1"
    session.storm(batches=4, each=250)
    assert "Traceback" not in session.errors.read_text()


def test_before_the_greeting_every_request_is_refused_and_after_goodbye_too(session):
    assert session.ask("early", "ghosttape/stats", {})["error"]["code"] == -32002
    session.greet()
    assert session.complete("good") == "return 1"
    assert session.ask("bye", "shutdown", None)["result"] is None
    assert session.ask("late", "ghosttape/stats", {})["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"method": "textDocument/inlineCompletion", "params": {"textDocument": {"uri": URI}}}, -32602),
        ({"method": "ghosttape/explain", "params": {"textDocument": {"uri": 5}}}, -32602),
        ({"method": "ghosttape/state"}, -32602),
        ({"method": "nonsense", "params": {}}, -32601),
        ({"method": "textDocument/didSave", "params": {"textDocument": {"uri": URI}}}, -32600),
        ({"method": 5}, -32600),
        ({"method": "ghosttape/stats", "jsonrpc": "1.0"}, -32600),
    ],
)
def test_a_request_that_is_wrong_is_told_what_is_wrong(session, message, code):
    session.greet()
    session.send(framed(encoded({"jsonrpc": "2.0", "id": 7, **message})))
    assert session.complete("good") == "return 1"
    assert session.codes[7] == code


def test_ten_gigabytes_are_refused_at_once(session):
    session.greet()
    session.send(b"Content-Length: 10737418240\r\n\r\n" + b"x" * (8 << 20))
    assert session.complete("good") == "return 1"
    assert session.codes[None] == -32700


@pytest.mark.parametrize(
    "last",
    [
        framed(encoded({"jsonrpc": "2.0", "method": "exit"})),
        framed(b'{"jsonrpc": "2.0", "met', 500),
        b"Content-Len",
        b"",
        framed(encoded(Hostile(0).request("textDocument/inlineCompletion")))
        + framed(encoded({"jsonrpc": "2.0", "method": "exit"})),
    ],
)
def test_a_client_that_leaves_in_the_middle_takes_the_server_with_it(session, last):
    session.greet()
    assert session.complete("good") == "return 1"
    session.send(last)
    session.child.stdin.close()
    assert session.child.wait(timeout=PATIENCE_S) in {0, 1}
    assert "Traceback" not in session.errors.read_text()
