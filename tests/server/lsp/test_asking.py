"""`ghosttape.ask`: another provider is asked at a place of a document, and nothing else changes."""

import asyncio
import json
from types import SimpleNamespace

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from replay.tapes.tape import Ghost, read
from tests.support.waiting import PATIENCE_S

FIXED = {"provider": {"name": "fixed", "text": "return 1"}}
ROOMY = {"context": {"snippets": 200, "opened": 200}}
OTHER = {"name": "fixed", "text": "```python\nreturn 2\n```"}
KEYS = ("GHOSTTAPE_API_KEY", "OPENAI_API_KEY")
TEXT = "def f():\n    "


async def order(editor, provider, line=1, character=4, uri="file:///a.py", *, msg_id=None, **more):
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    params = types.ExecuteCommandParams("ghosttape.ask", [{**place, "provider": provider, **more}])
    answer = await editor.client.protocol.send_request_async("workspace/executeCommand", params, msg_id)
    return json.loads(json.dumps(answer), object_hook=lambda members: SimpleNamespace(**members))


def stats(editor):
    return editor.client.protocol.send_request_async("ghosttape/stats", None)


def openai(model_server, **more):
    return {"name": "openai", "base_url": model_server.base_url, "model": "qwen2.5-coder", "api": "completions", **more}


async def opened(start, *words, **rest):
    editor = await start(*words, **rest)
    editor.open(TEXT)
    return editor


async def test_the_answer_of_another_provider_comes_raw_and_repaired_with_its_trail_and_latency(start):
    editor = await opened(start, FIXED)
    answer = await order(editor, OTHER)
    assert (answer.outcome, answer.raw, answer.repaired) == ("shown", OTHER["text"], "return 2")
    assert [(step.step, step.after) for step in answer.trail] == [("prose", "return 2")]
    assert answer.provider == "fixed"
    assert answer.latency > 0
    assert (answer.range.start.line, answer.range.start.character, answer.range.end.character) == (1, 4, 4)


async def test_settings_answers_and_counts_of_the_server_stay(start):
    editor = await opened(start, FIXED)
    assert (await editor.ask(1, 4))[0] == "return 1"
    before = await stats(editor)
    await order(editor, OTHER)
    assert (await editor.explain(1, 4)).raw == "return 1"
    after = await stats(editor)
    assert (after.asked, after.entries, after.explanations.entries) == (before.asked, before.entries, 1)
    editor.change(2, (1, 4, 1, 4, " "))
    assert (await editor.ask(1, 5))[0] == "return 1"


async def test_the_repairs_are_those_of_now(start):
    editor = await opened(start, {**FIXED, "repairs": []})
    answer = await order(editor, OTHER)
    assert (answer.repaired, answer.trail) == (OTHER["text"], [])


async def test_the_servers_own_provider_can_be_asked_and_its_cache_does_not_answer(start, model_server):
    editor = await opened(start, {"provider": openai(model_server)})
    await editor.ask(1, 4)
    asked = len(model_server.asked)
    answer = await order(editor, {})
    assert (answer.repaired, answer.cache) == ("return 1", "none")
    assert len(model_server.asked) == asked + 1
    editor.change(2, (1, 4, 1, 4, "r"))
    assert (await editor.ask(1, 5))[0]  # it was not closed


async def test_a_model_server_sees_what_a_completion_would_show_it(start, model_server):
    editor = await opened(start, {"provider": openai(model_server), **ROOMY})
    editor.open("def far_away_from_here():\n    return f()\n", "file:///b.py")
    await editor.ask(1, 4)
    _, sent, _ = model_server.asked[-1]
    await order(editor, openai(model_server, seed=0))
    assert model_server.asked[-1][1] == sent
    assert "far_away_from_here" in json.dumps(sent)


async def test_a_text_that_is_given_is_all_that_a_model_is_told(start, model_server):
    editor = await opened(start, {**FIXED, **ROOMY})
    editor.open("def far_away_from_here():\n    return g()\n", "file:///b.py")
    text = "def g():\n    \n\ndef h():\n    pass\n"
    given = {"text": text, "languageId": "python", "uri": "ghosttape-replay:/shop/cart.py?run"}
    answer = await order(editor, openai(model_server), **given)
    sent = json.dumps(model_server.asked[-1][1])
    assert answer.repaired == "return 1"
    assert "def g()" in sent
    assert "def h()" in sent
    assert "far_away_from_here" not in sent


async def test_a_text_that_is_given_counts_over_the_open_document(start):
    editor = await opened(start, FIXED)
    answer = await order(editor, OTHER, 0, 4, text="x = ", languageId="python")
    assert answer.outcome == "shown"
    assert (await editor.state()).sha256 != ""
    assert (await editor.ask(1, 4))[0] == "return 1"


async def test_what_stands_behind_the_cursor_is_not_said_twice_and_the_range_says_what_is_replaced(start):
    editor = await start(FIXED)
    editor.open("total = max()\n")
    answer = await order(editor, {"name": "fixed", "text": "a, b)"}, 0, 12)
    assert answer.repaired.startswith("a, b")
    assert answer.range.start.character == 12
    assert "total = max(" + answer.repaired + "total = max()"[answer.range.end.character :] == "total = max(a, b)"


@pytest.mark.parametrize("status", [401, 500])
async def test_a_provider_that_fails_is_told_in_words(start, model_server, status):
    model_server.statuses = [(status, {}, b'{"error": {"message": "no such luck"}}')] * 9
    editor = await opened(start, FIXED)
    answer = await order(editor, openai(model_server, tries=1))
    assert (answer.outcome, answer.repaired) == ("failed", "")
    assert str(status) in answer.reason
    assert "no such luck" in answer.reason
    assert editor.shown == []
    assert (await editor.ask(1, 4))[0] == "return 1"


async def test_a_server_that_is_not_there_and_a_model_that_is_missing_are_told_in_words(start):
    editor = await opened(start, FIXED)
    gone = await order(editor, {"name": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m", "tries": 1})
    missing = await order(editor, {"name": "gguf", "model": "/no/such/model.gguf"})
    assert (gone.outcome, missing.outcome) == ("failed", "failed")
    assert "127.0.0.1:9" in gone.reason
    assert "/no/such/model.gguf" in missing.reason
    assert editor.shown == []


@pytest.mark.parametrize(
    ("provider", "more", "code", "reason"),
    [
        ({"name": "opnai"}, {}, -32602, "did you mean 'openai'"),
        ({"txt": "x"}, {}, -32602, "unknown field `txt`"),
        ({"name": "oracle"}, {}, -32602, "only a replay knows"),
        ({"base_url": "http://me:secret@host/v1"}, {}, -32602, "base_url holds a password"),
        ("fixed", {}, -32602, "Expected `object`"),
        ({}, {"txet": ""}, -32602, "unknown field `txet`"),
        ({}, {"line": -1}, -32602, "`int` >= 0"),
        ({}, {"line": 99}, -32803, "99"),
        ({}, {"uri": "file:///never.py"}, -32803, "is not open"),
    ],
)
async def test_an_order_that_cannot_be_carried_out_is_refused_with_the_reason(start, provider, more, code, reason):
    editor = await opened(start, FIXED)
    with pytest.raises(JsonRpcException, match=reason) as refused:
        await order(editor, provider, **more)
    assert refused.value.code == code
    assert "secret" not in str(refused.value)


@pytest.fixture
def key(monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "tell-nobody")
    return "Bearer tell-nobody"


async def test_a_key_comes_from_the_environment(start, model_server, key):
    editor = await opened(start, FIXED)
    await order(editor, openai(model_server))
    assert model_server.asked[-1][2]["authorization"] == key


@pytest.mark.parametrize("provider", [{"use_key": False}, {"model": "other"}, {"use_key": True}])
async def test_a_server_that_only_the_folder_names_gets_no_key(start, model_server, key, provider):
    of_folder = openai(model_server, use_key=False)  # so the command line marks what ghosttape.toml says
    editor = await opened(start, {"provider": of_folder}, options=FIXED)
    answer = await order(editor, {"name": "openai", **provider})
    assert answer.repaired == "return 1"
    assert "authorization" not in model_server.asked[-1][2]


async def test_a_workspaces_server_gets_no_key_when_its_client_says_so(start, model_server, key):
    editor = await opened(start, FIXED)
    await order(editor, openai(model_server, use_key=False))
    assert "authorization" not in model_server.asked[-1][2]


async def test_no_answer_is_written_to_a_record(start, model_server, tmp_path):
    recorded = openai(model_server, record={"path": str(tmp_path / "answers.jsonl")})
    editor = await opened(start, {"provider": recorded})
    await order(editor, {})
    await order(editor, {"record": {"path": str(tmp_path / "more.jsonl"), "mode": "write"}})
    assert len(model_server.asked) == 2
    assert list(tmp_path.iterdir()) == []


async def test_nothing_of_it_is_on_a_tape(start, tmp_path):
    (tmp_path / "shop").mkdir()
    uri = (tmp_path / "shop" / "cart.py").as_uri()
    wish = {"record": {"folder": str(tmp_path / "tapes")}}
    editor = await start(FIXED, options=wish, root=(tmp_path / "shop").as_uri())
    editor.open(TEXT, uri)
    assert (await order(editor, OTHER, uri=uri)).repaired == "return 2"
    assert (await order(editor, OTHER, 0, 4, "ghosttape-replay:/x.py", text="y = ")).repaired
    assert (await editor.ask(1, 4, uri=uri))[0] == "return 1"
    await editor.client.shutdown_async(None)
    editor.said_goodbye = True
    (file,) = (tmp_path / "tapes").rglob("*.tape.jsonl")
    tape = read(file)
    assert [event.text for event in tape.events if isinstance(event, Ghost) and event.text] == ["return 1"]
    assert "return 2" not in file.read_text()
    assert "ghosttape-replay" not in file.read_text()


async def test_cancelling_it_ends_the_question_at_the_model_server(start, model_server):
    model_server.delay_s = 30.0
    editor = await opened(start, FIXED)
    asked = asyncio.ensure_future(order(editor, openai(model_server), msg_id="the-ask"))
    async with asyncio.timeout(PATIENCE_S):
        while not model_server.asked:
            await asyncio.sleep(0.02)
        editor.client.cancel_request(types.CancelParams("the-ask"))
        with pytest.raises((JsonRpcException, asyncio.CancelledError)):
            await asked
        await model_server.disconnected.wait()
    assert (await editor.ask(1, 4))[0] == "return 1"
