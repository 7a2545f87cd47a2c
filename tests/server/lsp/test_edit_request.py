"""`textDocument/copilotInlineEdit`: the next edit, over standard input and output."""

import json

import pytest
from pygls.exceptions import JsonRpcException

REPEAT = {"provider": {"name": "repeat-edit"}}
TEXT = "total = 1\nprint('😀', total)\n"


def fixed(*edits):
    return {"provider": {"name": "fixed", "text": json.dumps({"edits": edits})}}


def edit(start, end, text, path="a.py"):
    return {"path": path, "start": start, "end": end, "text": text}


async def propose(editor, line=0, character=6, uri="file:///a.py"):
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    answer = await editor.client.protocol.send_request_async("textDocument/copilotInlineEdit", params)
    place = lambda at: (at.line, at.character)  # noqa: E731
    return [(one.textDocument.uri, place(one.range.start), place(one.range.end), one.text) for one in answer.edits]


async def test_what_was_replaced_is_proposed_at_its_next_place(start):
    editor = await start(REPEAT)
    editor.open(TEXT)
    editor.change(2, (0, 0, 0, 5, "amount"))
    assert await propose(editor) == [("file:///a.py", (1, 12), (1, 17), "amount")]
    assert (await editor.explain(0, 6)).outcome == "shown"


async def test_the_place_may_be_in_another_open_document(start):
    editor = await start(REPEAT)
    editor.open("from a import total\n", uri="file:///b.py")
    editor.open("total = 1\n")
    editor.change(2, (0, 0, 0, 5, "amount"))
    assert await propose(editor) == [("file:///b.py", (0, 14), (0, 19), "amount")]


async def test_no_edit_is_an_empty_list(start):
    editor = await start(REPEAT)
    editor.open(TEXT)
    assert await propose(editor) == []
    assert (await editor.explain(0, 6)).outcome == "empty"


async def test_several_edits_come_in_their_order(start):
    editor = await start(fixed(edit(0, 5, "a"), edit(22, 27, "a")))
    editor.open(TEXT)
    assert [found[1:] for found in await propose(editor)] == [((0, 0), (0, 5), "a"), ((1, 12), (1, 17), "a")]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"provider": {"name": "fixed", "text": "return 1"}}, "fixed: the answer is no list of edits"),
        (fixed(edit(0, 99, "x")), "a.py from 0 to 99, which is outside of it"),
        (fixed(edit(5, 2, "x")), "outside of it"),
        (fixed(edit(0, 1, "x", path="gone.py")), "'gone.py', which is not open"),
        (
            {"provider": {"name": "ngram"}},
            "provider 'ngram' proposes no edits: choose one of recorded, oracle, repeat-edit, fixed",
        ),
    ],
)
async def test_what_is_no_edit_of_what_is_open_fails_with_its_reason(start, settings, reason):
    editor = await start(settings)
    editor.open(TEXT)
    with pytest.raises(JsonRpcException, match=reason):
        await propose(editor)
    assert (await editor.explain(0, 6)).outcome == "failed"


async def test_a_document_that_is_not_open_is_refused(start):
    editor = await start(REPEAT)
    with pytest.raises(JsonRpcException, match="is not open"):
        await propose(editor, uri="file:///gone.py")


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 14), ("utf-16", 12), ("utf-32", 11)])
async def test_positions_are_counted_as_the_client_counts(start, encoding, character):
    editor = await start(REPEAT, encodings=(encoding,))
    editor.open(TEXT)
    editor.change(2, (0, 0, 0, 5, "amount"))
    ((_, begin, _, _),) = await propose(editor)
    assert begin == (1, character)


async def test_documents_of_one_name_are_told_apart(start):
    other = edit(0, 1, "b", path="file:///two/a.py")
    editor = await start(fixed(edit(0, 1, "a"), other))
    editor.open("x\n", uri="file:///one/a.py")
    editor.open("y\n", uri="file:///two/a.py")
    found = await propose(editor, character=0, uri="file:///one/a.py")
    assert [(uri, text) for uri, _, _, text in found] == [("file:///one/a.py", "a"), ("file:///two/a.py", "b")]
