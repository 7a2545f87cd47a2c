"""What an answer depends on, what may be kept, and how each kind of use is counted and switched off."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cache import LruStore
from server.context import Budget, Snippet
from server.providers.fixed import Fixed
from server.providers.ngram import NGram
from server.queries import Query
from server.service import Service
from server.settings import CacheSettings, Settings, parse

BEFORE = "def f():\n    "


def query(before=BEFORE, after="\n", uri="file:///a.py", **more):
    return Query(uri, "python", before, after, **more)


def service(answer="return total", delay_s=0.0, **cache):
    return Service(Fixed(answer, delay_s=delay_s), Settings(cache=CacheSettings(**cache)))


def other(text, path="b.py"):
    return Snippet(path, text)


@pytest.mark.parametrize("typed", ["", "ret"])
async def test_an_answer_serves_no_longer_when_another_document_has_changed(typed):
    asked = service()
    await asked.complete(query(others=[other("x = 1\n")]))
    assert (await asked.complete(query(BEFORE + typed, others=[other("x = 2\n")]))).cache == "none"
    assert asked.stats()["outdated"] == 1


async def test_an_answer_serves_no_longer_when_another_document_was_closed():
    asked = service()
    await asked.complete(query(others=[other("x = 1\n")]))
    assert (await asked.complete(query())).cache == "none"


async def test_an_answer_serves_while_other_documents_come_into_view_or_are_ordered_anew():
    asked = service()
    await asked.complete(query(others=[other("x = 1\n"), other("y\n", "c.py")]))
    others = [other("new\n", "d.py"), other("y\n", "c.py"), other("x = 1\n")]
    assert (await asked.complete(query(others=others))).cache == "prefix"


async def test_an_empty_answer_does_not_serve_when_a_new_document_has_something_to_say():
    asked, before = Service(NGram()), "    zeta = alpha("
    assert (await asked.complete(query(before))).outcome == "empty"
    opened = [other("    zeta = alpha(beta)\n")]
    later = await asked.complete(query(before, others=opened))
    fresh = await Service(NGram()).complete(query(before, others=opened))
    assert (later.text, later.cache) == (fresh.text, "none")
    assert fresh.text.startswith("beta")


async def test_an_answer_of_which_the_repairs_left_nothing_is_not_kept():
    asked = service("<think>what to say</think>")
    assert [(await asked.complete(query())).outcome for _ in range(2)] == ["filtered", "filtered"]
    assert len(asked.provider.asked) == 2


async def test_an_answer_serves_again_when_an_edit_elsewhere_was_undone_before_anyone_asked():
    asked = service()
    await asked.complete(query(others=[other("x = 1\n")]))
    await asked.complete(query("y", others=[other("x = 2\n")]))
    assert (await asked.complete(query(others=[other("x = 1\n")]))).cache == "prefix"


@pytest.mark.parametrize(("path", "kept"), [("shown.py", False), ("not_shown.py", True)])
async def test_a_file_on_disk_counts_only_if_the_prompt_showed_a_piece_of_it(path, kept):
    provider = Fixed("return 1")
    provider.budget = Budget(before=100, after=100, snippets=400)
    asked = Service(provider)
    like = "def area(width, height):\n    return width * height\n"
    files = {"shown.py": like, "not_shown.py": "ZZZ = 'nothing of the kind'\n"}
    before = "def area(width, height):\n    "

    async def ask():
        given = [Snippet(name, text) for name, text in files.items()]
        return await asked.complete(query(before, files=given))

    assert "shown.py" in (await ask()).sources
    files[path] += "# changed\n"
    assert (await ask()).cache == ("prefix" if kept else "none")


@pytest.mark.parametrize(("before", "after"), [("import os\n" + BEFORE, "\n"), (BEFORE, "\n" * 400 + "x = 1\n")])
async def test_an_edit_far_away_in_the_same_document_asks_anew(before, after):
    asked = service()
    await asked.complete(query(BEFORE, "\n" * 400))
    assert (await asked.complete(query(before, after))).cache == "none"


async def test_an_answer_under_way_is_not_shared_across_an_edit_elsewhere():
    asked = service(delay_s=0.02)
    told = await asyncio.gather(*(asked.complete(query(others=[other(text)])) for text in ("x = 1\n", "x = 2\n")))
    assert [suggestion.cache for suggestion in told] == ["none", "none"]


@pytest.mark.parametrize(("kind", "typed"), [("prefix", ""), ("typed", "ret")])
async def test_each_use_of_what_is_kept_has_a_switch(kind, typed):
    for wanted in (True, False):
        asked = service(**{kind: wanted})
        await asked.complete(query())
        assert (await asked.complete(query(BEFORE + typed))).cache == (kind if wanted else "none")


@pytest.mark.parametrize(("switch", "typed"), [("inflight", ""), ("inflight", "ret"), ("typed", "ret")])
async def test_the_use_of_what_is_under_way_has_a_switch(switch, typed):
    for wanted in (True, False):
        asked = service(delay_s=0.02, **{switch: wanted})
        told = await asyncio.gather(asked.complete(query()), asked.complete(query(BEFORE + typed)))
        assert [suggestion.cache for suggestion in told] == ["none", "inflight" if wanted else "none"]
        assert len(asked.provider.asked) == (1 if wanted else 2)


async def test_no_more_bytes_are_kept_than_may_be():
    asked = service("x" * 1000, entries=100, max_bytes=20_000)
    for number in range(30):
        await asked.complete(query(f"# {number}\n"))
        assert asked.stats()["bytes"] <= 20_000
    told = asked.stats()
    assert 1 < told["entries"] < 30
    assert told["evicted"] == 30 - told["entries"]
    assert (await asked.complete(query("# 29\n"))).cache == "prefix"
    assert (await asked.complete(query("# 0\n"))).cache == "none"


async def test_an_answer_that_is_too_large_leaves_the_others_alone():
    texts = {"a": "small", "b": "x" * 50_000}
    asked = service(lambda request: texts[request.before], max_bytes=20_000)
    for before in ("a", "b", "b"):
        await asked.complete(query(before))
    assert (await asked.complete(query("a"))).cache == "prefix"
    assert asked.stats()["entries"] == 1


async def test_an_answer_typed_along_counts_as_used():
    asked = service(entries=2)
    for before in (BEFORE, "b", BEFORE + "ret", "c"):
        await asked.complete(query(before))
    assert (await asked.complete(query())).cache == "prefix"


async def test_every_answer_is_counted_by_where_it_came_from_and_what_became_of_it():
    asked = service(delay_s=0.01)
    await asyncio.gather(asked.complete(query()), asked.complete(query()))
    await asked.complete(query())
    await asked.complete(query(BEFORE + "re"))
    left = asyncio.ensure_future(asked.complete(query("else")))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.gather(left, return_exceptions=True)
    told = asked.stats()
    assert told["asked"] == 5
    assert told["cache"] == {"none": 1, "typed": 1, "prefix": 1, "inflight": 1}
    assert (told["outcomes"]["shown"], told["outcomes"]["cancelled"]) == (4, 1)
    assert (told["entries"], told["underway"]) == (1, 0)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=60), st.integers(0, 5), st.integers(0, 100))
def test_a_shelf_keeps_what_was_used_last_within_its_limits(puts, entries, most):
    shelf, model = LruStore(entries, most), {}
    for key, size in puts:
        gone = shelf.put(key, key, size)
        model.pop(key, None)
        model[key] = size
        expected = [key] if size > most else []
        model = {kept: held for kept, held in model.items() if kept not in expected}
        while len(model) > entries or sum(model.values()) > most:
            expected.append(next(iter(model)))
            del model[expected[-1]]
        assert (gone, len(shelf), shelf.bytes) == (expected, len(model), sum(model.values()))
    assert [key for key in range(10) if shelf.get(key) is not None] == sorted(model)


@pytest.mark.parametrize("name", ["entries", "explanations", "max_bytes"])
def test_limits_below_nothing_are_refused(name):
    with pytest.raises(Exception, match="cannot be below 0"):
        parse(f'{{"cache": {{"{name}": -1}}}}')


async def test_an_editor_can_ask_what_was_used_again(start):
    editor = await start({"provider": {"name": "fixed", "text": "return total / 2"}})
    editor.open("def f():\n    ")
    await editor.ask(1, 4)
    await editor.ask(1, 4)
    editor.change(2, (1, 4, 1, 4, "return to"))
    await editor.ask(1, 13)
    told = await editor.client.protocol.send_request_async("ghosttape/stats", None)
    assert (told.cache.none, told.cache.prefix, told.cache.typed, told.entries) == (1, 1, 1, 1)
    assert told.bytes > 0
    assert told.explanations.entries == 2


async def test_an_edit_in_another_open_document_asks_the_provider_anew(start):
    editor = await start({"provider": {"name": "fixed", "text": "return 1"}})
    editor.open("def f():\n    ")
    editor.open("x = 1\n", "file:///b.py")
    await editor.ask(1, 4)
    editor.change(2, (0, 4, 0, 5, "2"), uri="file:///b.py")
    await editor.ask(1, 4)
    assert (await editor.explain(1, 4)).cache == "none"
    editor.change(3, (0, 4, 0, 5, "1"), uri="file:///c.py")  # of a document that is not open: nothing happens
    await editor.ask(1, 4)
    assert (await editor.explain(1, 4)).cache == "prefix"
