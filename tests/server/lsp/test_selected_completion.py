"""A completion extends the item that is selected in the editor's list of completions (LSP 3.18, "SelectedCompletionInfo")."""

from __future__ import annotations

import pytest
from lsprotocol import types


async def asked(editor, cursor, replaced, text):
    """Ask at a cursor (line, character) with an item selected that replaces a part of the line; gives the text and range of what is offered."""
    (line, character), (start, end) = cursor, replaced
    where = types.Range(types.Position(line, start), types.Position(line, end))
    selected = types.SelectedCompletionInfo(where, text)
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic, selected)
    place = types.Position(line, character)
    params = types.InlineCompletionParams(context, types.TextDocumentIdentifier("file:///a.py"), place)
    items = await editor.client.text_document_inline_completion_async(params)
    return [(item.insert_text, item.range.start.character, item.range.end.character) for item in items]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
async def test_the_answer_extends_the_selected_item_in_its_range(start, encoding):
    editor = await start({"provider": {"name": "fixed", "text": "(x)"}}, encodings=(encoding,))
    editor.open("é = 1\nconsole.\nprint(lo)\n")
    assert await asked(editor, (1, 8), (7, 8), ".log") == [(".log(x)", 7, 8)]
    assert await asked(editor, (1, 8), (8, 8), "lög") == [("lög(x)", 8, 8)]
    assert await asked(editor, (1, 8), (8, 99), "log") == [("log(x)", 8, 8)], "past the end of a line is its end"
    assert await asked(editor, (1, 8), (0, 3), "log") == [("(x)", 8, 8)], "an item elsewhere is no part of the answer"
    explained = await editor.explain(1, 8)
    assert explained.repaired == "(x)"


async def test_the_model_sees_the_selected_item_as_typed_and_what_is_closed_behind_it_is_covered(start, model_server):
    model_server.pieces = ["1, 2))"]
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url, "model": "m"}})
    editor.open("print(lo)\n")
    assert await asked(editor, (0, 8), (6, 8), "log(") == [("log(1, 2))", 6, 9)]
    assert model_server.asked[-1][1]["prompt"] == "print(log("


async def test_where_nothing_extends_the_item_what_is_written_goes_on(start, model_server):
    """The editor keeps that back while its list is open, and shows it when the list is gone."""
    nothing = b'data: {"choices": [{"text": "", "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    model_server.statuses, model_server.pieces = [(200, {"Content-Type": "text/event-stream"}, nothing)], [" = 1"]
    editor = await start({"provider": {"name": "openai", "base_url": model_server.base_url, "model": "m"}})
    editor.open("items = []\nit\n")
    assert await asked(editor, (1, 2), (0, 2), "items") == [(" = 1", 2, 2)]
    assert [body["prompt"].rpartition("\n")[2] for _, body, _ in model_server.asked] == ["items", "it"]
