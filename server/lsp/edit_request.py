"""`textDocument/copilotInlineEdit`: the next edit, wherever in the open documents it is.

The method and its shapes are those of GitHub Copilot's language server: `{textDocument, position}` gives `{edits: [{text, range, textDocument}]}`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec.structs import replace

from server.documents import Document
from server.edit_answers import ProposedChange, read_edit_answer
from server.errors import DocumentError, ProviderError
from server.lsp.completion import document_path, query_at
from server.lsp.protocol import RequestFailed
from server.lsp.server import Server
from server.queries import CompletionResult
from server.wire.wire_messages import PositionParams, convert_params
from syntax.errors import OffsetError
from syntax.text import length, position_at

INLINE_EDIT = "textDocument/copilotInlineEdit"


async def propose(ls: Server, params: Any) -> dict[str, Any]:
    """Answer with the next edit, or none.

    Raises:
        RequestFailed: the document is not open, the provider fails, or its answer is no edit of what is open.

    """
    asked = convert_params(params, PositionParams)
    ls.cancel_with_request()
    where = asked.text_document.uri, (asked.position.line, asked.position.character)
    answered = ls.under_way[where] = asyncio.Event()
    try:
        documents = {document_path(ls, document.uri): document for document in ls.documents.all()}
        result, edits = await _answer(ls, *where, documents)
        ls.remember(where, result)
    except DocumentError as error:
        raise RequestFailed(str(error)) from error
    finally:
        answered.set()
        if ls.under_way.get(where) is answered:
            del ls.under_way[where]
    if result.outcome == "failed":
        raise RequestFailed(result.reason)
    return {"edits": edits}


async def _answer(
    ls: Server, uri: str, place: tuple[int, int], documents: dict[str, Document]
) -> tuple[CompletionResult, list[dict[str, Any]]]:
    """What the provider proposes, and the same as the protocol has it."""
    query = query_at(ls, ls.service, ls.documents.get(uri), place)
    paths = {document.uri: path for path, document in documents.items()}
    edited = tuple(edit for _, edit in ls.protocol.recent.latest("", 0))
    result = await ls.service.propose(replace(query, edited=edited, paths=paths))
    if result.outcome == "failed":
        return result, []
    try:
        edits = [_wire_edit(documents, change) for change in read_edit_answer(result.raw)]
    except (ProviderError, LookupError, OffsetError) as error:
        return replace(result, outcome="failed", reason=f"{result.provider}: {error}"), []
    return replace(result, text=result.raw, outcome="shown" if edits else "empty"), edits


def _wire_edit(documents: dict[str, Document], change: ProposedChange) -> dict[str, Any]:
    """A change with its range as positions."""
    document = documents.get(change.path)
    if document is None:
        raise LookupError(f"it changes {change.path!r}, which is not open")
    if not 0 <= change.start <= change.end <= length(document.text):
        raise OffsetError(f"it changes {change.path} from {change.start} to {change.end}, which is outside of it")
    start, end = (position_at(document.text, offset) for offset in (change.start, change.end))
    return {
        "textDocument": {"uri": document.uri, "version": document.version},
        "range": {
            name: {"line": line, "character": character} for name, (line, character) in (("start", start), ("end", end))
        },
        "text": change.text,
    }
