"""Answers shared, kept, used again and cancelled."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from server.errors import ProviderError
from server.providers.fixed import Fixed
from server.providers.protocol import AnswerMetadata, AnswerText, OfflineProvider
from server.queries import Query
from server.service import Service
from server.settings import CacheSettings, Settings

pytestmark = pytest.mark.usefixtures("virtual_time")


def _query(before: str, after: str = "\n", **more) -> Query:
    return Query("file:///a.py", "python", before, after, **more)


async def test_the_same_question_shares_one_answer_in_flight():
    service = Service(Fixed("return 1", delay_s=0.05))
    first, second = await asyncio.gather(*(service.complete(_query("def f():\n    ")) for _ in range(2)))
    assert (first.text, second.text) == ("return 1", "return 1")
    assert (first.cache, second.cache) == ("none", "inflight")
    assert len(service.provider.asked) == 1


async def test_typing_along_uses_the_answer_in_flight():
    service = Service(Fixed("return total", delay_s=0.05))
    first = asyncio.ensure_future(service.complete(_query("def f():\n    ")))
    await asyncio.sleep(0.01)
    second = await service.complete(_query("def f():\n    ret"))
    assert (second.text, second.cache) == ("urn total", "inflight")
    assert (await first).text == "return total"
    assert len(service.provider.asked) == 1


async def test_typing_something_else_asks_anew():
    service = Service(Fixed("return total"))
    await service.complete(_query("def f():\n    "))
    assert (await service.complete(_query("def f():\n    x"))).cache == "none"
    assert len(service.provider.asked) == 2


async def test_another_text_below_the_cursor_asks_anew():
    service = Service(Fixed("return total"))
    await service.complete(_query("def f():\n    "))
    await service.complete(_query("def f():\n    ", "\nx = 1\n"))
    assert len(service.provider.asked) == 2


async def test_what_was_typed_to_its_end_asks_anew():
    service = Service(Fixed("return total"))
    await service.complete(_query("def f():\n    "))
    assert (await service.complete(_query("def f():\n    return total"))).cache == "none"


async def test_the_provider_is_cancelled_when_the_last_one_who_waits_is():
    provider = Fixed("return total", delay_s=1, piece=1)
    service = Service(provider)
    waiting = [asyncio.ensure_future(service.complete(_query("def f():\n    "))) for _ in range(2)]
    await asyncio.sleep(0.02)
    waiting[0].cancel()
    await asyncio.sleep(0.02)
    assert provider.cancelled == 0
    waiting[1].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.sleep(0.02)
    assert provider.cancelled == 1


class _Ended(OfflineProvider):
    """Says a line whose end comes in two halves, or only in one, and then why it stopped."""

    name = "ended"

    async def complete(self, request):
        yield AnswerText("return total\r")
        yield AnswerMetadata(finish="length")
        yield AnswerText("more")


async def test_half_a_line_end_is_a_whole_one_once_something_else_follows():
    """A piece without text follows, and so the answer is known to be long enough: no more of it is read."""
    found = await Service(_Ended()).complete(Query("file:///a.py", "python", "def f():\n    ", "", "line"))
    assert (found.text, found.raw) == ("return total", "return total\r")


async def test_a_cancelled_answer_is_not_kept():
    service = Service(Fixed("return total", delay_s=0.2))
    waiting = asyncio.ensure_future(service.complete(_query("def f():\n    ")))
    await asyncio.sleep(0.02)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert (await service.complete(_query("def f():\n    "))).cache == "none"


@pytest.mark.parametrize("typed", ["", "x"])
async def test_who_asks_right_after_the_last_waiter_left_is_answered(typed):
    service = Service(Fixed("return total", delay_s=0.02))
    left = asyncio.ensure_future(service.complete(_query("def f():\n    ")))
    await asyncio.sleep(0.005)
    left.cancel()
    found = await asyncio.ensure_future(service.complete(_query(f"def f():\n    {typed}")))
    assert (found.text, found.cache) == ("return total", "none")
    assert left.cancelled()


async def test_an_answer_that_was_given_up_while_another_was_waited_for_is_not_joined():
    service = Service(Fixed(lambda request: "yes" if request.before.endswith("xy") else "no", delay_s=0.02))
    first = service._start_shared(_query("def f():\n    "))
    await asyncio.sleep(0.01)
    second = service._start_shared(_query("def f():\n    x"))
    left = asyncio.ensure_future(service._join(second))
    await asyncio.sleep(0)
    first.task.add_done_callback(lambda _: left.cancel())
    assert (await service.complete(_query("def f():\n    xy"))).text == "yes"
    assert left.cancelled()


@dataclass(slots=True)
class _Uneven(Fixed):
    """Takes longer for some questions."""

    delays: dict[str, float] = field(default_factory=dict)

    async def complete(self, request):
        await asyncio.sleep(self.delays.get(request.before, 0))
        async for piece in super(_Uneven, self).complete(request):
            yield piece


async def test_an_answer_that_came_while_another_was_waited_for_leaves_nobody_waiting():
    service = Service(_Uneven("xyz()", delays={"foo.b": 0.06, "foo.": 0.03}))
    earlier = [asyncio.ensure_future(service.complete(_query(before))) for before in ("foo.b", "foo.")]
    await asyncio.sleep(0.01)
    async with asyncio.timeout(2):
        assert (await service.complete(_query("foo.ba"))).text == "xyz()"
    assert [(await each).text for each in earlier] == ["xyz()", "xyz()"]
    assert service.stats()["underway"] == 0


async def test_who_asked_just_before_the_service_was_closed_is_told():
    service = Service(Fixed("return 1", delay_s=0.05))
    asked = asyncio.ensure_future(service.complete(_query("def f():\n    ")))
    await asyncio.sleep(0)  # it waits, and its question has not had its turn yet
    await service.close()
    async with asyncio.timeout(2):
        await asyncio.gather(asked, return_exceptions=True)
    assert asked.cancelled()
    assert service.stats()["underway"] == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_a_line_end_that_is_cut_in_two_is_one(end):
    text = f"this.users.push(user);{end}  }}{end}{end}  other() {{{end}  }}{end}"
    before = f"class A {{{end}  add(user) {{{end}    "
    told = []
    for piece in (0, 1, 2, 3, 5, 7, 23, 24):
        query = Query("file:///a.js", "javascript", before, f"{end}}}{end}")
        told.append((await Service(Fixed(text, piece=piece)).complete(query)).text)
    assert len(set(told)) == 1, told


def one_by_one(answers):
    """A function that gives these answers one after the other; an error is raised."""
    left = iter(answers)

    def answer(request):
        given = next(left)
        if isinstance(given, Exception):
            raise given
        return given

    return answer


async def test_a_failure_is_an_answer_with_a_reason_and_is_not_kept():
    service = Service(Fixed(one_by_one([ProviderError("the model is away"), "return 1"])))
    failed = await service.complete(_query("def f():\n    "))
    assert (failed.outcome, failed.reason) == ("failed", "the model is away")
    assert (await service.complete(_query("def f():\n    "))).text == "return 1"


async def test_a_fault_that_nobody_foresaw_is_a_failure_too_and_is_logged_without_the_key(monkeypatch, caplog):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-MARKED-0123456789")
    service = Service(Fixed(one_by_one([ValueError("no number: 'Bearer sk-MARKED-0123456789'"), "return 1"])))
    failed = await service.complete(_query("def f():\n    "))
    assert (failed.outcome, failed.reason) == ("failed", "ValueError: no number: 'Bearer …'")
    assert "Traceback" in caplog.text
    assert "sk-MARKED" not in caplog.text
    assert (await service.complete(_query("def f():\n    "))).text == "return 1"


async def test_a_stream_is_ended_as_soon_as_what_is_wanted_is_there():
    text = "x = f(1)\ny = 2\nz = 3\nw = 4\n"
    provider = Fixed(text, piece=1)
    found = await Service(provider).complete(_query("a = 0\n", stop="statement"))
    assert found.text == "x = f(1)"
    assert found.tokens < len("x = f(1)\ny = ")
    assert provider.cancelled == 1


async def test_without_the_stop_repair_a_stream_is_read_to_its_end():
    text = "x = f(1)\ny = 2\n"
    service = Service(Fixed(text, piece=1), Settings(repairs=("prose",)))
    assert (await service.complete(_query("a = 0\n", stop="statement"))).text == text


async def test_the_least_recently_used_answer_goes_first():
    service = Service(Fixed("return 1"), Settings(cache=CacheSettings(entries=2)))
    for name in ("a", "b", "c", "b"):
        await service.complete(_query(f"def {name}():\n    "))
    assert len(service.provider.asked) == 3
    await service.complete(_query("def a():\n    "))
    assert len(service.provider.asked) == 4


async def test_nothing_is_kept_when_no_entries_are_wanted():
    service = Service(Fixed("return 1"), Settings(cache=CacheSettings(entries=0)))
    for _ in range(2):
        await service.complete(_query("def a():\n    "))
    assert len(service.provider.asked) == 2


@pytest.mark.parametrize("text", ["", "\n   \n"])
async def test_an_answer_of_nothing_is_empty(text):
    assert (await Service(Fixed(text)).complete(_query("x"))).outcome == "empty"
