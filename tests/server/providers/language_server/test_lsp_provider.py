"""The provider `lsp` against a language server of the standard library alone: started, greeted, shown the documents, asked."""

from __future__ import annotations

import asyncio
import json
import os
import random

from server.documents import Document
from server.providers.language_server.plain_server import CAPABILITIES
from server.providers.protocol import summarize
from server.queries import Query
from server.service import Service
from server.settings import Settings
from tests.support.lsp_provider import COMPLETE, URI
from tests.support.waiting import until

# How it is greeted and asked


async def test_it_is_greeted_as_by_an_editor_that_counts_in_utf_16(bench):
    it = bench(options={"mode": 1})
    it.provider.set_folders(["file:///p", "file:///some%20where/q"])
    await it.provider.start()
    (told,) = it.fake.sent("initialize")
    assert told["capabilities"]["general"]["positionEncodings"] == ["utf-16"]
    assert told["capabilities"]["textDocument"]["inlineCompletion"]["dynamicRegistration"] is True
    assert told["workspaceFolders"] == [
        {"uri": "file:///p", "name": "p"},
        {"uri": "file:///some%20where/q", "name": "q"},
    ]
    assert (told["rootUri"], told["initializationOptions"]) == ("file:///p", {"mode": 1})
    assert told["processId"] == os.getpid()
    await it.ask()
    order = [message["method"] for message in it.fake.messages() if "method" in message]
    assert order == ["initialize", "initialized", "textDocument/didOpen", COMPLETE]


async def test_the_first_request_starts_it_and_the_next_ones_do_not(bench):
    it = bench()
    assert [await it.ask() for _ in range(3)] == [" = 1"] * 3
    assert len(it.fake.sent("initialize")) == 1


async def test_requests_that_come_while_it_starts_share_the_start(bench):
    it = bench({"initialize": {"delay_s": 0.2}})
    assert await asyncio.gather(*(it.ask() for _ in range(4))) == [" = 1"] * 4
    assert len(it.fake.sent("initialize")) == 1


async def test_one_that_is_cancelled_while_it_starts_does_not_stop_the_start(bench):
    it = bench({"initialize": {"delay_s": 0.3}})
    first = asyncio.create_task(it.ask())
    await until(lambda: it.fake.sent("initialize"))
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert await it.ask() == " = 1"
    assert len(it.fake.sent("initialize")) == 1


async def test_what_it_is_asked_is_what_a_person_sees_as_the_prompt(bench):
    it = bench()
    await it.ask()
    told = summarize(await it.pieces("x = 1\n😀x", stop="line"))
    (*_, asked) = it.fake.sent(COMPLETE)
    assert asked["position"] == {"line": 1, "character": 3}
    assert (asked["context"], asked["stop"]) == ({"triggerKind": 2}, "line")
    method, _, body = told.prompt.partition("\n")
    assert method == COMPLETE
    assert json.loads(body) == asked
    assert asked["textDocument"] == {"uri": URI, "version": 2}


async def test_a_sample_is_passed_on_to_who_knows_of_samples(bench):
    it = bench()
    await it.ask()
    await it.ask(sample=3)
    first, second = it.fake.sent(COMPLETE)
    assert "sample" not in first
    assert second["sample"] == 3


async def test_a_failure_still_tells_what_was_asked(bench):
    it = bench({COMPLETE: {"error": {"code": -32803, "message": "no model"}}})
    service = Service(it.provider, Settings())
    query = Query(URI, "python", "x", "\n", opened=(Document(URI, "python", 1, "x\n"),))
    suggestion = await service.complete(query)
    assert (suggestion.outcome, suggestion.provider) == ("failed", "lsp")
    assert "no model (error -32803)" in suggestion.reason
    assert URI in suggestion.prompt


async def test_what_a_range_covers_right_of_the_cursor_is_replaced(bench):
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 9}}
    it = bench({COMPLETE: {"result": [{"insertText": "x = f(1) + y", "range": where}]}})
    service = Service(it.provider, Settings())
    suggestion = await service.complete(Query(URI, "python", "x = ", "f() y\n"))
    assert (suggestion.text, suggestion.covered) == ("f(1) + y", 5)


# The documents


async def test_documents_are_mirrored_through_200_edits_of_every_kind(bench):
    it, luck = bench(), random.Random(4)
    bits = ["a", "\r\n", "\n", "\r", "😀", "é", "def f():\n    ", "\u2028", "日本", ""]
    texts = {f"file:///p/{name}.py": "x = 1\r\n😀\r\n" for name in "abc"}
    for number in range(200):
        uri = luck.choice([*texts])
        text = texts[uri]
        start, end = sorted(luck.choices(range(len(text) + 1), k=2))
        end = min(end, start + 6)
        texts[uri] = text[:start] + "".join(luck.choices(bits, k=luck.randrange(4))) + text[end:]
        shown = {other: texts[other] for other in texts if other == uri or luck.random() < 0.7}
        at = luck.randrange(len(texts[uri]) + 1)
        others = [Document(other, "python", number, text) for other, text in shown.items() if other != uri]
        await it.ask(texts[uri][:at], texts[uri][at:], others=others, uri=uri)
        if number % 10 == 9:
            assert await it.documents() == shown, number
    assert all("range" in each["contentChanges"][0] for each in it.fake.sent("textDocument/didChange"))


async def test_a_server_that_takes_only_whole_texts_gets_them(bench):
    can = {**CAPABILITIES, "textDocumentSync": 1}
    it = bench({"initialize": {"result": {"capabilities": can}}})
    await it.ask("x = 1\nx")
    await it.ask("y = 2\ny")
    assert await it.documents() == {URI: "y = 2\ny\n"}
    (changed,) = it.fake.sent("textDocument/didChange")
    assert changed["contentChanges"] == [{"text": "y = 2\ny\n"}]


async def test_halves_of_characters_come_through(bench):
    it = bench()
    await it.ask("x = '\ud83d'\nx")
    await it.ask("x = '\ud83d\ude00'\nx")
    assert await it.ask("y = '\udc00'\ny") == " = '\udc00'"


# What the server asks in its turn


async def test_its_own_requests_are_answered(bench):
    requests = {
        "workspace/configuration": {"items": [{"section": "a"}, {"section": "b"}]},
        "client/registerCapability": {"registrations": []},
        "window/workDoneProgress/create": {"token": 1},
        "window/showMessageRequest": {"type": 3, "message": "Well?", "actions": []},
        "workspace/workspaceFolders": None,
        "workspace/applyEdit": {"edit": {}},
        "workspace/semanticTokens/refresh": None,
        "made/up": {},
    }
    first = [{"id": f"s{n}", "method": method, "params": params} for n, (method, params) in enumerate(requests.items())]
    it = bench({COMPLETE: {"first": first}})
    it.provider.set_folders(["file:///p"])
    assert await it.ask() == " = 1"
    assert await it.ask() == " = 1"
    replies = {each["id"]: each for each in it.fake.messages() if "method" not in each and "answered" not in each}
    got = {method: replies[f"s{n}"] for n, method in enumerate(requests)}
    assert got["workspace/configuration"]["result"] == [None, None]
    assert got["workspace/workspaceFolders"]["result"] == [{"uri": "file:///p", "name": "p"}]
    assert got["workspace/applyEdit"]["result"]["applied"] is False
    assert got["made/up"]["error"]["code"] == -32601
    assert all("result" in reply for method, reply in got.items() if method != "made/up")


async def test_inline_completion_may_be_registered_later(bench):
    can = {"textDocumentSync": 2}
    later = {"registrations": [{"id": "1", "method": COMPLETE}]}
    plan = {
        "initialize": {"result": {"capabilities": can}},
        "initialized": {"first": [{"id": 9, "method": "client/registerCapability", "params": later}]},
    }
    assert await bench(plan).ask() == " = 1"
