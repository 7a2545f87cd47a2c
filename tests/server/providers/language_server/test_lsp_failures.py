"""What the provider `lsp` does where its language server refuses, dies, is silent or talks nonsense, and how it leaves."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import psutil
import pytest
from msgspec import convert

from server import api_keys
from server.errors import ProviderError, ProviderRefused
from server.providers import registry
from server.providers.language_server.fake_server import PlainServer
from server.providers.language_server.handshake import error_text
from server.providers.language_server.plain_server import CAPABILITIES
from server.queries import Query
from server.service import Service
from server.settings import ProviderSettings, Settings
from server.wire.server_process import RequestRejected
from tests.support.lsp_provider import COMPLETE, URI
from tests.support.waiting import until


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
    await until(lambda: it.provider._starting.result().is_dead)
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


@pytest.mark.parametrize(
    ("settings", "given"),
    [
        ({}, set()),
        ({"pass_keys": ["OPENAI_API_KEY"]}, {"OPENAI_API_KEY"}),
        ({"pass_keys": ["OPENAI_API_KEY"], "use_key": False}, set()),
    ],
)
async def test_its_process_has_the_environment_but_only_those_keys_that_are_named(
    monkeypatch, settings, given, tmp_path
):
    for name in api_keys.VARIABLES:
        monkeypatch.setenv(name, f"key of {name}")
    monkeypatch.setenv("SOME_WORD", "w")
    told = tmp_path / "environment"
    program = f"import os, pathlib; pathlib.Path({str(told)!r}).write_text(chr(10).join(os.environ))"
    provider = registry.make(
        convert({"name": "lsp", "command": [sys.executable, "-c", program], **settings}, ProviderSettings)
    )
    with pytest.raises(ProviderError):
        await provider.start()
    names = set(told.read_text().splitlines())
    assert names & {*api_keys.VARIABLES} == given
    assert "SOME_WORD" in names


def test_a_key_that_there_is_not_is_not_passed_on():
    with pytest.raises(
        ValueError, match="pass_keys has 'OPENAI_KEY', and must name some of GHOSTTAPE_API_KEY, OPENAI_API_KEY"
    ):
        ProviderSettings(name="lsp", command="server", pass_keys=("OPENAI_KEY",))


@pytest.mark.parametrize("told", ["Not authenticated: NotSignedIn", "You are not signed in", "Unauthorized"])
async def test_who_is_not_signed_in_is_told_what_to_do(bench, told):
    it = bench({COMPLETE: {"error": {"code": 1000, "message": told}}})
    with pytest.raises(ProviderRefused, match=f"{told}: sign in first") as refused:
        await it.ask()
    assert "error 1000" in str(refused.value)
    assert await it.documents() == {URI: "x = 1\nx\n"}, "it runs on"


async def test_what_it_complained_of_explains_its_silence(bench, skipping_time):
    said = {"method": "window/showMessage", "params": {"type": 1, "message": "the model is still loading"}}
    it = bench({COMPLETE: {"first": [said], "silent": True}}, timeout_s=30)
    await it.provider.start()
    asked = asyncio.ensure_future(it.ask())
    await until(lambda: it.provider._starting.result().connection.error_messages)
    await skipping_time.skip(31)
    with pytest.raises(ProviderError, match="within 30 s; it said: the model is still loading"):
        await asked
    await until(lambda: it.fake.sent("$/cancelRequest"))


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
    await until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


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
