"""The provider `lsp` against a language server of the standard library alone: started, greeted, shown the documents, asked."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from contextlib import aclosing

import psutil
import pytest

from server.context import Context
from server.documents import Document
from server.errors import ProviderError, ProviderRefused
from server.prompt import Prompt
from server.providers import registry
from server.providers.language_server.fake import PlainServer
from server.providers.language_server.handshake import error_text
from server.providers.language_server.plain import CAPABILITIES
from server.providers.language_server.process import RequestRejected
from server.providers.protocol import Request, summarize
from server.queries import Query
from server.service import Service
from server.settings import ProviderSettings, Settings

COMPLETE = "textDocument/inlineCompletion"
URI = "file:///p/a.py"


class Bench:
    """The provider and the server that it talks to."""

    def __init__(self, folder, plan, **settings):
        self.fake = PlainServer(folder)
        self.fake.plan(plan)
        chosen = {"command": self.fake.command, "connect_s": 20.0, **settings}
        self.provider = registry.make(ProviderSettings(name="lsp", **chosen))

    async def pieces(self, before="x = 1\nx", after="\n", others=(), uri=URI, **more):
        opened = (*others, Document(uri, "python", 1, before + after))
        context = Context("a.py", "python", before, after)
        fields = {"stop": "auto", "uri": uri, "language": "python", "opened": opened, **more}
        asked = Request(before, after, context=context, prompt=Prompt(), **fields)
        async with aclosing(self.provider.complete(asked)) as stream:
            return [piece async for piece in stream]

    async def ask(self, *texts, **asked):
        return "".join(await self.pieces(*texts, **asked))

    async def documents(self):
        session = await self.provider._ready()
        return await session.connection.request("plain/documents", {}).result(30)

    @property
    def process(self):
        return self.provider._starting.result().connection.process


@pytest.fixture
async def bench(tmp_path):
    opened = []

    def open_(plan=None, **settings):
        opened.append(Bench(tmp_path, plan or {}, **settings))
        return opened[-1]

    yield open_
    for each in opened:
        await asyncio.wait_for(each.provider.close(), 30)


async def _until(condition, seconds=30.0):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        await asyncio.sleep(0.01)


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
    await _until(lambda: it.fake.sent("initialize"))
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


# What goes wrong


async def test_a_server_without_inline_completion_is_told_from_one_that_has_nothing_to_offer(bench):
    it = bench({"initialize": {"result": {"capabilities": {"hoverProvider": True}}}}, connect_s=0.1)
    with pytest.raises(ProviderRefused, match="does not offer textDocument/inlineCompletion"):
        await it.ask()


async def test_a_server_that_counts_otherwise_is_refused(bench):
    it = bench({"initialize": {"result": {"capabilities": {**CAPABILITIES, "positionEncoding": "utf-8"}}}})
    with pytest.raises(ProviderRefused, match="counts positions in utf-8"):
        await it.ask()


async def test_a_server_that_never_answers_initialize_is_given_up(bench):
    it = bench({"initialize": {"silent": True}}, start_s=0.5)
    with pytest.raises(ProviderError, match=r"no answer to initialize within 0\.5 s"):
        await it.ask()


async def test_a_server_that_refuses_to_start_says_why(bench):
    it = bench({"initialize": {"error": {"code": -32002, "message": "editorInfo not set"}}})
    with pytest.raises(ProviderRefused, match="editorInfo not set"):
        await it.ask()


async def test_a_server_that_ends_at_once_is_started_once_more_and_then_no_more(bench):
    it = bench({"initialize": {"stderr": "Cannot find module 'x'\n", "die": 7}})
    for _ in range(2):
        with pytest.raises(ProviderError, match="ended with status 7; its last output: Cannot find module 'x'"):
            await it.ask()
    with pytest.raises(ProviderError, match=r"2 times without an answer, and is not started again: .*module 'x'"):
        await it.ask()
    assert len(it.fake.sent("initialize")) == 2


async def test_a_server_that_dies_over_a_question_fails_it_and_is_started_again_for_the_next(bench):
    it = bench({COMPLETE: [{}, {"die": 3, "stderr": "panic: sk-secret\n"}]})
    assert await it.ask() == " = 1"
    with pytest.raises(ProviderError, match="ended with status 3; its last output: panic"):
        await it.ask()
    it.fake.plan({})
    assert await it.ask("y = 2\ny") == " = 2"
    assert await it.documents() == {URI: "y = 2\ny\n"}
    assert len(it.fake.sent("initialize")) == 2


async def test_a_server_that_is_killed_between_two_questions_is_started_again(bench):
    it = bench()
    await it.ask()
    os.kill(it.process.pid, signal.SIGKILL)
    await _until(lambda: it.provider._starting.result().is_dead)
    assert await it.ask() == " = 1"


async def test_a_key_in_its_last_words_is_told_to_nobody(bench, monkeypatch):
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "tell-nobody")
    it = bench({COMPLETE: {"die": 3, "stderr": "your key tell-nobody is wrong\n"}})
    suggestion = await Service(it.provider, Settings()).complete(Query(URI, "python", "x", "\n"))
    assert "your key … is wrong" in suggestion.reason


KEY = "sk-MARKED-0123456789-ABCDEFGH"
HALF = KEY[:12]


@pytest.mark.parametrize("size", [*range(960, 1010, 6)])
async def test_a_key_across_the_cut_of_an_error_is_told_to_nobody(bench, monkeypatch, size):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    error = RequestRejected("server", 1, "x" * size + KEY + "y" * 50)
    assert HALF not in str(error)
    assert len(str(error)) <= 1000


async def test_a_key_across_the_cut_of_its_last_words_is_told_to_nobody(bench, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for size in (940, 2000 - len(KEY) // 2, 4000 - len(KEY) // 2, 70_000):
        lines = ["x" * size + KEY + "y" * 20, KEY + "z" * size, "w" * size]
        it = bench({COMPLETE: {"die": 3, "stderr": "\n".join(lines) + "\n"}})
        with pytest.raises(ProviderError, match="its last output") as failed:
            await it.ask()
        lines = "".join(it.provider._starting.result().connection._errors)
        assert not any(part in str(failed.value) + lines for part in (HALF, KEY[-12:]))


def test_a_key_across_the_cut_of_a_complaint_is_told_to_nobody(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for size in range(270, 300, 5):
        told = error_text("window/showMessage", {"type": 1, "message": "x" * size + KEY})
        assert HALF not in told
        assert len(told) <= 300


async def test_it_has_the_environment_but_for_the_keys_it_must_not_have(bench, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("SOME_WORD", "w")
    assert _environment(registry.make(ProviderSettings(name="lsp", command=sys.executable))) == ("k", "w")
    alone = ProviderSettings(name="lsp", command=sys.executable, use_key=False)
    assert _environment(registry.make(alone)) == (None, "w")


def _environment(provider):
    env = provider._launch().env
    return env.get("OPENAI_API_KEY"), env.get("SOME_WORD")


@pytest.mark.parametrize("told", ["Not authenticated: NotSignedIn", "You are not signed in", "Unauthorized"])
async def test_who_is_not_signed_in_is_told_what_to_do(bench, told):
    it = bench({COMPLETE: {"error": {"code": 1000, "message": told}}})
    with pytest.raises(ProviderRefused, match=f"{told}: sign in first") as refused:
        await it.ask()
    assert "error 1000" in str(refused.value)
    assert await it.documents() == {URI: "x = 1\nx\n"}, "it runs on"


async def test_what_it_complained_of_explains_its_silence(bench):
    said = {"method": "window/showMessage", "params": {"type": 1, "message": "the model is still loading"}}
    it = bench({COMPLETE: {"first": [said], "silent": True}}, timeout_s=0.3)
    await it.provider.start()
    with pytest.raises(ProviderError, match=r"within 0\.3 s; it said: the model is still loading"):
        await it.ask()
    await _until(lambda: it.fake.sent("$/cancelRequest"))


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"result": "text"}, "not a list of items"),
        ({"result": [{"insertText": 3}]}, "an item has no text"),
        ({"error": "what?"}, "what?"),
        ({"silent": True, "raw": "Content-Length: 5\r\n\r\n{not}"}, "not JSON"),
        ({"silent": True, "raw": 'Content-Length: 13\r\n\r\n{"id": "abc"}'}, "not JSON-RPC"),
    ],
)
async def test_a_malformed_answer_is_a_failure_and_the_next_one_is_heard(bench, step, reason):
    it = bench({COMPLETE: [{}, step, {}]})
    await it.ask()
    with pytest.raises(ProviderError, match=reason):
        await it.ask()
    assert await it.ask() == " = 1"


async def test_what_it_prints_between_its_messages_is_passed_over(bench):
    it = bench({COMPLETE: {"raw": "DEBUG: asked\n"}})
    assert [await it.ask() for _ in range(3)] == [" = 1"] * 3


async def test_answers_that_nobody_asked_for_are_passed_over(bench):
    odd = [{"id": 999, "result": 1}, {"id": "x", "result": 1}, {"id": None, "error": {"code": 1, "message": "?"}}]
    assert await bench({COMPLETE: {"first": odd}}).ask() == " = 1"


async def test_a_process_that_it_leaves_behind_goes_with_it(bench, tmp_path):
    script = tmp_path / "parent.py"
    words = ", ".join(map(repr, PlainServer(tmp_path).command))
    script.write_text(f"import subprocess, sys\nsys.exit(subprocess.run([{words}]).returncode)\n", encoding="utf-8")
    it = bench(command=(sys.executable, str(script)))
    assert await it.ask() == " = 1"
    (child,) = psutil.Process(it.process.pid).children()
    os.kill(it.process.pid, signal.SIGKILL)
    await _until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


async def test_closing_says_goodbye_and_leaves_no_process(bench):
    it = bench()
    await it.ask()
    process = it.process
    await it.provider.close()
    assert process.returncode == 0
    assert [message["method"] for message in it.fake.messages() if "method" in message][-1] == "exit"


async def test_one_that_does_not_go_is_ended(bench):
    it = bench({"shutdown": {"silent": True}})
    await it.ask()
    process = it.process
    await it.provider.close()
    assert process.returncode is not None
