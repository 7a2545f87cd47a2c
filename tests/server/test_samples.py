"""Several answers to one question: the member `sample` of a request, from the wire to the seed."""

from __future__ import annotations

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from server.providers.fixed import Fixed
from server.queries import Query
from server.service import Service

COUNTING = "def describe(items):\n    total = 0\n    "


def _query(sample, before=COUNTING):
    return Query("file:///a.py", "python", before, "\n", sample=sample)


async def test_another_sample_is_another_question_and_the_same_one_is_not():
    service = Service(Fixed(lambda request: f"return {request.sample}"))
    answers = [await service.complete(_query(sample)) for sample in (0, 1, 1, 0, 2)]
    assert [(answer.text, answer.cache) for answer in answers] == [
        ("return 0", "none"),
        ("return 1", "none"),
        ("return 1", "prefix"),
        ("return 0", "prefix"),
        ("return 2", "none"),
    ]


async def test_an_answer_is_typed_along_in_its_own_sample_only():
    service = Service(Fixed(lambda request: f"return {request.sample}"))
    await service.complete(_query(1))
    typed = [await service.complete(_query(sample, COUNTING + "return")) for sample in (1, 0)]
    assert [(answer.text, answer.cache) for answer in typed] == [(" 1", "typed"), (" 0", "none")]


async def test_without_the_member_it_is_the_first_sample(start):
    editor = await start({"provider": {"name": "fixed", "text": "return 1"}})
    editor.open("def f():\n    \n")
    assert await editor.ask(1, 4) == await editor.ask(1, 4, sample=0) == ("return 1", 4)
    assert (await editor.explain(1, 4)).cache == "prefix"
    assert await editor.ask(1, 4, sample=1) == ("return 1", 4)
    assert (await editor.explain(1, 4)).cache == "none"


@pytest.mark.parametrize("sample", [-1, 1.5, "one", 2**31, True])
async def test_a_sample_that_is_no_number_of_one_is_refused(start, sample):
    editor = await start({"provider": {"name": "fixed", "text": "return 1"}})
    editor.open("def f():\n    \n")
    with pytest.raises(JsonRpcInvalidParams):
        await editor.ask(1, 4, sample=sample)
