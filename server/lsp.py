"""The language server: documents in, inline completions out, and an explanation of each for who asks.

`create` makes it without starting anything, so that other rooms can add commands to it; `serve` runs it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from server import stdio
from server.context import Snippet
from server.documents import Document, Documents, Place, moved
from server.errors import DocumentError, ProviderError, SettingsError
from server.happenings import Accepted, Answered, Ended, Greeted, Hinted, Listener, Saved, Selected
from server.keys import masked
from server.protocol import Asked, Protocol, RequestFailed, converter, place
from server.providers import registry
from server.providers.protocol import Provider
from server.service import Query, Service, Suggestion
from server.settings import Record, Settings, merge, wished

EXPLAIN = "ghosttape/explain"
STATE = "ghosttape/state"
HINT = "ghosttape/hint"
SELECTION = "ghosttape/selection"
ACCEPTED = "ghosttape.accepted"
UNDER_WAY = "ghosttape/underway"
_EDIT_LINES = 6
_Where: TypeAlias = tuple[str, Place]
_log = logging.getLogger("ghosttape.server")


class Server(LanguageServer):
    """A pygls server that knows its settings, its completion service, and what came of the last questions."""

    protocol: Protocol

    def __init__(self, settings: Settings, provider: Provider | None = None) -> None:
        super().__init__("ghosttape", "0.1.0", protocol_cls=Protocol, converter_factory=converter)
        self.settings = settings
        self.explanations: OrderedDict[_Where, Suggestion] = OrderedDict()
        self._provider = provider
        self._service: Service | None = None

    @property
    def documents(self) -> Documents:
        """What the editor has open."""
        return self.protocol.documents

    @property
    def listeners(self) -> list[Listener]:
        """Who hears what happens (`server.happenings`); whoever wants to listen adds itself."""
        return self.protocol.listeners

    @property
    def service(self) -> Service:
        """The completion service, made when first wanted.

        Raises:
            ProviderMissing: the provider lacks what it needs.
            SettingsError: there is no such provider, or its settings contradict each other.

        """
        if self._service is None:
            provider = self._provider or registry.make(self.settings.provider)
            self._service = Service(provider, self.settings)
        return self._service

    def remember(self, where: _Where, suggestion: Suggestion) -> None:
        """Keep what came of a question for `ghosttape/explain`."""
        self.explanations[where] = suggestion
        self.explanations.move_to_end(where)
        while len(self.explanations) > max(self.settings.cache.explanations, 1):
            self.explanations.popitem(last=False)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log it; what goes wrong with a notification is shown to the person too."""
        _log.error("%s", masked(str(error)))
        super().report_server_error(error, source)


def create(settings: Settings | None = None, provider: Provider | None = None) -> Server:
    """Make a server, not started. `provider` stands in for the one that the settings name."""
    server = Server(settings or Settings(), provider)
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.SHUTDOWN)(_shut_down)
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())(_complete)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    server.feature(EXPLAIN)(_explain)
    server.feature(STATE)(_state)
    server.feature(HINT)(_hinted)
    server.feature(SELECTION)(_selected)
    server.command(ACCEPTED)(_accepted)
    return server


def serve(server: Server) -> None:
    """Run a server over standard input and output until its client leaves."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    try:
        server.start_io(*stdio.claim())
    finally:
        server.protocol.tell(Ended())


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    try:
        options, record = wished(params.initialization_options)
        ls.settings = merge(ls.settings, options)
    except SettingsError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    ls.protocol.tell(_greeted(params, record))


def _greeted(params: types.InitializeParams, record: Record | None) -> Greeted:
    client = params.client_info
    named = f"{client.name} {client.version or ''}".strip() if client else "unknown"
    folders = [folder.uri for folder in params.workspace_folders or ()]
    root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
    return Greeted(named, tuple(folders or ([root] if root else ())), record)


async def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Load the model while the person looks for the first line to write."""
    try:
        await ls.service.provider.start()
    except (ProviderError, SettingsError) as error:
        _log.warning("%s", masked(str(error)))


async def _shut_down(ls: Server, params: None) -> None:
    ls.protocol.tell(Ended())
    try:
        await ls.service.close()
    except (ProviderError, SettingsError) as error:
        _log.warning("%s", masked(str(error)))


async def _complete(ls: Server, params: Asked) -> list[types.InlineCompletionItem]:
    where = (params.text_document.uri, place(params.position))
    try:
        suggestion = await _suggested(ls, params)
    except asyncio.CancelledError:
        ls.remember(where, Suggestion(outcome="cancelled", provider=ls.settings.provider.name))
        raise
    except (ProviderError, SettingsError, DocumentError) as error:
        suggestion = Suggestion(outcome="failed", reason=masked(str(error)), provider=ls.settings.provider.name)
    ls.remember(where, suggestion)
    if suggestion.outcome == "failed":
        raise RequestFailed(suggestion.reason)
    if not suggestion.text or params.document is None:
        return []
    return [_item(ls, params, params.document, suggestion)]


async def _suggested(ls: Server, params: Asked) -> Suggestion:
    document = params.document
    if document is None:
        raise DocumentError(f"{params.text_document.uri} is not open: send textDocument/didOpen first")
    before, after = document.split(place(params.position))
    others = [Snippet(_path(other), other.text) for other in ls.documents.others(document.uri)]
    edited = tuple(_edited(ls.documents, document.uri))
    query = Query(document.uri, document.language, before, after, params.stop, tuple(others), edited)
    if params.doomed:
        told = {"token": params.doomed}
        return await ls.service.complete_in_vain(query, lambda: ls.protocol.notify(UNDER_WAY, told))
    return await ls.service.complete(query)


def _edited(documents: Documents, uri: str) -> Iterable[Snippet]:
    """Lines of other documents that were worked on lately, the latest first."""
    open_now = {document.uri: document for document in documents.others(uri)}
    for touched in reversed(documents.edits):
        document = open_now.get(touched.uri)
        if document is not None:
            lines = document.text.split("\n")[max(0, touched.line - _EDIT_LINES // 2) :][:_EDIT_LINES]
            yield Snippet(_path(document), "\n".join(lines))


def _path(document: Document) -> str:
    return document.uri.rsplit("/", 1)[-1]


def _item(ls: Server, asked: Asked, document: Document, suggestion: Suggestion) -> types.InlineCompletionItem:
    """The item. Who listens is told of it, and then it has a command that the editor runs when the person takes it."""
    start = place(asked.position)
    end = moved(document.text, start, suggestion.covered)
    covered = types.Range(types.Position(*start), types.Position(*end))
    item = types.InlineCompletionItem(insert_text=suggestion.text, range=covered)
    if ls.listeners:
        change = (document.offset(start), document.offset(end), suggestion.text)
        ls.protocol.tell(Answered(asked.request, document, change, suggestion.latency))
        item.command = types.Command("Tell the recording", ACCEPTED, arguments=[asked.request])
    return item


def _accepted(ls: Server, request: Any = None) -> None:
    """`workspace/executeCommand` `ghosttape.accepted` with the number of a request: the person took its item."""
    if isinstance(request, int):
        ls.protocol.tell(Accepted(request))


def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.protocol.tell(Saved(params.text_document.uri))


def _hinted(ls: Server, params: Any) -> None:
    """`ghosttape/hint` `{textDocument: {uri}, reason}`: the next change of a document is an `undo` or a `redo`."""
    try:
        ls.protocol.tell(Hinted(str(params.textDocument.uri), str(params.reason)))
    except AttributeError:
        return  # it says nothing


def _selected(ls: Server, params: Any) -> None:
    """`ghosttape/selection` `{textDocument: {uri}, selections: [Range]}` of the editor that is active now."""
    try:
        document = ls.documents.get(params.textDocument.uri)
        ranges = [(_offset(document, each.start), _offset(document, each.end)) for each in params.selections]
    except (DocumentError, AttributeError, TypeError, ValueError, OverflowError):
        return  # of a text that this server has not, or at no place
    ls.protocol.tell(Selected(document, tuple(ranges)))


def _offset(document: Document, position: Any) -> int:
    line, character = int(position.line), int(position.character)
    if line < 0 or character < 0:
        raise ValueError("a position is never negative")
    return document.offset((line, character))


def _explain(ls: Server, params: Any) -> dict[str, Any] | None:
    """What came of the last question at a place; null when none was asked there, or long ago."""
    where = (params.textDocument.uri, (params.position.line, params.position.character))
    suggestion = ls.explanations.get(where)
    if suggestion is None:
        return None
    told = asdict(suggestion)
    told["repaired"] = told.pop("text")
    return told


def _state(ls: Server, params: Any) -> dict[str, Any]:
    """The version of a document and the SHA-256 (hex) of its UTF-8 text, for who wants to know that both hold the same."""
    try:
        document = ls.documents.get(params.textDocument.uri)
    except DocumentError as error:
        raise RequestFailed(str(error)) from error
    digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": document.version, "sha256": digest}
