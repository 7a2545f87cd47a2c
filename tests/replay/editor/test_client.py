"""The editor's end against a server that is not ours: a process over stdio that speaks LSP with the standard library."""

import asyncio
import json

import pytest

from replay.editor import client
from replay.errors import ServerError
from replay.play.player_instructions import DidClose, DidOpen, DidSave, VerifyCheckpoint
from replay.tapes.tape import digest
from server.wire import server_process
from tests.support.editor_session import COMPLETE, Session, answer, ask_at, within
from tests.support.waiting import PATIENCE_S, until

# What servers answer


async def test_a_plain_list_of_items_is_an_answer_at_the_cursor(session):
    got = await answer(session, [{"insertText": "1"}, {"insertText": "2"}])
    assert (got.text, got.start, got.end, got.failed) == ("1", 4, 4, "")
    assert got.measured > 0


async def test_a_list_object_with_items_is_an_answer_too(session):
    assert (await answer(session, {"items": [{"insertText": "1"}]})).text == "1"


@pytest.mark.parametrize("nothing", [None, [], {"items": []}])
async def test_no_items_are_no_text_and_no_failure(session, nothing):
    got = await answer(session, nothing)
    assert (got.text, got.failed, got.filtered) == ("", "", "")


async def test_the_text_of_a_string_value_is_its_value(session):
    got = await answer(session, [{"insertText": {"kind": "snippet", "value": "f($1)"}}])
    assert got.text == "f($1)"


async def test_a_range_becomes_utf16_offsets_of_the_document(session):
    got = await answer(session, [{"insertText": "y)", "range": within(1, 1, 4)}], "'😀'\r\nf(x", ")\r\n")
    assert (got.text, got.start, got.end) == ("y)", 7, 10)


async def test_a_range_that_ends_below_the_last_line_ends_with_the_document(session):
    got = await answer(session, [{"insertText": "2", "range": {**within(0, 0, 1), "end": {"line": 9, "character": 0}}}])
    assert (got.text, got.start, got.end) == ("2", 0, len("x = \n"))


@pytest.mark.parametrize("items", ["x", ["x"], {"items": {"a": 1}}])
async def test_an_answer_that_is_no_list_of_items_is_a_failure(session, items):
    assert (await answer(session, items)).failed == "the server's answer is no list of items"


async def test_a_malformed_range_is_a_failure_that_says_so(session):
    got = await answer(session, [{"insertText": "1", "range": {"start": {"line": "a"}}}])
    assert "range is malformed" in got.failed


async def test_why_the_model_stopped_is_taken_over_from_what_the_server_explains(session):
    got = await answer(session, [], **{"ghosttape/explain": {"result": {"outcome": "empty", "finish": "refusal"}}})
    assert got.finish == "refusal"


async def test_a_range_outside_the_document_is_a_failure_that_says_so(session):
    got = await answer(session, [{"insertText": "1", "range": within(9, 0, 1)}])
    assert "range is outside the document" in got.failed
    assert got.text == ""


async def test_an_error_is_an_answer_that_failed_with_its_message(session):
    refusal = {"error": {"code": -32803, "message": "the model is not loaded"}}
    editor = await session.start({COMPLETE: refusal})
    got = await editor.ask(ask_at("x"))
    assert (got.failed, got.text) == ("the model is not loaded", "")
    assert (await editor.ask(ask_at("x"))).failed, "the server is asked on"


async def test_an_error_without_a_message_is_still_a_failure(session):
    editor = await session.start({COMPLETE: {"error": {"code": -32803, "message": ""}}})
    assert "-32803" in (await editor.ask(ask_at("x"))).failed


async def test_a_server_that_cannot_explain_is_asked_to_only_once(session):
    editor = await session.start({COMPLETE: {"result": [{"insertText": "1"}]}})
    answers = [await editor.ask(ask_at("x")) for _ in range(3)]
    assert {(got.text, got.raw, got.trail) for got in answers} == {("1", "", ())}
    assert len(session.sent("ghosttape/explain")) == 1


async def test_an_explanation_that_fails_does_not_make_the_answer_worse(session):
    explain = {"error": {"code": -32603, "message": "out of paper"}}
    got = await answer(session, [{"insertText": "1"}], **{"ghosttape/explain": explain})
    assert (got.text, got.failed) == ("1", "")


async def test_an_explanation_is_part_of_the_answer(session):
    told = {
        "raw": "```1```",
        "prompt": "x = ",
        "provider": "gguf",
        "cache": "typed",
        "outcome": "filtered",
        "step": "prose",
        "trail": [{"step": "prose", "before": "```1```", "after": ""}],
    }
    got = await answer(session, [], **{"ghosttape/explain": {"result": told}})
    assert (got.raw, got.prompt, got.provider, got.cache) == ("```1```", "x = ", "gguf", "typed")
    assert got.filtered == "prose"
    assert [(step.step, step.before, step.after) for step in got.trail] == [("prose", "```1```", "")]


async def test_the_server_is_asked_at_the_position_and_told_how_far_to_go(session):
    editor = await session.start({COMPLETE: {"result": []}})
    await editor.ask(ask_at("'😀'\r\nab", "c", path="src/größe #1.py", stop="block"))
    (params,) = session.sent(COMPLETE)
    assert params["position"] == {"line": 1, "character": 2}
    assert params["stop"] == "block"
    assert params["textDocument"]["uri"] == "file:///project/src/gr%C3%B6%C3%9Fe%20%231.py"


async def test_only_a_further_sample_is_asked_for_by_its_number(session):
    editor = await session.start({COMPLETE: {"result": None}})
    for sample in (0, 2):
        await editor.ask(ask_at("x", sample=sample))
    assert [params.get("sample") for params in session.sent(COMPLETE)] == [None, 2]


async def test_a_server_that_asks_the_client_something_first_gets_an_answer(session):
    first = {"method": "client/registerCapability", "params": {"registrations": []}}
    editor = await session.start({COMPLETE: {"first": first, "result": [{"insertText": "1"}]}})
    assert (await editor.ask(ask_at("x"))).text == "1"
    assert (await editor.ask(ask_at("x"))).text == "1"
    replies = [message for message in map(json.loads, session.log.read_text().splitlines()) if "method" not in message]
    assert replies[0]["id"] == "from-the-server"
    assert "error" not in replies[0]


async def test_a_request_of_the_server_that_is_not_known_is_answered_with_an_error(session):
    first = {"method": "workspace/odd", "params": {}}
    editor = await session.start({COMPLETE: {"first": first, "result": [{"insertText": "1"}]}})
    assert (await editor.ask(ask_at("x"))).text == "1"
    assert (await editor.ask(ask_at("x"))).text == "1"
    replies = [message for message in map(json.loads, session.log.read_text().splitlines()) if "method" not in message]
    assert replies[0]["id"] == "from-the-server"
    assert replies[0]["error"]["code"] == -32601


async def test_what_a_server_prints_between_its_messages_is_passed_over(session):
    got = await answer(
        session, [{"insertText": "1"}], **{COMPLETE: {"prints": "loading…\n", "result": [{"insertText": "1"}]}}
    )
    assert (got.text, got.failed) == ("1", "")


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ('{"id": 2, "result": [{"insertText": "1"}]}', "1"),
        ('{"jsonrpc": "2.0", "id": "2", "result": [{"insertText": "1"}]}', "1"),
        ('{"jsonrpc": "2.0", "id": 2}', ""),
    ],
)
async def test_a_response_that_keeps_to_json_rpc_only_in_part_is_an_answer(session, sent, text):
    editor = await session.start({COMPLETE: {"says": sent, "hold": True}})
    got = await asyncio.wait_for(editor.ask(ask_at("x")), PATIENCE_S)
    assert (got.text, got.failed) == (text, "")


async def test_news_without_the_name_of_the_protocol_disturb_no_answer(session):
    news = '{"method": "window/logMessage", "params": {"type": 3, "message": "x"}}'
    editor = await session.start({COMPLETE: {"says": news, "result": [{"insertText": "1"}]}})
    assert (await editor.ask(ask_at("x"))).text == "1"


@pytest.mark.parametrize("said", ["{", "[1]"])
async def test_a_message_that_is_none_ends_the_waiting_with_a_reason(session, said):
    editor = await session.start({COMPLETE: {"says": said, "hold": True}})
    assert "the language server sent a message that is not JSON" in (await editor.ask(ask_at("x"))).failed


async def test_half_a_character_is_sent_and_comes_back(session):
    got = await answer(session, [{"insertText": "\ud83d"}], before="x = '\ud83d")
    assert (got.text, got.failed) == ("\ud83d", "")


# Servers that cannot be used


@pytest.mark.parametrize("offered", [None, False])
async def test_a_server_without_inline_completion_is_refused(session, offered):
    capabilities = {} if offered is None else {"inlineCompletionProvider": offered}
    with pytest.raises(ServerError, match="does not offer inline completion"):
        await session.start({"initialize": {"result": {"capabilities": capabilities}}})


async def test_a_server_that_refuses_to_start_is_an_error_with_its_reason(session):
    with pytest.raises(ServerError, match="refuses to start: no licence"):
        await session.start({"initialize": {"error": {"code": -32602, "message": "no licence"}}})


async def test_a_program_that_is_not_there_is_named(session):
    with pytest.raises(ServerError, match="'/no/such/server' cannot be started: No such file"):
        await session.editor.start(["/no/such/server"], folder=session.log.parent, options={})


async def test_a_server_that_dies_on_a_request_ends_it_at_once_with_its_last_words(session):
    editor = await session.start({COMPLETE: {"stderr": "Traceback\nout of memory\n", "die": 7}})
    with pytest.raises(ServerError, match=r"ended with status 7; its last words:\nTraceback\nout of memory$"):
        await asyncio.wait_for(editor.ask(ask_at("x")), PATIENCE_S)


async def test_a_key_in_its_last_words_is_masked(session, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-tell-nobody")
    editor = await session.start({COMPLETE: {"stderr": "wrong key: sk-tell-nobody\n", "die": 7}})
    with pytest.raises(ServerError, match=r"its last words:\nwrong key: …$"):
        await editor.ask(ask_at("x"))


async def test_a_server_that_died_is_not_talked_to_any_more(session):
    editor = await session.start({COMPLETE: {"die": 7}})
    for _ in range(2):
        with pytest.raises(ServerError, match="ended with status 7"):
            await editor.ask(ask_at("x"))
    with pytest.raises(ServerError, match="ended with status 7"):
        editor.open(DidOpen("a.py", "python", ""))


@pytest.mark.parametrize("end", ["", "\n"])
async def test_megabytes_on_standard_error_do_not_block_the_server(session, end):
    loud = {"noise": 4 << 20, "stderr": end, "result": [{"insertText": "1"}]}
    editor = await session.start({COMPLETE: loud})
    async with asyncio.timeout(PATIENCE_S):
        assert [(await editor.ask(ask_at("x"))).text for _ in range(3)] == ["1"] * 3


async def test_a_server_that_refuses_to_shut_down_is_told_to_exit(tmp_path):
    session = Session(tmp_path / "log")
    editor = await session.start({"shutdown": {"error": {"code": -32603, "message": "never"}}})
    async with asyncio.timeout(PATIENCE_S):
        await editor.close()
    assert session.sent("exit") == [None]
    with pytest.raises(ServerError, match="ended with status 0"):
        editor.save(DidSave("a.py"))


async def test_a_server_that_stays_after_exit_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(client, "_CLOSE_TIMEOUT_S", 0.2)
    session = Session(tmp_path / "log")
    editor = await session.start({"exit": {"stays": 10 * PATIENCE_S}})
    async with asyncio.timeout(PATIENCE_S):
        await editor.close()
    with pytest.raises(ServerError, match="ended with status -9"):
        editor.save(DidSave("a.py"))


async def test_a_server_is_killed_where_closing_it_is_cancelled(tmp_path):
    session = Session(tmp_path / "log")
    editor = await session.start({"exit": {"stays": 10 * PATIENCE_S}})
    closing = asyncio.create_task(editor.close())
    await until(lambda: session.sent("exit"))
    closing.cancel()
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.wait({closing})
    with pytest.raises(ServerError, match="ended with status -9"):
        editor.save(DidSave("a.py"))


async def test_the_end_of_a_server_is_seen_though_a_child_of_it_keeps_its_streams(session, monkeypatch):
    monkeypatch.setattr(server_process, "_GRACE_S", 0.2)
    editor = await session.start({COMPLETE: {"leaves a child": True, "die": 7}})
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(ServerError, match="ended with status 7"):
            await editor.ask(ask_at("x"))


async def test_the_last_line_of_long_last_words_is_in_the_reason():
    error = server_process.ServerEnded(
        "server", 1, [*(f"{number} {'x' * 150}" for number in range(7)), "ValueError: y"]
    )
    assert str(error).endswith(" / ValueError: y")
    assert len(str(error)) <= 1000


async def test_goodbye_is_said_in_order(tmp_path):
    session = Session(tmp_path / "log")
    await (await session.start({})).close()
    methods = [json.loads(line)["method"] for line in session.log.read_text().splitlines()]
    assert methods == ["initialize", "initialized", "shutdown", "exit"]


# Documents


async def test_a_document_is_opened_saved_and_closed_by_the_same_name(session):
    editor = await session.start({})
    editor.open(DidOpen("a b.py", "python", "x\r\n"))
    editor.save(DidSave("a b.py"))
    editor.shut(DidClose("a b.py"))
    await editor.close()
    (opened,) = session.sent("textDocument/didOpen")
    uri = "file:///project/a%20b.py"
    assert opened["textDocument"] == {"uri": uri, "languageId": "python", "version": 1, "text": "x\r\n"}
    assert (
        session.sent("textDocument/didSave")
        == session.sent("textDocument/didClose")
        == [{"textDocument": {"uri": uri}}]
    )


async def test_a_checkpoint_that_the_servers_document_does_not_match_is_an_error(session):
    other = {"ghosttape/state": {"result": {"version": 3, "sha256": digest("other")}}}
    editor = await session.start(other)
    editor.open(DidOpen("a.py", "python", "mine"))
    with pytest.raises(ServerError, match=r"the server's document a\.py differs from the checkpoint \(version 3\)"):
        await editor.check(VerifyCheckpoint("a.py", digest("mine")))


async def test_a_server_that_cannot_tell_its_state_is_believed_but_the_editor_is_checked(session):
    editor = await session.start({})
    editor.open(DidOpen("a.py", "python", "mine"))
    await editor.check(VerifyCheckpoint("a.py", digest("mine")))
    with pytest.raises(ServerError, match=r"the editor's document a\.py differs"):
        await editor.check(VerifyCheckpoint("a.py", digest("other")))


async def test_a_state_that_is_refused_is_an_error_with_the_reason(session):
    editor = await session.start({"ghosttape/state": {"error": {"code": -32803, "message": "a.py is not open"}}})
    editor.open(DidOpen("a.py", "python", "mine"))
    with pytest.raises(ServerError, match=r"a\.py holds: a\.py is not open"):
        await editor.check(VerifyCheckpoint("a.py", digest("mine")))


async def test_the_item_selected_in_the_editors_list_is_told_as_lsp_says(session):
    editor = await session.start({COMPLETE: {"result": []}})
    for selected in (None, (7, 8, ".log"), (7, 99, ".log")):
        await editor.ask(ask_at("'😀'\r\nc.", "\n", selected=selected))
    plain, told, past_the_end = (asked["context"] for asked in session.sent(COMPLETE))
    assert plain == {"triggerKind": 2}
    assert told == {"triggerKind": 2, "selectedCompletionInfo": {"range": within(1, 1, 2), "text": ".log"}}
    assert past_the_end["selectedCompletionInfo"]["range"] == within(1, 1, 0, to=2)
