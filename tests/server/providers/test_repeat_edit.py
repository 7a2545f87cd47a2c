"""The baseline for next edits: the last replacement again."""

import pytest

from server.context import Context, RecentEdit
from server.documents import Document, known
from server.edit_answers import ProposedChange, edit_answer, read_edit_answer
from server.errors import ProviderRefused
from server.prompt import Prompt
from server.providers import registry
from server.providers.protocol import Request, answer_text, proposes_edits
from server.providers.repeat_edit import RepeatEdit, replacement
from server.settings import ProviderSettings


def edit(old, new):
    return RecentEdit("a.py", 0, tuple(old), tuple(new))


@pytest.mark.parametrize(
    ("old", "new", "pair"),
    [
        (["total = 1"], ["amount = 1"], ("total", "amount")),
        (["count = f(count)"], ["counter = f(counter)"], ("count", "counter")),
        (["a = b + b"], ["a = c + b"], ("b", "c")),
        (["total = 1"], ["amount = 2"], None),
        (["total = 1"], [], None),
        (["f(a)"], ["f(a, b)"], None),
        ([], ["x = 1"], None),
        (["a + b"], ["a - b"], None),
    ],
)
def test_only_one_word_in_the_place_of_another_is_a_replacement(old, new, pair):
    assert replacement(edit(old, new)) == pair


RENAMED = (edit(["total"], ["amount"]),)


async def proposed(before, after, *others, edited=RENAMED, asks="edit"):
    opened = tuple(Document(f"file:///{path}", "python", 1, text, known(text), "utf-16") for path, text in others)
    paths = {"file:///a.py": "a.py", **{document.uri: document.uri.removeprefix("file:///") for document in opened}}
    context = Context("a.py", "python", before, after)
    request = Request(
        before,
        after,
        "auto",
        context,
        Prompt(),
        uri="file:///a.py",
        opened=opened,
        asks=asks,
        edited=edited,
        paths=paths,
    )
    return read_edit_answer(answer_text([piece async for piece in RepeatEdit().complete(request)]))


@pytest.mark.parametrize("name", ["ngram", "fixed", "repeat-edit"])
def test_what_is_declared_of_a_provider_is_what_it_does(name):
    assert proposes_edits(registry.make(ProviderSettings(name=name))) == (name in registry.edit_providers())


async def test_the_next_place_is_behind_the_cursor_then_from_the_start_then_in_another_document():
    other = ("b.py", "# 😀\nprint(total)\n")
    assert await proposed("amount = 1\n", "total\ntotal", other) == (ProposedChange("a.py", 11, 16, "amount"),)
    assert await proposed("total\namount", "\n", other) == (ProposedChange("a.py", 0, 5, "amount"),)
    assert await proposed("amount", "\n", other) == (ProposedChange("b.py", 11, 16, "amount"),)


async def test_parts_of_words_are_no_places():
    assert await proposed("amount", " subtotal total_of totals") == ()


@pytest.mark.parametrize("more", [{"edited": ()}, {"asks": "completion"}, {"edited": (edit(["x"], ["y", "z"]),)}])
async def test_where_nothing_was_replaced_or_text_is_wanted_it_is_silent(more):
    assert await proposed("amount ", "total", **more) == ()


def test_an_answer_is_read_as_it_was_written_and_nothing_is_an_empty_text():
    changes = (ProposedChange("a.py", 1, 2, "x"), ProposedChange("b.py", 0, 0, ""))
    assert read_edit_answer(edit_answer(changes)) == changes
    assert edit_answer(()) == ""
    assert read_edit_answer(" ") == ()


@pytest.mark.parametrize("raw", ["return 1", "[]", '{"edits": [{"path": "a.py"}]}', '{"edits": 1}'])
def test_what_is_no_list_of_edits_is_refused(raw):
    with pytest.raises(ProviderRefused, match="no list of edits"):
        read_edit_answer(raw)
