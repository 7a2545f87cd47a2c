"""What there is of an answer is told while it comes, to those who want that; it changes no answer."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from server.lsp.completion import _streamed
from server.providers.fixed import Fixed
from server.queries import Query
from server.service import Service
from tests.support.waiting import PATIENCE_S

TEXT = "return total + 1"


async def test_the_pieces_of_an_answer_are_told_as_they_come():
    told = []
    query = Query("file:///a.py", "python", "def f():\n    ", "\n", streamed=told.append)
    answer = await Service(Fixed(TEXT, piece=4)).complete(query)
    plain = await Service(Fixed(TEXT, piece=4)).complete(Query("file:///a.py", "python", "def f():\n    ", "\n"))
    assert told == ["retu", "return t", "return total", TEXT]
    assert (answer.text, answer.raw) == (plain.text, plain.raw) == (TEXT, TEXT)


def test_it_is_told_ten_times_a_second_at_the_most_and_not_at_once():
    sent, now = [], 100.0

    class Ls:
        class protocol:  # noqa: N801 - as the server calls it
            @staticmethod
            def notify(method, params):
                sent.append((round(now - 100.0, 2), method, params))

    send = _streamed(Ls, "the-token", lambda: now)
    for step in range(40):
        now = 100.0 + step / 100
        send("x" * step)
    assert [at for at, _, _ in sent] == [0.1, 0.2, 0.3]
    assert sent[0][1:] == ("ghosttape/streamed", {"token": "the-token", "text": "x" * 10})


@pytest.mark.parametrize("streams", ["the-token", ""])
async def test_an_editor_that_wants_it_sees_a_slow_answer_grow(start, model_server, streams):
    model_server.pieces, model_server.delay_s = ["return ", "total", " + ", "1", " + ", "2"], 0.15
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url}})
    told = []
    editor.client.feature("ghosttape/streamed")(lambda params: told.append((params.token, params.text)))
    editor.open("def f():\n    ")
    items = await asyncio.wait_for(editor.request(1, 4, streams=streams), PATIENCE_S)
    assert items[0].insert_text == "return total + 1 + 2"
    assert bool(told) is bool(streams)
    assert {token for token, _ in told} <= {streams}
    assert all(later.startswith(earlier) for (_, earlier), (_, later) in pairwise(told))
