"""`textDocument/copilotInlineEdit`: the next edit, wherever in the open documents it is.

The method and its shapes are those of GitHub Copilot's language server: `{textDocument, position}` gives `{edits: [{text, range, textDocument}]}`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace as with_members
from typing import Any

from msgspec.structs import replace

from server.documents import Document, LineCharacter
from server.edit_answers import ProposedChange, read_edit_answer
from server.errors import ProviderError
from server.lsp.completion import document_path, failure, query_at
from server.lsp.protocol import RequestFailed
from server.lsp.server import Server
from server.queries import CompletionResult
from server.wire.wire_messages import EditParams, convert_params
from syntax.errors import OffsetError
from syntax.text import length

INLINE_EDIT = "textDocument/copilotInlineEdit"


async def propose(ls: Server, params: Any) -> dict[str, Any]:
    """Answer with the next edit, or none.

    Raises:
        RequestFailed: the document is not open, the provider fails, or its answer is no edit of what is open.

    """
    asked = convert_params(params, EditParams)
    ls.cancel_with_request()
    where = asked.text_document.uri, (asked.position.line, asked.position.character)
    answered = ls.under_way[where] = asyncio.Event()
    try:
        result, edits = await _answer(ls, asked, where[1])
    except Exception as error:  # noqa: BLE001 - whatever fails, the editor gets it as an error, and the server goes on
        result, edits = failure(ls, error), []
    finally:
        answered.set()
        if ls.under_way.get(where) is answered:
            del ls.under_way[where]
    ls.remember(where, result)
    if result.outcome == "failed":
        raise RequestFailed(result.reason)
    return {"edits": edits}


async def _answer(ls: Server, asked: EditParams, place: LineCharacter) -> tuple[CompletionResult, list[dict[str, Any]]]:
    """What the provider proposes, and the same as the protocol has it."""
    document = ls.documents.get(asked.text_document.uri)
    documents = _named(ls)
    paths = {other.uri: path for path, other in documents.items()}
    before, after = document.split(place)  # of a notebook the cell alone, whose edits are its own
    edited = tuple(with_members(edit, path=paths.get(uri, uri)) for uri, edit in ls.protocol.recent.latest("", 0))
    query = query_at(ls, ls.service, document, place, sample=asked.sample)
    result = await ls.service.propose(replace(query, before=before, after=after, edited=edited, paths=paths))
    if result.outcome == "failed":
        return result, []
    try:
        edits = [_wire_edit(documents, change) for change in read_edit_answer(result.raw)]
    except (ProviderError, LookupError, OffsetError) as error:
        return replace(result, outcome="failed", reason=f"{result.provider}: {error}"), []
    return replace(result, text=result.raw, outcome="shown" if edits else "empty"), edits


def _named(ls: Server) -> dict[str, Document]:
    """The open documents by the names that an answer has for them: their paths; the URI of one whose path another has, as cells of a notebook."""
    named: dict[str, Document] = {}
    for document in ls.documents.all():
        path = document_path(ls, document.uri)
        named[document.uri if path in named else path] = document
    return named


def _wire_edit(documents: Mapping[str, Document], change: ProposedChange) -> dict[str, Any]:
    """A change with its range as positions, as the client counts them."""
    document = documents.get(change.path)
    if document is None:
        raise LookupError(f"it changes {change.path!r}, which is not open")
    if not 0 <= change.start <= change.end <= length(document.text):
        raise OffsetError(f"it changes {change.path} from {change.start} to {change.end}, which is outside of it")
    start, end = document.position(change.start), document.position(change.end)
    return {
        "textDocument": {"uri": document.uri, "version": document.version},
        "range": {"start": _position(start), "end": _position(end)},
        "text": change.text,
    }


def _position(place: LineCharacter) -> dict[str, int]:
    line, character = place
    return {"line": line, "character": character}
