"""A complete answer is read whole from every form of a stream that servers send, however its bytes are divided."""

from __future__ import annotations

import asyncio
import json
import os
import time

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.context import Context
from server.errors import ProviderError, ProviderRefused
from server.providers import anthropic, llamacpp, ollama, openai
from server.providers.http.event_stream import EventDecoder
from server.providers.http.openai_format import ChoicesReader
from server.providers.protocol import Request, answer_text, summarize
from server.settings import ProviderSettings

SCALE = int(os.environ.get("GHOSTTAPE_TEST_SCALE", "1"))
CONTEXT = Context("a.py", "python", "def f():\n    ", "\n")
MAKERS = {"openai": openai.make, "chat": openai.make, "llamacpp": llamacpp.make, "ollama": ollama.make}
MAKERS |= {"anthropic": anthropic.make}


class Chunks(httpx.AsyncByteStream):
    """A body in given pieces; with `fails` the connection breaks behind them."""

    def __init__(self, chunks, *, fails=False):
        self.chunks, self.fails = chunks, fails

    async def __aiter__(self):
        for chunk in self.chunks:
            yield chunk
        if self.fails:
            raise httpx.RemoteProtocolError("peer closed connection")


def answered(name, chunks, kind="text/event-stream", *, fails=False, **given):
    """The pieces of a provider's answer, when its server sends these bytes."""

    async def run():
        base = "http://127.0.0.1:9"
        choice = {"api": "chat"} if name == "chat" else {}
        provider_name = "openai" if name == "chat" else name
        served = lambda _: httpx.Response(200, headers={"content-type": kind}, stream=Chunks(chunks, fails=fails))  # noqa: E731
        options = {"tries": 1, "timeout_s": 5.0, "model": "m", "max_tokens": 1000, **choice, **given}
        provider = MAKERS[name](
            ProviderSettings(name=provider_name, base_url=base, **options), httpx.MockTransport(served)
        )
        request = Request(CONTEXT.before, CONTEXT.after, "auto", CONTEXT, provider.prompt(CONTEXT))
        try:
            return [piece async for piece in provider.complete(request)]
        finally:
            await provider.close()

    return asyncio.run(run())


def sse(*events, end="\n\n"):
    """Server-sent events, all with their blank line."""
    return "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}{end}" for event in events).encode()


def said(text, **choice):
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None, **choice}]}


STOP = said("", finish_reason="stop")
PIECES = st.lists(st.text(st.sampled_from('aé\u2028😀 \t\n\r"\\{}:,'), min_size=1, max_size=5), min_size=1, max_size=5)
KEEPING = st.sampled_from(
    [": keep-alive", ":", "data:", "data: ", "id: 7", "retry: 10", "event: message", "data: null"]
)
NOTHING = [{}, {"choices": None}, {"choices": []}, {"choices": [None]}, {"choices": [], "prompt_filter_results": []}]
"""Events of OpenAI's form that say nothing."""


def form(name, pieces, draw):
    """The events of a valid answer of a provider, and those that may stand anywhere between them."""
    if name == "chat":
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
        events = [said([thought, {"type": "text", "text": text}] if draw(st.booleans()) else text) for text in pieces]
        return [*events, STOP, {"choices": [], "usage": {"completion_tokens": 3}}, "[DONE]"], NOTHING
    if name == "openai":
        return [
            *({"choices": [{"text": text}]} for text in pieces),
            {"choices": [{"text": "", "finish_reason": "stop"}]},
            "[DONE]",
        ], NOTHING
    if name == "llamacpp":
        return [
            *({"content": text, "stop": False} for text in pieces),
            {"content": "", "stop": True, "stop_type": "eos"},
        ], [{"prompt_progress": {}}]
    if name == "ollama":
        return [
            *({"response": text, "done": False} for text in pieces),
            {"response": "", "done": True, "done_reason": "stop"},
        ], [{}]
    deltas = ({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}} for text in pieces[1:])
    start = {"type": "content_block_start", "content_block": {"type": "text", "text": pieces[0]}}
    thought = {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}}
    ends = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}, {"type": "message_stop"}
    return [{"type": "message_start", "message": {}}, start, *deltas, *ends], [{"type": "ping"}, thought]


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=25 * SCALE)
@given(data=st.data())
def test_any_division_of_any_valid_stream_gives_the_same_answer(name, data):
    draw, pieces = data.draw, data.draw(PIECES)
    events, silent = form(name, pieces, draw)
    in_lines = name == "ollama" and draw(st.booleans())
    # JSON of one text may hold no CR outside of its escapes, so each of the three ends may end a line
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lines = []
    for event in events:
        for _ in range(draw(st.integers(0, 2))):
            if in_lines:
                lines += [draw(st.sampled_from(["", "{}", " "]))]
            else:
                lines += draw(
                    st.sampled_from([[draw(KEEPING), ""], ["data: " + json.dumps(draw(st.sampled_from(silent))), ""]])
                )
        encoded = event if isinstance(event, str) else json.dumps(event, ensure_ascii=draw(st.booleans()))
        lines += [encoded] if in_lines else [f"data:{draw(st.sampled_from(['', ' ']))}{encoded}", ""]
    body = (
        draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + draw(st.sampled_from(["", end, end * 2]))
    ).encode()
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    chunks = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    kind = (
        "application/x-ndjson"
        if in_lines
        else draw(st.sampled_from(["text/event-stream", "text/plain", "application/json"]))
    )
    found = answered(name, chunks, kind)
    assert answer_text(found) == "".join(pieces)
    assert summarize(found).finish == "stop"


TEXT = said("x = 1")
TRAILERS = {
    "no blank line behind [DONE]": sse(TEXT, STOP) + b"data: [DONE]",
    "no blank line behind the reason": sse(TEXT) + sse(STOP).rstrip(),
    "only [DONE]": sse(TEXT, "[DONE]"),
    "a reason and a usage": sse(TEXT, STOP, {"usage": {"completion_tokens": 2}}),
    "a usage alone, without a reason or [DONE]": sse(TEXT, {"choices": [], "usage": {"completion_tokens": 2}}, {"choices": [], "cost": "0"}),
    "text behind [DONE]": sse(TEXT, STOP, "[DONE]", said("and more")),
    "no JSON behind [DONE]": sse(TEXT, STOP, "[DONE]", "{oops"),
    "an error behind the reason": sse(TEXT, STOP, {"error": {"message": "no usage"}}),
    "half an event behind the reason": sse(TEXT, STOP) + b'data: {"usa',
    "a reason on every event": sse(said("x", finish_reason="stop"), said(" = 1", finish_reason="stop"), "[DONE]"),
    "an empty reason on every event": sse(said("x = 1", finish_reason=""), STOP, "[DONE]"),
    "a reason in the letters of Gemini": sse(said("x = 1", finishReason="STOP")),
    "a reason before the text": sse(said("", finish_reason="stop"), TEXT, STOP, "[DONE]"),
    "one line feed between events": sse(TEXT, STOP, "[DONE]", end="\n"),
    "two objects in a line": b'data: {"choices":[{"delta":{"content":"x ="}}]}{"choices":[{"delta":{"content":" 1"}}]}\n\n' + sse(STOP),
    "[DONE] in quotes": sse(TEXT, '"[DONE]"'),
    "the whole text again in a message beside the delta": sse(TEXT, said("", finish_reason="stop", message={"content": "x = 1"}), "[DONE]"),
    "the whole text again in a message at the end": sse(TEXT, {"choices": [{"message": {"content": "x = 1"}, "finish_reason": "stop"}]}),
    "reasoning in a field of its own": sse({"choices": [{"delta": {"reasoning_content": "hm", "content": None}}]}, TEXT, STOP),
    "a number that JSON does not know": b'data: {"choices":[{"delta":{"content":"x = 1"},"logprobs":{"content":[{"logprob":-Infinity}]}}]}\n\n' + sse(STOP),
    "a tab that is no escape": b'data: {"choices":[{"delta":{"content":"x = 1"}}],"id":"a\tb"}\n\n' + sse(STOP),
}  # fmt: skip


@pytest.mark.parametrize("body", TRAILERS.values(), ids=TRAILERS)
def test_what_comes_behind_or_between_takes_nothing_from_an_answer(body):
    assert answer_text(answered("chat", [body])) == "x = 1"


@pytest.mark.parametrize(
    ("name", "body", "kind"),
    [
        ("chat", json.dumps({"choices": [{"message": {"content": "x = 1"}, "finish_reason": "stop"}]}, indent=1), "application/json"),
        ("chat", json.dumps({"choices": [{"message": {"content": "x = 1"}, "finish_reason": "stop"}]}), "text/event-stream"),
        ("chat", "\ufeff" + json.dumps({"choices": [{"message": {"content": [{"type": "text", "text": "x = 1"}]}}]}, indent=1), "text/plain"),
        ("ollama", '{"response":"x","done":false}{"response":" = 1","done":true}', "application/x-ndjson"),
        ("ollama", '{"response":"x","done":false}\n{"response":" = 1","done":true}', "text/plain; charset=utf-8"),
        ("anthropic", json.dumps({"type": "message", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x = 1"}]}), "application/json"),
    ],
)  # fmt: skip
def test_a_label_or_a_form_that_is_wrong_is_read_as_what_it_is(name, body, kind):
    if name == "chat" and "finish_reason" not in body:
        body = body.replace('"message"', '"finish_reason": "stop", "message"', 1)
    assert answer_text(answered(name, [body.encode()], kind)) == "x = 1"


@pytest.mark.parametrize("before", [b"", b": x\n\n"])
@pytest.mark.parametrize(
    "error",
    [
        b'data: {"error": {"message": "out of memory", "code": 400}}\n\n',
        b'error: {"code":400,"message":"out of memory"}\n\ndata: [DONE]\n\n',
        b'event: error\ndata: {"message": "out of memory"}\n\n',
        b'data: {"object": "error", "message": "out of memory", "code": 40301}\n\n',
        b'{"error": "out of memory"}\n',
        b'{"detail": "out of memory"}',
    ],
)
def test_a_failure_is_said_in_the_servers_words_whatever_field_holds_them(before, error):
    with pytest.raises(ProviderRefused, match="out of memory"):
        answered("chat", [before + error])
    if b"detail" not in error:
        with pytest.raises(ProviderRefused, match="out of memory"):
            answered("chat", [sse(TEXT) + error])


@pytest.mark.parametrize("body", [sse(TEXT), sse(TEXT) + b'data: {"choices"', sse(TEXT, {"usage": None}), b""])
def test_an_answer_without_its_end_is_not_complete(body):
    with pytest.raises(ProviderError, match="in the middle of the answer"):
        answered("chat", [body])
    with pytest.raises(ProviderError, match="cut off"):
        answered("chat", [body], fails=True)


def test_a_connection_that_breaks_behind_the_end_takes_nothing_from_an_answer():
    assert answer_text(answered("chat", [sse(TEXT, STOP)], fails=True)) == "x = 1"
    assert answer_text(answered("chat", [sse(STOP)], fails=True)) == ""


def test_halves_of_a_character_are_put_together_and_one_alone_is_replaced():
    halves = [said("a\ud83d"), said("\ude00b"), said("\ude00"), said("c\ud83d"), STOP]
    assert answer_text(answered("chat", [sse(*halves)])) == "a😀b\ufffdc\ufffd"


def test_many_values_in_one_line_are_read_in_linear_time():
    started = time.process_time()
    assert len([*EventDecoder("application/x-ndjson").take(b" {} \t" * 400_000 + b"\n")]) == 400_000
    assert time.process_time() - started < 20  # a copy of the rest for each value takes minutes


REASONS = [
    ("chat", sse(said("x", finish_reason="length")), "length"),
    ("chat", sse(said("x", finish_reason="content_filter")), "content-filter"),
    ("chat", sse(said("", refusal="I cannot"), {"choices": [{"delta": {"refusal": "I"}}]}, STOP), "refusal"),
    ("chat", sse({"choices": [{"message": {"content": None, "refusal": "I cannot"}, "finish_reason": "stop"}]}), "refusal"),
    ("chat", sse(said("x", finish_reason="SAFETY")), "content-filter"),
    ("chat", sse(said("x", finish_reason="tool_calls")), "other"),
    ("chat", sse(said("x"), "[DONE]"), None),
    ("chat", sse(said("x", finish_reason="null"), "[DONE]"), None),
    ("chat", sse(said("x", finish_reason="null"), said("", finish_reason="length")), "length"),
    ("chat", sse(said("x", finish_reason="length"), said("", finish_reason="content_filter"), STOP), "content-filter"),
    ("chat", sse(said("x", finish_reason="stop"), said("", finish_reason="length"), STOP), "length"),
    ("chat", sse(said("x", finish_reason="tool_calls"), STOP), "stop"),
    ("openai", sse({"choices": [{"text": "x", "finish_reason": "eos_token"}]}), "stop"),
    ("llamacpp", sse({"content": "x", "stop": True, "stop_type": "limit"}), "length"),
    ("llamacpp", sse({"content": "x", "stop": True, "stopped_limit": True, "stopped_eos": False}), "length"),
    ("llamacpp", sse({"content": "x", "stop": True, "stop_type": "word"}), "stop"),
    ("llamacpp", sse({"content": "x", "stop": True, "stop_type": "none"}), None),
    ("ollama", b'{"response":"x","done":true,"done_reason":"length"}\n', "length"),
    ("anthropic", sse({"type": "message_delta", "delta": {"stop_reason": "refusal"}}, {"type": "message_stop"}), "refusal"),
    ("anthropic", sse({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"}), "length"),
    ("anthropic", sse({"type": "message", "content": [], "stop_reason": "end_turn"}), "stop"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "finish"), REASONS)
def test_why_a_model_stopped_is_told_apart(name, body, finish):
    kind = "application/x-ndjson" if name == "ollama" else "text/event-stream"
    assert summarize(answered(name, [body], kind)).finish == finish


@pytest.mark.parametrize("word", ["null", "none", "None", "NULL", "", None])
def test_a_word_for_no_reason_ends_no_answer(word):
    for read, event in (
        (ChoicesReader().read, said("x", finish_reason=word)),
        (anthropic.Reader().read, {"type": "message_delta", "delta": {"stop_reason": word}}),
    ):
        content = read(event)
        assert (content.last, summarize(content.pieces).finish) == (False, None)


def test_an_answer_that_is_cut_off_on_this_side_has_a_reason_too():
    long = [said("x" * 10) for _ in range(300)]
    assert summarize(answered("chat", [sse(*long, STOP, "[DONE]")], max_tokens=5)).finish == "length"


@settings(max_examples=100 * SCALE)
@given(st.lists(st.binary(max_size=30), max_size=6), st.sampled_from(["", "text/event-stream", "application/x-ndjson"]))
def test_any_bytes_are_events_or_refused(chunks, kind):
    decoder = EventDecoder(kind)
    try:
        events = [event for chunk in chunks for event in decoder.take(chunk)] + [*decoder.finish()]
    except ProviderRefused:
        return
    assert all(hasattr(event, "keys") for event in events)
