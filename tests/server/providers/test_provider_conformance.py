"""One suite that every provider passes: streams, ends, failures and cancellation, down to the socket."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from server.errors import ProviderError, ProviderRefused
from server.providers.protocol import answer_text, summarize
from server.queries import Query
from server.service import Service
from server.settings import Settings
from tests.support.answer_pieces import text_pieces, texts
from tests.support.cancelled_requests import cancel_many
from tests.support.fakes.model_server import FakeScript, FakeStatus
from tests.support.provider_conformance import AFTER, BEFORE, SUBJECTS
from tests.support.waiting import PATIENCE_S, until


def _of(**traits):
    chosen = [subject for subject in SUBJECTS if all(getattr(subject, name) == value for name, value in traits.items())]
    return pytest.mark.parametrize("subject", chosen, ids=lambda subject: subject.id)


@_of()
async def test_the_answer_is_what_the_source_gave(subject):
    async with subject.open(FakeScript(["ret", "urn", " a"])) as bench:
        assert await bench.answer() == "return a"


@_of(chunks=True)
async def test_pieces_arrive_before_the_answer_is_over(subject):
    async with subject.open(FakeScript(["re", "tu", "rn", *["..."] * 96], delay_s=0.1), max_tokens=100) as bench:
        arrived = []
        async with contextlib.aclosing(bench.provider.complete(bench.request())) as stream:
            async for piece in stream:
                arrived += texts([piece])
                if len(arrived) == 3:
                    break
        assert arrived == ["re", "tu", "rn"]
        assert bench.source is None or bench.source.written < 99


@_of()
async def test_an_empty_answer_is_no_failure(subject):
    async with subject.open(FakeScript([])) as bench:
        assert await bench.answer() == ""


@_of()
async def test_characters_of_every_width_come_through(subject):
    text = ["# ä", "√\u2028", "日本", "😀", "\n"]
    async with subject.open(FakeScript(text, bytes_a_write=1)) as bench:
        assert await bench.answer() == "".join(text)


@_of(fails=True)
async def test_stop_sequences_reach_the_source_and_are_no_part_of_the_answer(subject):
    async with subject.open(FakeScript(["a", "b\n", "<end", "> c"])) as bench:
        assert await bench.answer(stops=("<end>",)) in {"ab\n", "ab\n<end"}
        assert "c" not in await bench.answer(stops=("<end>",))


@_of(fails=True)
async def test_no_more_is_taken_than_was_asked_for(subject):
    async with subject.open(FakeScript(["x"] * 50), max_tokens=7) as bench:
        assert await bench.answer() == "x" * 7


@_of(http=True)
async def test_a_source_that_never_stops_is_stopped(subject):
    async with subject.open(FakeScript(["x"] * 500, delay_s=0.005), max_tokens=7) as bench:
        bench.source.dialect = _limitless(bench.source.dialect)
        assert await bench.answer() == "x" * 7
        await asyncio.wait_for(bench.source.gone.wait(), PATIENCE_S)


@_of(fails=True)
async def test_temperature_is_nought_unless_it_is_wanted(subject):
    async with subject.open(FakeScript()) as bench:
        await bench.answer()
        assert _told(bench).temperature == 0
    async with subject.open(FakeScript(), temperature=0.7) as bench:
        await bench.answer()
        assert _told(bench).temperature == 0.7


@_of(seeds=True)
async def test_each_sample_has_a_seed_of_its_own(subject):
    async with subject.open(FakeScript(), seed=40) as bench:
        for sample in range(3):
            await bench.answer(sample=sample)
        assert [_told(bench, number).seed for number in range(3)] == [40, 41, 42]


@_of(seeds=True)
async def test_samples_of_one_question_are_streams_of_their_own(subject):
    async with subject.open(FakeScript(["a", "b"]), seed=7) as bench:
        service = Service(bench.provider, Settings(repairs=()))
        queries = [Query("file:///a.py", "python", BEFORE, AFTER, sample=number) for number in range(3)]
        answers = await asyncio.gather(*map(service.complete, queries))
        assert [(answer.raw, answer.cache) for answer in answers] == [("ab", "none")] * 3
        assert sorted(_told(bench, number).seed for number in range(3)) == [7, 8, 9]


@_of(http=True)
async def test_a_sample_that_fails_leaves_the_others_alone(subject):
    async with subject.open(FakeScript(["x"] * 10, first=[FakeStatus(400)])) as bench:
        answers = await asyncio.gather(*(bench.answer(sample=number) for number in range(2)), return_exceptions=True)
        refused, answered = sorted(answers, key=str, reverse=False)
        assert isinstance(refused, ProviderRefused)
        assert answered == "x" * 10


@_of(counts=True)
async def test_tokens_are_counted(subject):
    async with subject.open(FakeScript(["a", "b", "c"], prompt_tokens=11)) as bench:
        told = summarize(await bench.pieces())
        assert (told.tokens, told.prompt_tokens) == (3, 11)


@_of(logprobs=True)
async def test_log_probabilities_are_told_with_their_tokens(subject):
    async with subject.open(FakeScript(["a", "b"], logprobs=[-0.5, -1.5])) as bench:
        pieces = await bench.pieces()
        assert [piece.logprob for piece in text_pieces(pieces)] == [-0.5, -1.5]
        assert summarize(pieces).confidence == -1.0


@_of(counts=True)
async def test_a_source_that_tells_no_probabilities_is_believed_without(subject):
    async with subject.open(FakeScript(["a", "b"])) as bench:
        assert summarize(await bench.pieces()).confidence is None


@_of(chunks=True)
async def test_closing_the_stream_stops_the_source(subject):
    async with subject.open(FakeScript(["x"] * 100, delay_s=0.2), max_tokens=100) as bench:
        stream = bench.provider.complete(bench.request())
        while not texts([await anext(stream)]):
            pass
        await stream.aclose()
        await _stopped(bench)


@_of(cancels=True)
async def test_cancelling_the_task_stops_a_source_that_is_still_thinking(subject):
    async with subject.open(FakeScript(["x"] * 100, think_s=0.3, delay_s=0.02), max_tokens=100) as bench:
        asked = asyncio.ensure_future(bench.answer())
        await until(lambda: bench.source.asked)
        asked.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asked
        await _stopped(bench)


@_of(cancels=True)
async def test_the_next_request_is_answered_after_a_cancelled_one(subject):
    async with subject.open(FakeScript(["x"] * 100, delay_s=0.2), max_tokens=100) as bench:
        if subject.chunks:
            stream = bench.provider.complete(bench.request())
            while not texts([await anext(stream)]):
                pass
            await stream.aclose()
        else:
            asked = asyncio.ensure_future(bench.answer())
            await until(lambda: bench.source.asked)
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
        bench.source.script = FakeScript(["y"])
        assert await bench.answer() == "y"
        assert getattr(bench.source, "written", 0) < 100


@pytest.mark.parametrize("name", ["openai", "gguf", "lsp"])
async def test_many_requests_that_are_cancelled_anywhere_leave_no_task_thread_or_socket(name):
    """One of each way of asking: those of HTTP share one client, and all of them are tried in tests/real/server."""
    await cancel_many(next(subject for subject in SUBJECTS if subject.id == name))


@_of(cancels=True)
async def test_an_answer_that_takes_too_long_is_a_failure(subject, skipping_time):
    async with subject.open(FakeScript(["x "] * 100, delay_s=0.5), timeout_s=400, max_tokens=100) as bench:
        asked = asyncio.ensure_future(bench.answer())
        await until(lambda: bench.source.asked)
        await skipping_time.skip(401)
        with pytest.raises(ProviderError, match="within 400 s"):
            await asked
        await _stopped(bench)


@_of(http=True)
async def test_a_source_that_thinks_too_long_is_a_failure_by_its_own_limit(subject, skipping_time):
    async with subject.open(FakeScript(think_s=600), first_s=30) as bench:
        asked = asyncio.ensure_future(bench.answer())
        await until(lambda: bench.source.asked)
        await skipping_time.skip(31)
        with pytest.raises(ProviderError, match="no answer within 30 s"):
            await asked
        await asyncio.wait_for(bench.source.gone.wait(), PATIENCE_S)


@_of(fails=True)
async def test_an_error_in_the_middle_is_a_failure_with_its_reason(subject):
    async with subject.open(FakeScript(["a", "b", "c"], error_after=1)) as bench:
        pieces = []
        with pytest.raises(ProviderRefused, match="out of memory"):
            await _collect(bench, pieces)
        assert answer_text(pieces) == "a"


@_of(http=True)
async def test_malformed_json_in_the_middle_is_a_failure(subject):
    async with subject.open(FakeScript(["a", "b", "c"], garbage_after=1)) as bench:
        with pytest.raises(ProviderRefused, match="not JSON"):
            await bench.answer()


@_of(http=True)
async def test_a_web_page_in_place_of_an_answer_is_a_failure(subject):
    page = FakeStatus(200, {"Content-Type": "text/html"}, body=b"<html>")
    async with subject.open(FakeScript(first=[page])) as bench:
        with pytest.raises(ProviderRefused, match="not JSON"):
            await bench.answer()


@_of(http=True)
async def test_a_connection_cut_in_the_middle_is_a_failure_and_nothing_is_repeated(subject):
    async with subject.open(FakeScript(["a", "b", "c"], cut_after=2)) as bench:
        pieces = []
        with pytest.raises(ProviderRefused, match="cut off"):
            await _collect(bench, pieces)
        assert answer_text(pieces) == "ab"
        assert len(bench.source.asked) == 1


@_of(http=True)
async def test_a_stream_that_ends_without_its_last_event_is_a_failure(subject):
    async with subject.open(FakeScript(["a"], ends=False)) as bench:
        with pytest.raises(ProviderRefused, match="middle of the answer"):
            await bench.answer()


@_of(http=True)
async def test_a_connection_closed_before_the_answer_is_tried_again_with_back_off(subject):
    async with subject.open(FakeScript(["ok"], first=[None, None])) as bench:
        assert await bench.answer() == "ok"
        assert bench.slept == pytest.approx([0.15, 0.45])


@_of(http=True)
@pytest.mark.parametrize("code", [429, 500, 502, 503, 504, 529])
async def test_a_busy_or_broken_server_is_tried_again(subject, code):
    async with subject.open(FakeScript(["ok"], first=[FakeStatus(code)])) as bench:
        assert await bench.answer() == "ok"
        assert len(bench.source.asked) == 2


@_of(http=True)
async def test_after_the_last_try_its_reason_is_the_failure(subject):
    async with subject.open(FakeScript(first=[FakeStatus(503, message="loading")] * 9), tries=4) as bench:
        with pytest.raises(ProviderRefused, match="answered 503: loading"):
            await bench.answer()
        assert len(bench.source.asked) == 4
        assert bench.slept == pytest.approx([0.15, 0.45, 1.35])


@_of(http=True)
@pytest.mark.parametrize(
    ("value", "waited"),
    [
        ("1.5", 1.5),
        ("0", 0.0),
        ("Thu, 01 Jan 2026 00:00:02 GMT", 2.0),
        ("Thu, 01 Jan 1998 00:00:00 GMT", 0.0),
        ("soon", 0.15),
    ],
)
async def test_retry_after_is_waited_for(subject, value, waited):
    async with subject.open(FakeScript(["ok"], first=[FakeStatus(429, {"Retry-After": value})])) as bench:
        assert await bench.answer() == "ok"
        assert bench.slept == pytest.approx([waited])


@_of(http=True)
async def test_a_request_that_is_told_to_wait_again_and_again_ends_by_its_waits_and_not_by_its_tries(subject):
    busy = FakeStatus(429, {"Retry-After": "1"}, "slow down")
    async with subject.open(FakeScript(["ok"], first=[busy] * 3)) as bench:
        assert await bench.answer() == "ok"
        assert bench.slept == pytest.approx([1.0, 1.0, 1.35])
    async with subject.open(FakeScript(["ok"], first=[busy] * 99)) as bench:
        with pytest.raises(ProviderRefused, match="answered 429: slow down"):
            await bench.answer()
        assert bench.slept == pytest.approx([1.0, 1.0, 1.35, 4.05])
    async with subject.open(FakeScript(["ok"], first=[busy]), tries=1) as bench:
        with pytest.raises(ProviderRefused, match="answered 429: slow down"):
            await bench.answer()


@_of(http=True)
@pytest.mark.parametrize("value", ["3", "Thu, 01 Jan 2026 00:01:00 GMT"])
async def test_a_longer_retry_after_is_a_failure_at_once(subject, value):
    async with subject.open(FakeScript(first=[FakeStatus(429, {"Retry-After": value}, "slow down")])) as bench:
        with pytest.raises(ProviderRefused, match="answered 429: slow down"):
            await bench.answer()
        assert bench.slept == []
    async with subject.open(
        FakeScript(["ok"], first=[FakeStatus(429, {"Retry-After": value})]), longest_wait_s=90.0
    ) as bench:
        assert await bench.answer() == "ok"


@_of(http=True)
async def test_a_refusal_is_not_tried_again_and_says_why(subject):
    async with subject.open(FakeScript(first=[FakeStatus(401, message="no such key")])) as bench:
        with pytest.raises(ProviderRefused, match="answered 401: no such key"):
            await bench.answer()
        assert len(bench.source.asked) == 1


@_of(http=True)
async def test_a_key_goes_into_one_header_and_into_no_message(subject, monkeypatch, caplog):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "tell-nobody")
    async with subject.open(FakeScript(first=[FakeStatus(400, message="tell-nobody is no key")])) as bench:
        with pytest.raises(ProviderRefused, match="… is no key") as refused:
            await bench.answer()
        asked = bench.source.asked[0]
        assert [value for value in asked.headers.values() if "tell-nobody" in value] == [_header(subject)]
        assert "tell-nobody" not in str(asked.body) + str(refused.value) + caplog.text + asked.route


@_of(http=True)
async def test_a_server_that_is_not_there_is_a_failure(subject):
    async with subject.open(FakeScript(), base_url="http://127.0.0.1:9") as bench:
        with pytest.raises(ProviderError, match=r"127\.0\.0\.1:9: no connection"):
            await bench.answer()
        assert len(bench.slept) == 2


def _header(subject) -> str:
    return "tell-nobody" if subject.id == "anthropic" else "Bearer tell-nobody"


def _told(bench, number=0):
    asked = bench.source.asked[number]
    if isinstance(asked, dict):
        return _Question(asked)
    return bench.source.dialect.parse(asked.route, asked.body)


class _Question:
    def __init__(self, asked):
        self.temperature, self.seed = asked["temperature"], asked["seed"]


def _limitless(dialect):
    """The same dialect of a server that does not hear of a limit."""

    class Deaf(type(dialect)):
        def parse(self, route, body):
            told = super().parse(route, body)
            return type(told)(told.prompt, 10**6, told.seed, told.temperature, told.stops)

    return Deaf()


async def _collect(bench, pieces):
    async for piece in bench.provider.complete(bench.request()):
        pieces.append(piece)


async def _stopped(bench):
    """The source has noticed: its socket was closed, or its engine runs no more."""
    if bench.source is None:
        assert bench.provider.cancelled == 1
    elif hasattr(bench.source, "is_idle"):
        await until(lambda: bench.source.is_idle)
        assert bench.source.fake.sent("$/cancelRequest")
    elif hasattr(bench.source, "gone"):
        await asyncio.wait_for(bench.source.gone.wait(), PATIENCE_S)
        assert bench.source.written < 50
    else:
        await until(lambda: not bench.source.running.locked())
        assert bench.source.written < 50
