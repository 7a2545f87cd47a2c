"""What became of a suggestion goes all the way: from the editor to our server, and from it to the language server it asked."""

import json

import pytest
from lsprotocol import types

from server.providers.fixed import Fixed
from server.providers.language_server.fake_server import PlainServer
from server.providers.language_server.plain_server import CAPABILITIES
from server.providers.protocol import feedback_provider
from server.providers.registry import make
from server.providers.wrappers.healing import HealingProvider
from server.settings import AnswerRecord, ProviderSettings
from server.wire.json_values import DID_ACCEPT_PART, DID_SHOW
from tests.support.waiting import until

TEXT = "alpha = f(1)\nbeta = f(2)\nalpha"
COPILOT = {"result": {"capabilities": CAPABILITIES, "serverInfo": {"name": "GitHub Copilot Language Server"}}}
ITEM = {
    "insertText": "alpha = f(1)",
    "range": {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 5}},
    "command": {"title": "", "command": "plain.accepted", "arguments": ["some id"]},
}


@pytest.fixture
async def pair(start, tmp_path):
    """Our server with an editor before it and a plain language server behind it."""

    async def begin(plan=None, **settings):
        behind = PlainServer(tmp_path)
        behind.plan({"initialize": COPILOT, "textDocument/inlineCompletion": {"result": [ITEM]}, **(plan or {})})
        provider = {"name": "lsp", "command": behind.command, **settings}
        editor = await start({"provider": provider}, root="file:///p")
        editor.open(TEXT, "file:///p/a.py")
        return editor, behind

    return begin


async def _asked(editor):
    (item,) = await editor.request(2, 5, uri="file:///p/a.py")
    return item


async def _heard(behind, method, times=1):
    await until(lambda: len(behind.sent(method)) >= times)
    return behind.sent(method)


def _tell(editor, method, item, **more):
    plain = json.loads(json.dumps(editor.client.protocol._converter.unstructure(item)))
    editor.client.protocol.notify(method, {"item": plain, **more})


async def test_an_item_that_was_shown_is_told_with_the_item_as_it_came(pair):
    editor, behind = await pair()
    item = await _asked(editor)
    assert item.insert_text == " = f(1)"
    _tell(editor, DID_SHOW, item)
    assert await _heard(behind, DID_SHOW) == [{"item": ITEM}]


async def test_the_command_of_an_accepted_item_is_run(pair):
    editor, behind = await pair()
    item = await _asked(editor)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(item.command.command, item.command.arguments)
    )
    assert await _heard(behind, "workspace/executeCommand") == [{"command": "plain.accepted", "arguments": ["some id"]}]


async def test_a_part_is_counted_from_the_start_of_the_items_own_text(pair):
    editor, behind = await pair()
    _tell(editor, DID_ACCEPT_PART, await _asked(editor), acceptedLength=2)
    assert await _heard(behind, DID_ACCEPT_PART) == [{"item": ITEM, "acceptedLength": 7}]


async def test_a_part_of_the_rest_after_some_of_it_was_typed_is_too(pair):
    editor, behind = await pair()
    await _asked(editor)
    editor.change(2, (2, 5, 2, 5, " ="), uri="file:///p/a.py")
    (rest,) = await editor.request(2, 7, uri="file:///p/a.py")
    assert rest.insert_text == " f(1)"
    _tell(editor, DID_SHOW, rest)
    _tell(editor, DID_ACCEPT_PART, rest, acceptedLength=3)
    assert await _heard(behind, DID_ACCEPT_PART) == [{"item": ITEM, "acceptedLength": 10}]
    assert len(behind.sent("textDocument/inlineCompletion")) == 1


async def test_a_server_that_is_not_copilots_hears_only_of_what_lsp_has_words_for(pair):
    editor, behind = await pair({"initialize": {"result": {"capabilities": CAPABILITIES}}})
    item = await _asked(editor)
    _tell(editor, DID_SHOW, item)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(item.command.command, item.command.arguments)
    )
    assert await _heard(behind, "workspace/executeCommand")
    assert behind.sent(DID_SHOW) == []


async def test_a_command_of_its_own_editor_is_not_sent_to_the_server(pair):
    item = {**ITEM, "command": {"title": "", "command": "editor.action.trigger"}}
    editor, behind = await pair({"textDocument/inlineCompletion": {"result": [item]}})
    mine = await _asked(editor)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(mine.command.command, mine.command.arguments)
    )
    _tell(editor, DID_SHOW, mine)
    await _heard(behind, DID_SHOW)
    assert behind.sent("workspace/executeCommand") == []


async def test_a_server_that_fails_at_its_command_does_not_disturb_the_editor(pair):
    editor, _ = await pair({"workspace/executeCommand": {"error": {"code": 1, "message": "no"}}})
    item = await _asked(editor)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(item.command.command, item.command.arguments)
    )
    assert (await _asked(editor)).insert_text == " = f(1)"


@pytest.mark.parametrize(
    "params", [None, {}, {"item": 3}, {"item": {"command": None}}, {"item": {"command": {"arguments": [1, "unknown"]}}}]
)
async def test_what_cannot_be_understood_of_an_item_is_passed_over(pair, params):
    editor, behind = await pair()
    for method in (DID_SHOW, DID_ACCEPT_PART):
        editor.client.protocol.notify(method, params)
    _tell(editor, DID_SHOW, await _asked(editor))
    assert len(await _heard(behind, DID_SHOW)) == 1


async def test_the_server_is_told_the_editors_folders_and_which_document_it_looks_at(pair):
    editor, behind = await pair()
    await _asked(editor)
    (greeted,) = behind.sent("initialize")
    assert greeted["workspaceFolders"] == [{"uri": "file:///p", "name": "p"}]
    assert behind.sent("textDocument/didFocus") == [{"textDocument": {"uri": "file:///p/a.py"}}]


async def test_the_explanation_shows_the_request_and_keeps_the_ticket_to_itself(pair):
    editor, _ = await pair()
    await _asked(editor)
    told = await editor.explain(2, 5, "file:///p/a.py")
    assert told.prompt.startswith("textDocument/inlineCompletion\n{")
    assert '"version": 1' in told.prompt
    assert (told.raw, told.provider) == (" = f(1)", "lsp")
    assert not hasattr(told, "ticket")


async def test_providers_that_do_not_care_give_items_without_a_command(start):
    editor = await start({"provider": {"name": "fixed", "text": " = 1"}})
    editor.open(TEXT)
    (item,) = await editor.request(2, 5)
    assert item.command is None


def test_who_wants_to_hear_is_found_inside_what_stands_around_it(tmp_path):
    record = AnswerRecord(path=str(tmp_path / "answers.jsonl"), mode="write")
    settings = ProviderSettings(name="lsp", command=PlainServer(tmp_path).command, heal=True, record=record)
    around = make(settings)
    assert isinstance(around.inner, HealingProvider)
    assert feedback_provider(around) is around.inner.inner
    assert feedback_provider(HealingProvider(Fixed("x"))) is None
