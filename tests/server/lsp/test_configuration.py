"""Settings change while the server runs: what the client pushes, what the server asks for, and what cannot be used."""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.support.waiting import PATIENCE_S, until

FIXED = {"provider": {"name": "fixed", "text": "return 1"}}
ASKS = types.WorkspaceClientCapabilities(configuration=True)


def push(editor, settings):
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))


async def opened(start, *words, **rest):
    editor = await start(*words, **rest)
    editor.open("def f():\n    ")
    return editor


async def answer(editor):
    item = await editor.ask(1, 4)
    return item[0] if item else None


async def becomes(editor, text):
    async with asyncio.timeout(PATIENCE_S):
        while await answer(editor) != text:
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("form", [lambda members: {"ghosttape": members, "python": {"x": 1}}, lambda members: members])
async def test_a_pushed_provider_answers_the_next_request(start, form):
    editor = await opened(start, FIXED)
    assert await answer(editor) == "return 1"
    push(editor, form({"provider": {"name": "fixed", "model": "second", "text": "return 2"}}))
    told = await editor.client.protocol.send_request_async("ghosttape/provider", None)
    assert (told.name, told.model) == ("fixed", "second")
    await becomes(editor, "return 2")
    assert editor.shown == []
    assert (await editor.explain(1, 4)).raw == "return 2"


async def test_settings_that_only_say_that_they_changed_are_asked_for(start):
    editor = await opened(start, FIXED, workspace=ASKS)
    asked = []

    @editor.client.feature(types.WORKSPACE_CONFIGURATION)
    def tell(params):
        asked.append([item.section for item in params.items])
        return [{"provider": {"name": "fixed", "text": "return 3"}}]

    push(editor, None)
    await becomes(editor, "return 3")
    assert asked == [["ghosttape"]]


async def test_a_client_that_does_not_tell_its_settings_keeps_them(start):
    editor = await opened(start, FIXED, workspace=ASKS)
    push(editor, None)
    push(editor, {"ghosttape": {"repairs": []}})
    assert await answer(editor) == "return 1"
    assert editor.shown == []


async def test_a_client_that_has_no_settings_to_ask_for_is_not_asked(start):
    editor = await opened(start, FIXED)
    push(editor, None)
    push(editor, {"python": {"x": 1}})
    assert await answer(editor) == "return 1"
    assert editor.shown == []


async def test_repairs_and_cache_change_without_a_new_provider(start):
    editor = await opened(start, {"provider": {"name": "fixed", "text": "```python\nreturn 1\n```"}, "repairs": []})
    assert await answer(editor) == "```python\nreturn 1\n```"
    push(editor, {"ghosttape": {"repairs": ["prose"]}})
    await becomes(editor, "return 1")
    push(editor, {"ghosttape": {"repairs": ["prose"], "cache": {"entries": 0}}})
    async with asyncio.timeout(PATIENCE_S):
        while (await editor.client.protocol.send_request_async("ghosttape/stats", None)).entries:
            await asyncio.sleep(0.02)


async def test_settings_lie_over_those_of_the_start_and_not_over_the_last_ones(start):
    editor = await opened(start, FIXED, options={"repairs": [], "provider": {"text": "```\nreturn 4\n```"}})
    assert await answer(editor) == "```\nreturn 4\n```"
    push(editor, {"ghosttape": {"provider": {"text": "```\nreturn 5\n```"}, "repairs": ["prose"]}})
    await becomes(editor, "return 5")
    push(editor, {"ghosttape": {"provider": {"text": "```\nreturn 6\n```"}}})
    await becomes(editor, "```\nreturn 6\n```")
    push(editor, {"ghosttape": None})
    await becomes(editor, "```\nreturn 4\n```")


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"provider": {"name": "opnai"}}, "did you mean 'openai'"),
        ({"provider": {"name": "recorded"}}, "answers"),
        ({"provider": {"name": "gguf", "model": "/no/such/model.gguf"}}, "/no/such/model.gguf"),
        ({"provider": {"name": "oracle"}}, "only a replay knows"),
        ({"provider": {"txt": "x"}}, "unknown field `txt`"),
        ({"provider": {"timeout_s": -1}}, "timeout_s"),
        ({"repairs": ["porse"]}, "did you mean 'prose'"),
        ({"provdier": {"name": "fixed"}}, "did you mean 'provider'"),
        ("yes", "must be a JSON object"),
    ],
)
async def test_settings_that_cannot_be_used_are_shown_and_the_old_ones_stay(start, members, reason):
    editor = await opened(start, FIXED)
    assert await answer(editor) == "return 1"
    push(editor, {"ghosttape": members})
    await until(lambda: editor.shown)
    (message,) = editor.shown
    assert message.startswith("ghosttape keeps its settings")
    assert reason in message
    told = await editor.client.protocol.send_request_async("ghosttape/provider", None)
    assert (told.name, told.model) == ("fixed", "")
    editor.change(2, (1, 4, 1, 4, " "))
    assert (await editor.ask(1, 5))[0] == "return 1"


async def test_members_of_the_clients_own_are_passed_over_and_cannot_start_a_recording(start, tmp_path):
    editor = await opened(start, FIXED)
    push(
        editor,
        {"ghosttape": {"policy": "vscode", "debounce": 75, "record": {"folder": str(tmp_path / "x")}, "repairs": []}},
    )
    editor.change(2, (1, 4, 1, 4, " "))
    assert (await editor.ask(1, 5))[0] == "return 1"
    assert editor.shown == []
    assert not (tmp_path / "x").exists()


async def test_a_server_that_could_not_start_its_provider_answers_after_a_change(start):
    editor = await opened(start, {"provider": {"name": "gguf", "model": "/no/such/model.gguf"}})
    await until(lambda: editor.shown)
    push(editor, {"ghosttape": FIXED})
    async with asyncio.timeout(PATIENCE_S):
        while await _or_error(editor) != "return 1":
            await asyncio.sleep(0.05)


async def _or_error(editor):
    try:
        return await answer(editor)
    except JsonRpcException as error:
        return str(error)


async def test_a_request_under_way_is_answered_by_the_provider_that_was_asked(start, model_server):
    model_server.delay_s, model_server.pieces = 0.3, ["return", " 7"]
    slow = {"provider": {"name": "openai", "base_url": model_server.base_url, "model": "m", "api": "completions"}}
    editor = await opened(start, slow)
    asked = asyncio.ensure_future(editor.request(1, 4))
    await until(lambda: model_server.asked)
    push(editor, {"ghosttape": FIXED})
    assert (await asked)[0].insert_text == "return 7"
    await becomes(editor, "return 1")


async def test_many_changes_in_a_row_end_with_the_last(start):
    editor = await opened(start, FIXED)
    for number in range(20):
        push(editor, {"ghosttape": {"provider": {"text": f"return {number}"}}})
    await becomes(editor, "return 19")
    assert editor.shown == []
