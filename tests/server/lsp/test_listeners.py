"""The listeners that a server notifies of its work."""

import logging

import pytest
from lsprotocol import types

from server.errors import SettingsError
from server.lsp import language_server as lsp
from server.lsp import notifications
from server.lsp.editor_events import ClientInitialized, ClientLeft, CompletionShown, CursorsMoved
from server.settings import RecordingSettings, Settings, merge, split_recording


def test_a_listener_that_fails_is_let_go_and_the_others_hear_on(caplog):
    server, heard = lsp.create(), []

    def fail(happening):
        raise ZeroDivisionError

    server.listeners.extend([fail, heard.append])
    with caplog.at_level(logging.ERROR):
        server.protocol.emit(ClientLeft())
        server.protocol.emit(ClientLeft())
    assert heard == [ClientLeft(), ClientLeft()]
    assert server.listeners == [heard.append]
    assert [record.message for record in caplog.records] == ["a listener failed and is removed"]


def test_a_listener_may_leave_and_send_another_while_it_is_told():
    server, heard = lsp.create(), []

    def first(happening):
        server.listeners.remove(first)
        server.listeners.append(heard.append)

    server.listeners.append(first)
    server.protocol.emit(ClientLeft())
    server.protocol.emit(ClientInitialized("x", ()))
    assert heard == [ClientInitialized("x", ())]


@pytest.mark.parametrize(
    ("given", "folders"),
    [
        (
            {"workspace_folders": [types.WorkspaceFolder("file:///a", "a"), types.WorkspaceFolder("file:///b", "b")]},
            ("file:///a", "file:///b"),
        ),
        ({"root_uri": "file:///r"}, ("file:///r",)),
        ({"root_path": "/p"}, ("file:///p",)),
        ({}, ()),
    ],
)
def test_the_folders_of_a_greeting_are_told_whichever_way_the_client_names_them(given, folders):
    server, heard = lsp.create(), []
    server.listeners.append(heard.append)
    client = types.ClientInfo("an editor")
    lsp._initialize(server, types.InitializeParams(types.ClientCapabilities(), client_info=client, **given))
    assert heard == [ClientInitialized("an editor", folders)]


def test_the_wish_to_be_recorded_is_no_setting():
    options, record = split_recording({"repairs": [], "record": {"folder": "~/tapes"}})
    assert (options, record) == ({"repairs": []}, RecordingSettings(folder="~/tapes"))
    told = {"folder": "~/tapes", "tells_shown": True}
    assert split_recording({"record": told})[1] == RecordingSettings(folder="~/tapes", tells_shown=True)
    assert split_recording({"record": None}) == ({}, None)
    assert split_recording(None) == (None, None)
    with pytest.raises(SettingsError, match="unknown field `record`"):
        merge(Settings(), {"record": {"folder": "/x"}})


@pytest.mark.parametrize("folder", ["tapes", "./tapes", "", "..", "a/~"])
def test_a_folder_must_not_depend_on_where_the_server_runs(folder):
    with pytest.raises(SettingsError, match=r"absolute path.*at `\$\.record`"):
        split_recording({"record": {"folder": folder}})


@pytest.mark.parametrize("ends", [((1, 0), (3, 0)), ((3, 0), (1, 0))])
def test_a_range_that_runs_backwards_makes_the_same_recent_edit(ends):
    server = lsp.create()
    server.documents.open("file:///a", "x", 1, "a\nb\nc\nd\n")
    server.protocol._changed("file:///a", 2, [(*ends, "")])
    assert server.documents.get("file:///a").text == "a\nd\n"
    [(_, edit)] = server.protocol.recent.latest("file:///b", 0)
    assert (edit.line, edit.old, edit.new) == (1, ("b", "c"), ())


def there(*positions):
    """Selections of the document `file:///a`, each from a (line, character) to the next."""
    places = [{"line": line, "character": character} for line, character in positions]
    selections = [{"start": start, "end": end} for start, end in zip(places[::2], places[1::2], strict=True)]
    return {"textDocument": {"uri": "file:///a"}, "selections": selections}


@pytest.mark.parametrize("odd", [(0, -5), (-1, 0), (0, float("nan")), (0, float("inf")), (0, None), (0, "x"), (9, 0)])
def test_a_selection_that_is_no_place_is_not_told(odd):
    server, heard = lsp.create(), []
    server.documents.open("file:///a", "x", 1, "abc\ndef\n")
    server.listeners.append(heard.append)
    notifications.cursors_moved(server, there((0, 0), odd))
    notifications.cursors_moved(server, there((0, 1), (1, 99)))
    assert [happening.ranges for happening in heard if isinstance(happening, CursorsMoved)] == [((1, 7),)]


@pytest.mark.parametrize("params", [{}, {"textDocument": None, "reason": "undo"}, None, 5])
def test_a_notification_that_says_nothing_is_passed_over(params):
    server, heard = lsp.create(), []
    server.listeners.append(heard.append)
    notifications.cursors_moved(server, params)
    notifications.change_reason_given(server, params)
    assert heard == []


def on_screen(text, *, version, request=7):
    """What an editor says that it shows between `ab` and `c` of the document `file:///a`."""
    where = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 2}}
    command = {"title": "", "command": "ghosttape.accepted", "arguments": [request]}
    item = {"insertText": text, "range": where, "command": command}
    return {"item": item, "textDocument": {"uri": "file:///a", "version": version}}


@pytest.mark.parametrize(
    ("params", "heard"),
    [
        (on_screen("xy", version=3), [(7, (2, 2, "xy"))]),
        (on_screen("xy", version=2), []),
        (on_screen("xy", version=3, request="7"), []),
        (on_screen("xy", version=3, request=True), []),
        (on_screen("xy", version=None), []),
        ({"item": on_screen("xy", version=3)["item"]}, []),
        ({**on_screen("xy", version=3), "textDocument": {"uri": "file:///b", "version": 3}}, []),
    ],
    ids=[
        "now",
        "an older text",
        "another server's item",
        "no number",
        "no version",
        "no document",
        "one that is not open",
    ],
)
async def test_what_the_editor_shows_is_told_where_it_says_of_which_text(params, heard):
    server, told = lsp.create(), []
    server.documents.open("file:///a", "x", 3, "abc\n")
    server.listeners.append(told.append)
    await notifications.shown(server, params)
    assert [(each.request, each.change) for each in told if isinstance(each, CompletionShown)] == heard


class Hearing:
    """Stands in for a provider that wants to hear what is shown."""

    def __init__(self):
        self.heard = []

    async def shown(self, ticket):
        self.heard.append(ticket)


@pytest.mark.parametrize("there", [{}, {"uri": "file:///a"}, {"uri": "file:///a", "version": None}, 5])
async def test_the_provider_hears_what_is_shown_however_odd_the_document_is(there, monkeypatch):
    server, provider = lsp.create(), Hearing()
    monkeypatch.setattr(type(server), "feedback_provider", provider)
    item = {"insertText": "x", "range": [0, 1], "command": {"arguments": [7, "12"]}}
    await notifications.shown(server, {"item": item, "textDocument": there})
    assert provider.heard == ["12"]
