"""An editor that waits for answers: how long, and what it hears before they are whole."""

import asyncio
import json
from dataclasses import replace

from tests.support.editor_session import COMPLETE, ask_at
from tests.support.waiting import PATIENCE_S

# Giving up


async def test_a_request_whose_patience_is_over_is_cancelled_at_the_server(session):
    editor = await session.start({COMPLETE: {"hold": True}})
    got = await asyncio.wait_for(editor.ask(replace(ask_at("x"), patience=200.0)), PATIENCE_S)
    assert got.given_up
    assert got.measured >= 200.0
    numbers = [json.loads(line)["id"] for line in session.log.read_text().splitlines() if COMPLETE in line]
    assert [params["id"] for params in session.sent("$/cancelRequest")] == numbers


async def test_an_answer_within_the_patience_is_taken_and_nothing_is_cancelled(session):
    editor = await session.start({COMPLETE: {"result": [{"insertText": "1"}]}})
    got = await editor.ask(replace(ask_at("x"), patience=1000.0 * PATIENCE_S))
    assert (got.text, got.given_up) == ("1", False)
    assert session.sent("$/cancelRequest") == []


async def test_a_request_without_hope_is_cancelled_when_our_server_says_that_it_is_under_way(session):
    editor = await session.start({COMPLETE: {"hold": True, "under way": True}})
    hopeless = replace(ask_at("x"), patience=10_000.0 * PATIENCE_S, will_cancel=True)
    got = await asyncio.wait_for(editor.ask(hopeless), PATIENCE_S)
    assert got.given_up
    assert len(session.sent("$/cancelRequest")) == 1


async def test_a_request_by_hand_says_so(session):
    editor = await session.start({COMPLETE: {"result": []}})
    await editor.ask(ask_at("x", trigger="invoked"))
    await editor.ask(ask_at("x"))
    assert [params["context"]["triggerKind"] for params in session.sent(COMPLETE)] == [1, 2]


# Answers on their way


OURS = {"result": {"capabilities": {"inlineCompletionProvider": True}, "serverInfo": {"name": "ghosttape"}}}


async def test_an_answer_is_told_while_it_comes_to_those_who_want_that(session):
    editor = await session.start(
        {COMPLETE: {"result": [{"insertText": "12"}], "streamed": ["1", "12"]}, "initialize": OURS}
    )
    told, ask = [], ask_at("x = ")
    editor.watch_streams(lambda moment, text: told.append((moment, text)))
    assert (await editor.ask(ask)).text == "12"
    assert told == [(ask.moment.id, "1"), (ask.moment.id, "12")]


async def test_another_server_is_not_asked_to_tell_an_answer_while_it_comes(session):
    editor = await session.start({COMPLETE: {"result": [{"insertText": "12"}]}})
    editor.watch_streams(lambda *_: None)
    await editor.ask(ask_at("x = "))
    assert "streams" not in session.sent(COMPLETE)[0]
