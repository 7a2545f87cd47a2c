"""The server as an editor meets it."""

from __future__ import annotations

import asyncio
import hashlib
import json

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from server.providers.recorded import answer_key

FIXED = {"provider": {"name": "fixed", "text": "return 1"}}


async def test_a_suggestion_is_offered_at_the_cursor(start):
    editor = await start(FIXED)
    editor.open("def f():\n    ")
    assert await editor.ask(1, 4) == ("return 1", 4)


async def test_nothing_to_offer_is_an_empty_list(start):
    editor = await start({"provider": {"name": "fixed", "text": ""}})
    editor.open("def f():\n    ")
    assert await editor.request(1, 4) == []
    assert (await editor.explain(1, 4)).outcome == "empty"


async def test_closers_right_of_the_cursor_are_in_the_range(start):
    editor = await start({"provider": {"name": "fixed", "text": "1, 2))"}})
    editor.open("print(max())\n")
    assert await editor.ask(0, 10) == ("1, 2))", 12)


async def test_what_stands_there_already_is_nothing_to_offer(start):
    editor = await start({"provider": {"name": "fixed", "text": ")"}})
    editor.open("print(x)\n")
    assert await editor.request(0, 7) == []


async def test_positions_are_utf_16_if_the_client_prefers_it(start):
    editor = await start(FIXED, encodings=("utf-16", "utf-8"))
    editor.open("x = '\U0001f600'; y = \n")
    editor.change(2, (0, 5, 0, 7, "ab\U0001f47bc"))
    editor.change(3, (0, 7, 0, 9, ""), (0, 8, 0, 8, "d"))
    state = await editor.state()
    assert state.sha256 == hashlib.sha256(b"x = 'abcd'; y = \n").hexdigest()
    assert state.version == 3


async def test_form_feeds_and_line_separators_are_no_line_ends(start):
    editor = await start(FIXED)
    editor.open("a = 1\x0c2\u2028\x0b3\r\nb = 2\rc = 3\n")
    editor.change(2, (1, 0, 1, 1, "bb"), (2, 0, 2, 0, "d = 4\r\n"), (0, 10, 0, 10, "!"))
    text = "a = 1\x0c2\u2028\x0b3!\r\nbb = 2\rd = 4\r\nc = 3\n"
    assert (await editor.state()).sha256 == hashlib.sha256(text.encode()).hexdigest()


async def test_a_suggestion_gets_the_documents_line_ends(start):
    editor = await start({"provider": {"name": "fixed", "text": "if x:\n        return 1"}})
    editor.open("def f(x):\r\n    \r\n")
    assert await editor.ask(1, 4) == ("if x:\r\n        return 1", 4)


@pytest.mark.parametrize("text", ["x = 1\n", "x = 1\r\ny\r", "x = 1"])
async def test_a_position_past_the_end_of_a_line_is_its_end(start, text):
    editor = await start({"provider": {"name": "fixed", "text": "foo(a)"}})
    editor.open(text)
    (item,) = await editor.request(0, 50)
    assert (item.range.start.character, item.range.end.character) == (5, 5)
    told = [await editor.explain(0, character) for character in (5, 50)]
    assert [each and each.raw for each in told] == ["foo(a)"] * 2


async def test_a_document_that_is_not_open_is_a_request_failed(start):
    editor = await start(FIXED)
    with pytest.raises(JsonRpcException, match="not open") as failure:
        await editor.request(0, 0, uri="file:///b.py")
    assert failure.value.code == -32803


async def test_a_line_that_is_not_there_is_a_request_failed(start):
    editor = await start(FIXED)
    editor.open("x\n")
    with pytest.raises(JsonRpcException, match="line 7 is outside a document of 2 lines") as failure:
        await editor.request(7, 0)
    assert failure.value.code == -32803


async def test_a_closed_document_is_forgotten(start):
    from lsprotocol import types

    editor = await start(FIXED)
    editor.open("def f():\n    ")
    editor.client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///a.py"))
    )
    with pytest.raises(JsonRpcException, match="not open"):
        await editor.request(1, 4)


async def test_a_provider_that_cannot_be_made_fails_the_request_with_its_reason(start):
    editor = await start({"provider": {"name": "gguf", "model": "nowhere.gguf"}})
    editor.open("def f():\n    ")
    with pytest.raises(JsonRpcException, match=r"there is no file .*nowhere\.gguf") as failure:
        await editor.request(1, 4)
    assert failure.value.code == -32803
    told = await editor.explain(1, 4)
    assert (told.outcome, told.provider) == ("failed", "gguf")
    assert "nowhere.gguf" in told.reason


async def test_a_wrong_configuration_is_shown_to_the_person_once_and_counted(start):
    editor = await start({"provider": {"name": "gguf", "model": "nowhere.gguf"}})
    editor.open("def f():\n    ")
    for line in (0, 1):
        with pytest.raises(JsonRpcException, match=r"nowhere\.gguf"):
            await editor.request(line, 0)
    (shown,) = editor.shown
    assert shown.startswith("ghosttape: ")
    assert "nowhere.gguf" in shown
    stats = await editor.client.protocol.send_request_async("ghosttape/stats", None)
    assert (stats.asked, stats.outcomes.failed, stats.cache.none, stats.underway) == (2, 2, 2, 0)


async def test_a_failure_that_is_none_of_the_configuration_is_not_shown(start, model_server):
    model_server.statuses = [(400, {}, b"no")]
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    editor.open("def f():\n    ")
    with pytest.raises(JsonRpcException, match="400"):
        await editor.request(1, 4)
    assert editor.shown == []


async def test_what_a_provider_lacks_when_it_is_asked_is_shown_too(start, tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.touch()
    editor = await start({"provider": {"name": "recorded", "answers": str(answers), "required": True}})
    editor.open("\n" * 9)
    for line in range(9):
        with pytest.raises(JsonRpcException, match="holds no answer"):
            await editor.request(line, 0)
    assert len(editor.shown) == 3  # the reasons differ, and nobody wants hundreds of them


async def test_unknown_settings_are_refused_by_name(start):
    with pytest.raises(JsonRpcException, match="unknown field `colour`"):
        await start(FIXED, options={"provider": {"colour": "red"}})


async def test_initialization_options_are_laid_over_the_settings(start):
    editor = await start(FIXED, options={"provider": {"text": "return 2"}})
    editor.open("def f():\n    ")
    assert await editor.ask(1, 4) == ("return 2", 4)


async def test_an_unknown_stop_hint_is_refused(start):
    editor = await start(FIXED)
    editor.open("def f():\n    ")
    assert await editor.ask(1, 4, "line") == ("return 1", 4)
    editor.change(2, (1, 4, 1, 4, "x = "))
    assert await editor.ask(1, 8, "statement") == ("return 1", 8)


async def test_what_came_of_a_suggestion_is_explained(start):
    editor = await start({"provider": {"name": "fixed", "text": "```python\nreturn 1\n```"}})
    editor.open("def f():\n    ")
    await editor.ask(1, 4)
    told = await editor.explain(1, 4)
    assert (told.outcome, told.raw, told.repaired) == ("shown", "```python\nreturn 1\n```", "return 1")
    assert [(step.step, step.after) for step in told.trail] == [("prose", "return 1")]


async def test_a_suggestion_that_a_repair_emptied_is_explained_as_filtered(start):
    editor = await start({"provider": {"name": "fixed", "text": "Sure, here is the code that you want:\n"}})
    editor.open("def f():\n    ")
    assert await editor.ask(1, 4) is None
    told = await editor.explain(1, 4)
    assert (told.outcome, told.step) == ("filtered", "prose")


async def test_repairs_can_be_switched_off(start):
    editor = await start(FIXED | {"repairs": []} | {"provider": {"name": "fixed", "text": "```\nx"}})
    editor.open("def f():\n    ")
    assert await editor.ask(1, 4) == ("```\nx", 4)


async def test_a_suggestion_is_used_again_while_it_is_typed(start):
    editor = await start({"provider": {"name": "fixed", "text": "return total / 2"}})
    editor.open("def f():\n    ")
    await editor.ask(1, 4)
    editor.change(2, (1, 4, 1, 4, "return to"))
    assert await editor.ask(1, 13) == ("tal / 2", 13)
    assert (await editor.explain(1, 13)).cache == "typed"
    editor.change(3, (1, 4, 1, 13, ""))
    assert await editor.ask(1, 4) == ("return total / 2", 4)
    assert (await editor.explain(1, 4)).cache == "prefix"


async def test_recorded_answers_are_found_by_the_whole_text_and_the_hint(start, tmp_path):
    before, after = "def f():\r\n    ", "\r\n# \U0001f600\r\n"
    answers = tmp_path / "answers.jsonl"
    row = {"key": answer_key(before, after, "block"), "text": "return 2"}
    answers.write_text(json.dumps(row) + "\n", encoding="utf-8")
    editor = await start({"provider": {"name": "oracle", "answers": str(answers)}})
    editor.open(before + after)
    assert await editor.ask(1, 4, "block") == ("return 2", 4)
    assert await editor.ask(1, 4, "line") is None


async def test_a_request_sees_the_text_as_it_was_when_it_came(start):
    editor = await start(FIXED)
    editor.open("def f():\n    ")
    asked = asyncio.ensure_future(editor.request(1, 4))
    await asyncio.sleep(0)
    editor.change(2, (0, 0, 1, 4, ""))
    assert [item.insert_text for item in await asked] == ["return 1"]


async def test_evidence_is_shown_as_it_was_when_the_request_arrived(start, model_server):
    provider = {"name": "openai", "base_url": model_server.base_url, "model": "qwen2.5-coder", "api": "completions"}
    editor = await start({"provider": provider, "context": {"snippets": 100}})
    editor.open("def helper():\n    return beta\n", "file:///evidence.py")
    editor.open("def other():\n    return alpha\n", "file:///b.py")
    editor.open("alpha = \n")
    asked = asyncio.create_task(editor.request(0, 8, evidence=("file:///evidence.py", "file:///unknown.py")))
    await asyncio.sleep(0)  # the request is written
    editor.client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///evidence.py"))
    )
    await asked
    prompt = (await editor.explain(0, 8)).prompt
    assert "return beta" in prompt
    assert "return alpha" not in prompt
