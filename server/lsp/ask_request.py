"""`ghosttape.ask`: one question to a provider that the client names, at any place of a document. It changes nothing.

The answer is made as a completion is: context, prompt, provider, repairs. It does not use the cache. No listener is told, so it is not recorded,
not counted, and unknown to `ghosttape/explain`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec.structs import replace
from pygls.exceptions import JsonRpcInvalidParams, JsonRpcRequestCancelled

from server.api_keys import masked
from server.documents import Document, LineCharacter, known
from server.errors import DocumentError, ProviderError, SettingsError
from server.lsp.completion import project_path, query_at
from server.lsp.protocol import RequestFailed
from server.lsp.reconfiguration import started_provider
from server.lsp.server import Server, refuse_oracle
from server.providers import registry
from server.providers.protocol import Provider
from server.queries import CompletionResult, Query
from server.service import Service
from server.settings import AnswerRecord, CacheSettings, ProviderSettings, Settings, merge
from server.wire.wire_messages import DocumentIdentifier, Position

ASK = "ghosttape.ask"


class AskOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Where is asked, and whom."""

    text_document: DocumentIdentifier
    position: Position
    provider: dict[str, Any] = {}
    """As in `initializationOptions`: laid over the settings that the server was started with. Keys come from the environment alone."""
    text: str | None = None
    """The text of a document that is not open, or was another one then. It is all that the model is told: files and open documents of
    the present may hold what was written there later. None: the document is open, and asked about as in a completion."""
    language_id: str = ""
    """With `text`: its language, by LSP's name."""


async def ask(ls: Server, order: Any = None) -> dict[str, Any]:
    """Ask, and give the result as `ghosttape/explain` does, with the `range` that the answer stands in for.

    A provider that fails is an answer too (`outcome` failed, with its `reason`).

    Raises:
        JsonRpcInvalidParams: the order is malformed, or names no provider that there is.
        RequestFailed: the document is not open, or has no such line.

    """
    wanted = _order(order)
    settings = _settings(ls, wanted.provider)
    where = wanted.position.line, wanted.position.character
    ls.cancel_with_request()
    try:
        document = _document(ls, wanted)
        result = await _result(ls, settings, document, where, is_alone=wanted.text is not None)
        return {**result.explained(), "range": _range(document, where, result.covered)}
    except DocumentError as error:
        raise RequestFailed(str(error)) from error
    except SettingsError as error:
        raise _refused(error) from error
    except asyncio.CancelledError as error:
        raise JsonRpcRequestCancelled(f"{ASK} was cancelled") from error


def _order(order: Any) -> AskOrder:
    try:
        return msgspec.convert(order, AskOrder)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(f"{ASK}: {error}") from error


def _settings(ls: Server, provider: Mapping[str, Any]) -> Settings:
    """The settings of now with another provider, and without a record of its answers."""
    initial = ls.initial.settings
    try:
        chosen = merge(initial, {"provider": provider}).provider
        registry.check(chosen.name)
        refuse_oracle(chosen)
    except SettingsError as error:
        raise _refused(error) from error
    may_use_key = initial.provider.use_key or "base_url" in provider  # a folder's file may have named the server
    asked = replace(chosen, record=AnswerRecord(), use_key=chosen.use_key and may_use_key)
    return replace(ls.settings, provider=asked, cache=CacheSettings(entries=0))


def _refused(error: SettingsError) -> JsonRpcInvalidParams:
    return JsonRpcInvalidParams(f"{ASK}: {masked(str(error))}")


def _document(ls: Server, wanted: AskOrder) -> Document:
    uri = wanted.text_document.uri
    if wanted.text is None:
        return ls.documents.get(uri)
    return Document(uri, wanted.language_id, 0, wanted.text, known(wanted.text), ls.documents.encoding)


async def _result(
    ls: Server, settings: Settings, document: Document, where: LineCharacter, *, is_alone: bool
) -> CompletionResult:
    document.offset(where)  # before a model is loaded for a line that is not there
    try:
        async with _provider(ls, settings.provider) as provider:
            service = Service(provider, settings)
            query = _alone(document, where) if is_alone else query_at(ls, service, document, where)
            return await service.complete(query)
    except ProviderError as error:
        return CompletionResult(outcome="failed", reason=masked(str(error)), provider=settings.provider.name)


def _alone(document: Document, where: LineCharacter) -> Query:
    before, after = document.split(where)
    _, path = project_path(document.uri, ())
    return Query(document.uri, document.language, before, after, path=path, opened=(document,))


@asynccontextmanager
async def _provider(ls: Server, settings: ProviderSettings) -> AsyncIterator[Provider]:
    """The server's own provider if it is the one that is named, else one that is made for this question."""
    if settings == ls.settings.provider:
        yield ls.service.provider
        return
    provider = await started_provider(ls, settings)
    try:
        yield provider
    finally:
        await provider.close()


def _range(document: Document, start: LineCharacter, covered: int) -> dict[str, Any]:
    """The range of `covered` characters behind a position, as JSON."""
    start = document.clamped(start)
    end = document.moved(start, covered) if covered else start
    return {
        name: {"line": line, "character": character} for name, (line, character) in (("start", start), ("end", end))
    }
