"""`textDocument/inlineCompletion`: from the parameters to a query, from its result to an item; and `ghosttape/explain`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from lsprotocol import types

from server import request_counts
from server.api_keys import log_fault, masked
from server.context import RecentEdit, Snippet
from server.documents import Document, LineCharacter
from server.errors import DocumentError, ProviderError, SettingsError
from server.lsp.editor_events import CompletionReturned
from server.lsp.params import CompletionParams
from server.lsp.protocol import RequestFailed, place
from server.lsp.server import Location, Server
from server.queries import CompletionResult, Query
from server.service import Service
from server.wire.json_values import STREAMED, UNDER_WAY
from server.wire.wire_messages import PositionParams, convert_params
from syntax.text import cut, length

ACCEPTED = "ghosttape.accepted"
"""The command of an item, which the editor runs when the person accepts the item."""
_STREAM_EVERY_S = 0.1


async def complete(ls: Server, params: CompletionParams) -> list[types.InlineCompletionItem]:
    """Answer a request for completions with one item, or none."""
    where = (params.text_document.uri, place(params.position))
    answered = ls.under_way[where] = asyncio.Event()
    try:
        return await _answer(ls, params, where)
    finally:
        answered.set()
        if ls.under_way.get(where) is answered:
            del ls.under_way[where]


async def explain(ls: Server, params: Any) -> dict[str, Any] | None:
    """The result of the last request at a location, once it is answered; null when there was none, or it is no longer kept."""
    asked = convert_params(params, PositionParams)
    if (where := _location(ls, asked)) in ls.under_way:
        await ls.under_way[where].wait()
    result = ls.explanations.get(where)
    return None if result is None else result.explained()


def _location(ls: Server, asked: PositionParams) -> Location:
    """The location of the request that is meant: a position past the end of its line means the end of the line."""
    uri, position = asked.text_document.uri, (asked.position.line, asked.position.character)
    if (uri, position) in ls.under_way or ls.explanations.get((uri, position)) is not None:
        return uri, position  # the text may have changed since
    try:
        return uri, ls.documents.get(uri).clamped(position)
    except DocumentError:
        return uri, position


async def _answer(ls: Server, params: CompletionParams, where: Location) -> list[types.InlineCompletionItem]:
    since = time.monotonic()
    try:
        result = await _result(ls, params)
        if not result.text and result.outcome != "failed" and params.context.selected_completion_info is not None:
            params.context.selected_completion_info = (
                None  # nothing extends the item: the editor shows this when its list is gone
            )
            result = await _result(ls, params)
    except asyncio.CancelledError:
        ls.protocol.tell_missing(params, "cancelled", 1000 * (time.monotonic() - since))
        ls.remember(where, CompletionResult(outcome="cancelled", provider=ls.settings.provider.name))
        raise
    except Exception as error:  # noqa: BLE001 - whatever fails, the editor gets it as an error, and the server goes on
        result = failure(ls, error)
    ls.remember(where, result)
    if result.outcome == "failed":
        raise RequestFailed(result.reason)
    if not result.text or params.document is None or _stands_there(*_asked_at(params, params.document), result):
        ls.protocol.tell_missing(params, "empty", result.latency)
        return []
    return [_item(ls, params, params.document, result)]


def _selected(params: CompletionParams, document: Document) -> tuple[LineCharacter, LineCharacter, str] | None:
    """The range and the text of the item that is selected in the editor's list; None if there is none at the cursor."""
    selected, cursor = params.context.selected_completion_info, place(params.position)
    if selected is None:
        return None
    start, end = (
        document.clamped(document.bounded(place(each))) for each in (selected.range.start, selected.range.end)
    )
    return (start, end, selected.text) if start <= cursor <= end else None


def _asked_at(params: CompletionParams, document: Document) -> tuple[Document, LineCharacter]:
    """The text that is completed, and where: behind the selected item, as if it were accepted.

    An editor shows a completion beside its list only if it extends the item that is selected there (LSP 3.18, "SelectedCompletionInfo").
    """
    selected = _selected(params, document)
    if selected is None:
        return document, place(params.position)
    start, end, text = selected
    change = document.offset(start), document.offset(end), text
    completed = document.changed(change, start[0])
    return completed, completed.position(change[0] + length(text))


def _stands_there(document: Document, start: LineCharacter, result: CompletionResult) -> bool:
    """Whether a completion would put in again what it takes the place of, such as the `)` that the editor has closed: no editor shows that."""
    end = document.moved(start, result.covered) if result.covered else start
    return cut(document.text, document.offset(start), document.offset(end)) == result.text


def failure(ls: Server, error: Exception) -> CompletionResult:
    """What an error is as a result; what the person can mend is shown."""
    known = isinstance(error, ProviderError | SettingsError | DocumentError)
    if isinstance(error, ProviderError | SettingsError):
        request_counts.unserved(ls.counts)  # the provider could not be made
        ls.configuration_errors.report(error)
    reason = masked(str(error)) if known else log_fault(error)
    return CompletionResult(outcome="failed", reason=reason, provider=ls.settings.provider.name)


async def _result(ls: Server, params: CompletionParams) -> CompletionResult:
    query = _query(ls, params)
    if params.will_cancel:
        token = {"token": params.will_cancel}
        notify = lambda: ls.protocol.notify(UNDER_WAY, token)  # noqa: E731
        return await ls.service.complete_until_cancelled(query, notify, params.patience)
    return await ls.service.complete(query)


def _query(ls: Server, params: CompletionParams) -> Query:
    document = params.document
    if document is None:
        raise DocumentError(f"{params.text_document.uri} is not open: send textDocument/didOpen first")
    streamed = _streamed(ls, params.streams) if params.streams else None
    wanted = {"stop": params.stop, "sample": params.sample, "streamed": streamed}
    completed, where = _asked_at(params, document)
    query = query_at(ls, ls.service, completed, where, **wanted)
    if not params.shown:
        return query
    evidence = tuple(Snippet(document_path(ls, other.uri), other.text) for other in params.shown)
    return msgspec.structs.replace(query, evidence=evidence, others=evidence, files=())


def query_at(ls: Server, service: Service, document: Document, where: LineCharacter, **wanted: Any) -> Query:
    """The question at a position of an open document, with all that the project can tell a model. `wanted` are further members of it.

    Raises:
        DocumentError: there is no such line.

    """
    before, after = _in_notebook(ls, document, *document.split(where))
    repo, path = project_path(document.uri, ls.folders)
    return Query(
        document.uri,
        document.language,
        before,
        after,
        others=tuple(Snippet(document_path(ls, other.uri), other.text) for other in _others(ls, document)),
        edited=_recent_edits(ls, document.uri, where[0]),
        path=path,
        repo=repo,
        files=_files(ls, service, document.uri),
        opened=ls.documents.all(),
        **wanted,
    )


def _in_notebook(ls: Server, document: Document, before: str, after: str) -> tuple[str, str]:
    """The text before and after the cursor; in a cell of a notebook with the cells of its language above and below it."""
    cells = ls.protocol.notebooks.around(document.uri)
    if not any(cells):
        return before, after
    above, below = (_texts(ls, side, document.language) for side in cells)
    return "".join(f"{text}\n" for text in above) + before, after + "".join(f"\n{text}" for text in below)


def _texts(ls: Server, cells: Sequence[str], language: str) -> list[str]:
    documents = (each for each in ls.documents.all() if each.language == language)
    found = {each.uri: each.text.removesuffix("\n") for each in documents}
    return [found[cell] for cell in cells if cell in found]


def _others(ls: Server, document: Document) -> list[Document]:
    """The other open documents, without the cells that stand before and after this one in its text."""
    cells = {cell for side in ls.protocol.notebooks.around(document.uri) for cell in side}
    others = ls.documents.others(document.uri)
    return [other for other in others if other.uri not in cells or other.language != document.language]


def _streamed(ls: Server, token: str, clock: Callable[[], float] = time.monotonic) -> Callable[[str], None]:
    """Send what there is of an answer, now and then: nothing of one that comes at once."""
    due = clock() + _STREAM_EVERY_S

    def send(text: str) -> None:
        nonlocal due
        if clock() >= due:
            due = clock() + _STREAM_EVERY_S
            ls.protocol.notify(STREAMED, {"token": token, "text": text})

    return send


def _files(ls: Server, service: Service, uri: str) -> tuple[Snippet, ...]:
    """The files of the workspace that are not open, as the last look at the disk found them. This may start another look."""
    if ls.disk is None or not service.budget.snippets:
        return ()
    ls.disk.refresh()
    return ls.disk.near(uri, [other.uri for other in ls.documents.others(uri)])


def _recent_edits(ls: Server, uri: str, line: int) -> tuple[RecentEdit, ...]:
    """The recent edits away from the cursor, the newest first."""
    latest = ls.protocol.recent.latest(uri, line)
    return tuple(replace(edit, path=document_path(ls, where)) for where, edit in latest)


def document_path(ls: Server, uri: str) -> str:
    """The path of a document for the prompt; with several folders it begins with the name of its folder."""
    folder, path = project_path(uri, ls.folders)
    return f"{folder}/{path}" if folder and len(ls.folders) > 1 else path


@lru_cache(maxsize=256)  # asked with every key
def project_path(uri: str, folders: tuple[str, ...]) -> tuple[str, str]:
    """The name of the workspace folder that holds a document, and the document's path in that folder, with `/`.

    `("shop", "src/cart.py")` for `file:///home/a/shop/src/cart.py` in the folder `file:///home/a/shop`; `("", "cart.py")` when no
    folder holds the document.
    """
    whole = unquote(urlsplit(uri).path)
    for folder in sorted(folders, key=len, reverse=True):
        root = unquote(urlsplit(folder).path).rstrip("/")
        if root and whole.startswith(f"{root}/"):
            return PurePosixPath(root).name, whole[len(root) + 1 :]
    return "", PurePosixPath(whole).name


def _item(
    ls: Server, asked: CompletionParams, document: Document, result: CompletionResult
) -> types.InlineCompletionItem:
    """The item of a result. It has a command (`ACCEPTED`) if a listener or the provider wants to know that it was accepted."""
    start = end = place(asked.position)
    text, selected = result.text, _selected(asked, document)
    if selected is not None:
        start, end, text = *selected[:2], selected[2] + text
    end = document.moved(end, result.covered) if result.covered else end
    covered = types.Range(types.Position(*start), types.Position(*end))
    item = types.InlineCompletionItem(insert_text=text, range=covered)
    if ls.listeners:
        change = (document.offset(start), document.offset(end), text)
        ls.protocol.emit(CompletionReturned(asked.request, document, change, result.latency))
    if ls.listeners or result.ticket:
        arguments = [asked.request, result.ticket] if result.ticket else [asked.request]
        item.command = types.Command("Report that the completion was accepted", ACCEPTED, arguments=arguments)
    return item
