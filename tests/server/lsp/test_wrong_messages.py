"""What a client is told of messages that are wrong, in a server of this process whose output is a list."""

from __future__ import annotations

import io
import json
import subprocess

import pytest

from server.errors import SettingsError
from server.lsp import stdio
from server.lsp.language_server import create, serve
from server.settings import ProviderSettings, Settings
from tests.support.hostile_client import HERE, TEXT, URI, encoded, framed
from tests.support.preloaded import preloaded_script
from tests.support.waiting import PATIENCE_S


class Wire:
    """A server that was greeted and has one document open; `say` gives what it answers to a message."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.server = create(settings)
        self.said: list[dict] = []
        self.server.protocol.set_writer(self)
        self.say("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, number=1)
        document = {"uri": URI, "languageId": "python", "version": 1, "text": TEXT}
        assert self.say("textDocument/didOpen", {"textDocument": document}) == []

    def write(self, data: bytes) -> None:
        self.said.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None:
        """Nothing is held."""

    def raw(self, message) -> list[dict]:
        self.said.clear()
        self.server.protocol.receive(encoded(message))
        return [*self.said]

    def say(self, method: str, params, number=None) -> list[dict]:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        return self.raw(message if number is None else {**message, "id": number})

    def shown(self, method: str, params) -> str:
        """What the person is shown of a notification."""
        (told,) = self.say(method, params)
        assert told["method"] == "window/showMessage"
        return told["params"]["message"]

    def change(self, version: int, *changes) -> dict:
        return {"textDocument": {"uri": URI, "version": version}, "contentChanges": [*changes]}


def _errors(answers) -> list[tuple]:
    return [(each["id"], each["error"]["code"]) for each in answers]


async def test_an_id_of_null_is_refused():
    assert _errors(Wire().raw({"jsonrpc": "2.0", "id": None, "method": "ghosttape/stats"})) == [(None, -32600)]


async def test_a_notification_may_say_by_null_that_it_has_no_id():
    wire = Wire()
    whole = wire.change(2, {"text": "x"})
    assert wire.raw({"jsonrpc": "2.0", "id": None, "method": "textDocument/didChange", "params": whole}) == []
    assert wire.server.documents.get(URI).text == "x"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"stop": "foo"}, "stop is 'foo', which is none of auto, line"),
        ({"sample": -1}, "sample is -1: samples are counted from 0"),
        ({"evidence": ["file:///b.py", 1]}, "evidence is ['file:///b.py', 1]: it is a list of URIs of open documents"),
        ({"textDocument": {}}, "required field missing @ $.params.textDocument.uri"),
        ({"context": {}}, "required field missing @ $.params.context.triggerKind"),
    ],
)
async def test_wrong_parameters_are_called_as_they_were_sent(wrong, words):
    asked = {**HERE, "context": {"triggerKind": 1}, **wrong}
    (told,) = Wire().say("textDocument/inlineCompletion", asked, number=7)
    assert told["error"]["code"] == -32602
    assert words in told["error"]["message"]
    assert "text_document" not in told["error"]["message"]


async def test_a_missing_member_is_called_as_it_is_sent():
    (told,) = Wire().say("textDocument/inlineCompletion", {"context": {"triggerKind": 1}}, number=7)
    assert "$.params.textDocument" in told["error"]["message"]


async def test_of_a_batch_the_requests_are_answered_and_of_the_notifications_the_person_is_told():
    note, request = {"jsonrpc": "2.0", "method": "x"}, {"jsonrpc": "2.0", "id": 71, "method": "ghosttape/stats"}
    refused, shown = Wire().raw([request, note])
    assert _errors([refused]) == [(71, -32600)]
    assert "no batches" in shown["params"]["message"]
    assert _errors(Wire().raw([])) == [(None, -32600)]
    assert _errors(Wire().raw([1, request])) == [(None, -32600), (71, -32600)]
    assert [each.get("method") for each in Wire().raw([note, note])] == ["window/showMessage"]


async def test_to_close_what_is_not_open_is_shown_in_plain_words():
    shown = Wire().shown("textDocument/didClose", {"textDocument": {"uri": "file:///no"}})
    assert shown == "Error in server: file:///no is not open: send textDocument/didOpen first"


@pytest.mark.parametrize(
    ("start", "end", "wanted"),
    [
        ((1, 4), (0, 0), "!" + TEXT[13:]),
        ((0, 0), (2**32 - 1, 0), "!"),
        ((99, 0), (99, 1), TEXT + "!"),
        (None, None, "!"),
    ],
)
@pytest.mark.parametrize("version", [2, None])
async def test_a_range_that_is_odd_is_applied_for_the_editor_has_done_it(start, end, wanted, version):
    wire = Wire()
    places = None if start is None else {
        name: {"line": line, "character": character} for name, (line, character) in (("start", start), ("end", end))
    }  # fmt: skip
    assert wire.say("textDocument/didChange", wire.change(version, {"range": places, "text": "!"})) == []
    document = wire.server.documents.get(URI)
    assert (document.text, document.version) == (wanted, 2)


async def test_a_change_with_an_older_version_is_applied_for_the_editor_has_it_too():
    wire = Wire()
    assert wire.say("textDocument/didChange", wire.change(0, {"text": "older"})) == []
    document = wire.server.documents.get(URI)
    assert (document.version, document.text) == (0, "older")


class _Gone(io.BytesIO):
    """A pipe that nobody reads."""

    writes = 0

    def write(self, data) -> int:
        self.writes += 1
        raise BrokenPipeError(32, "Broken pipe")


def test_a_write_that_fails_is_logged_once_and_is_the_last(caplog):
    pipe = _Gone()
    outlet = stdio.StandardOutput(pipe)
    for _ in range(300):
        outlet.write(b"x")
    assert pipe.writes == 1
    assert [record.message for record in caplog.records] == [
        "the client does not read any more: [Errno 32] Broken pipe"
    ]


def test_a_stream_that_others_closed_is_logged_once(caplog):
    pipe = io.BytesIO()
    outlet = stdio.StandardOutput(pipe)
    pipe.close()
    outlet.write(b"x")
    outlet.write(b"x")
    outlet.close()
    assert len(caplog.records) == 1


def test_the_oracle_is_refused_at_the_start_with_what_it_is_for():
    with pytest.raises(SettingsError, match="which only a replay knows: ghosttape replay TAPES --provider oracle"):
        serve(create(Settings(provider=ProviderSettings(name="oracle"))))


def _left(*messages) -> int:
    """The exit status of a server that hears these messages, and then no more."""
    hello = {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
    sent = b"".join(framed(encoded({"jsonrpc": "2.0", **each})) for each in (hello, *messages))
    argv = [preloaded_script(), "serve", "--stdio", "--provider", "fixed"]
    return subprocess.run(argv, input=sent, capture_output=True, timeout=PATIENCE_S, check=False).returncode


def test_exit_ends_with_status_1_unless_shutdown_came_before():
    goodbye = {"id": 2, "method": "shutdown"}
    assert _left({"method": "exit"}) == 1
    assert _left(goodbye, {"method": "exit"}) == 0
