"""The language server: documents in, inline completions out, and an explanation of each for who asks.

`create` makes it without starting anything, so that other rooms can add commands to it; `serve` runs it.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
import sys
from collections import Counter
from dataclasses import replace
from typing import Any, BinaryIO, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from server import counts, fates, leaving, stdio
from server.cache import Cache, Shelf
from server.complaints import Complaints, refuse_oracle
from server.context import Edit, Snippet
from server.documents import Document, Documents, Place
from server.errors import DocumentError, ProviderError, SettingsError
from server.greeting import greeted
from server.happenings import Accepted, Answered, Ended, Hinted, Listener, Saved, Selected
from server.keys import fault, log_to_standard_error, masked, traced
from server.messages import DID_ACCEPT_PART, DID_SHOW, At, Hint, Of, Position, Selection, read
from server.places import placed
from server.protocol import Asked, Protocol, RequestFailed, converter, place
from server.providers import registry
from server.providers.protocol import Heeds, Provider, heeding
from server.service import Query, Service, Suggestion
from server.settings import Settings, merge, wished
from server.wire import listen
from server.workspace import Workspace, workspace_of

EXPLAIN = "ghosttape/explain"
STATE = "ghosttape/state"
STATS = "ghosttape/stats"
HINT = "ghosttape/hint"
SELECTION = "ghosttape/selection"
ACCEPTED = "ghosttape.accepted"
UNDER_WAY = "ghosttape/underway"
_Where: TypeAlias = tuple[str, Place]
_LONGEST_LINE = 1000
_GOODBYE_S = 10.0
"""How long a provider may take to be closed when the server ends."""
_log = logging.getLogger("ghosttape.server")


class Server(LanguageServer):
    """A pygls server that knows its settings, its completion service, and what came of the last questions."""

    protocol: Protocol

    def __init__(self, settings: Settings, provider: Provider | None = None) -> None:
        super().__init__("ghosttape", "0.1.0", protocol_cls=Protocol, converter_factory=converter)
        self.settings = settings
        self._explanations: Shelf[_Where, Suggestion] | None = None
        self.folders: tuple[str, ...] = ()
        self.disk: Workspace | None = None
        self.under_way: dict[_Where, asyncio.Event] = {}
        self._provider = provider
        self._service: Service | None = None
        self.counts: Counter[str] = Counter()
        self.complaints = Complaints(self._show)

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
            self._service = Service(provider, self.settings, counts=self.counts, misconfigured=self.complaints.hear)
        return self._service

    @property
    def heeds(self) -> Heeds | None:
        """The provider, if it was made and wants to hear what becomes of its answers."""
        return heeding(self._service.provider) if self._service else None

    @property
    def explanations(self) -> Shelf[_Where, Suggestion]:
        """What came of the last question at each place."""
        if self._explanations is None:  # only now are the settings the client's
            self._explanations = Shelf(max(self.settings.cache.explanations, 1), self.settings.cache.max_bytes)
        return self._explanations

    def stats(self) -> dict[str, Any]:
        """As `Service.stats`, with what the server itself holds."""
        asked = self._service.stats() if self._service else counts.stats_of(self.counts, Cache(0, 0))
        held = {"entries": len(self.explanations), "bytes": self.explanations.bytes}
        return {**asked, "explanations": held, "waiting": len(self.under_way), "tasks": len(asyncio.all_tasks())}

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve over two streams until the client says `exit` or is gone.

        Raises:
            SystemExit: with status 1, when it said `exit` and had not said `shutdown` (LSP 3.17, "Exit Notification").

        """
        source, sink = stdin or sys.stdin.buffer, stdout or sys.stdout.buffer
        self.protocol.set_writer(stdio.Outlet(sink))
        gc.collect()
        gc.freeze()  # else the collector looks through all that was imported now and then: 30 ms in the middle of an answer
        try:
            heard = listen(source, sink, self.protocol.receive)
            asyncio.run(leaving.served(heard, self._let_go, lambda: self.protocol.tell(Ended())))
        except (BrokenPipeError, KeyboardInterrupt) as error:
            _log.info("the client is gone: %r", error)
        finally:
            self.shutdown()  # type: ignore[no-untyped-call] # pygls leaves it so

    async def _let_go(self) -> None:
        """Close the provider, which may have a process of its own."""
        try:
            async with asyncio.timeout(_GOODBYE_S):
                if self._service is not None:
                    await self._service.close()
        except (ProviderError, TimeoutError) as error:
            _log.warning("the provider could not be closed: %s", masked(str(error)))

    def _show(self, text: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def remember(self, where: _Where, suggestion: Suggestion) -> None:
        """Keep what came of a question for `ghosttape/explain`."""
        self.explanations.put(where, suggestion, suggestion.size)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log it, with where it came from if nobody foresaw it; what goes wrong with a notification is shown to the person too."""
        told = masked(str(error))[:_LONGEST_LINE]
        _log.error("%s", told + traced(error))
        super().report_server_error(JsonRpcException(told), source)


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
    server.feature(STATS)(_stats)
    server.feature(HINT)(_hinted)
    server.feature(SELECTION)(_selected)
    server.feature(DID_SHOW)(_shown)
    server.feature(DID_ACCEPT_PART)(_accepted_in_part)
    server.command(ACCEPTED)(_accepted)
    return server


def serve(server: Server) -> None:
    """Run a server over standard input and output until its client leaves.

    Raises:
        SettingsError: its provider has nothing to say to an editor.

    """
    refuse_oracle(server.settings.provider)
    log_to_standard_error(logging.WARNING)
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
    client = greeted(params, record)
    ls.folders = client.folders
    ls.disk = workspace_of(ls.folders) if ls.settings.context.workspace else None
    ls.protocol.tell(client)


async def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Load the model while the person looks for the first line to write."""
    try:
        provider = ls.service.provider
        if ls.heeds is not None:
            ls.heeds.settle(ls.folders)
        await provider.start()
    except asyncio.CancelledError:
        return  # the client left while it started
    except (ProviderError, SettingsError) as error:
        _log.warning("%s", masked(str(error)))
        ls.complaints.hear(error)


async def _shut_down(ls: Server, params: None) -> None:
    ls.protocol.tell(Ended())
    if ls.disk is not None:
        ls.disk.close()
    try:
        await ls.service.close()
    except asyncio.CancelledError:
        return  # `exit` came before all was closed, and closes the rest
    except (ProviderError, SettingsError) as error:
        _log.warning("%s", masked(str(error)))


async def _complete(ls: Server, params: Asked) -> list[types.InlineCompletionItem]:
    where = (params.text_document.uri, place(params.position))
    answered = ls.under_way[where] = asyncio.Event()
    try:
        return await _answer(ls, params, where)
    finally:
        answered.set()
        if ls.under_way.get(where) is answered:
            del ls.under_way[where]


async def _answer(ls: Server, params: Asked, where: _Where) -> list[types.InlineCompletionItem]:
    try:
        suggestion = await _suggested(ls, params)
    except asyncio.CancelledError:
        ls.remember(where, Suggestion(outcome="cancelled", provider=ls.settings.provider.name))
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is: the editor is told, and the next question is answered
        known = isinstance(error, ProviderError | SettingsError | DocumentError)
        if isinstance(error, ProviderError | SettingsError):
            counts.unserved(ls.counts)  # no provider could be made
            ls.complaints.hear(error)
        reason = masked(str(error)) if known else fault(error)
        suggestion = Suggestion(outcome="failed", reason=reason, provider=ls.settings.provider.name)
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
    others = tuple(Snippet(_path(ls, other.uri), other.text) for other in ls.documents.others(document.uri))
    repo, path = placed(document.uri, ls.folders)
    query = Query(
        document.uri,
        document.language,
        before,
        after,
        params.stop,
        others,
        _edited(ls, params),
        path=path,
        repo=repo,
        files=_files(ls, document.uri),
        opened=ls.documents.all(),
        sample=params.sample,
    )
    if params.doomed:
        told = {"token": params.doomed}
        return await ls.service.complete_in_vain(query, lambda: ls.protocol.notify(UNDER_WAY, told))
    return await ls.service.complete(query)


def _files(ls: Server, uri: str) -> tuple[Snippet, ...]:
    """Files of the workspace that are not open, if they may be shown; a look at the disk that is due goes on beside."""
    if ls.disk is None or not ls.service.budget.snippets:
        return ()
    ls.disk.refresh()
    return ls.disk.near(uri, [other.uri for other in ls.documents.others(uri)])


def _edited(ls: Server, asked: Asked) -> tuple[Edit, ...]:
    """What was changed lately elsewhere, the latest first."""
    latest = ls.protocol.recent.latest(asked.text_document.uri, asked.position.line)
    return tuple(replace(edit, path=_path(ls, uri)) for uri, edit in latest)


def _path(ls: Server, uri: str) -> str:
    return placed(uri, ls.folders)[1]


def _item(ls: Server, asked: Asked, document: Document, suggestion: Suggestion) -> types.InlineCompletionItem:
    """The item. If someone wants to hear what becomes of it, it has a command that the editor runs when the person takes it."""
    start = place(asked.position)
    end = document.moved(start, suggestion.covered) if suggestion.covered else start
    covered = types.Range(types.Position(*start), types.Position(*end))
    item = types.InlineCompletionItem(insert_text=suggestion.text, range=covered)
    if ls.listeners:
        change = (document.offset(start), document.offset(end), suggestion.text)
        ls.protocol.tell(Answered(asked.request, document, change, suggestion.latency))
    if ls.listeners or suggestion.ticket:
        named = [asked.request, suggestion.ticket] if suggestion.ticket else [asked.request]
        item.command = types.Command("Tell who wants to know", ACCEPTED, arguments=named)
    return item


async def _accepted(ls: Server, *named: Any) -> None:
    """`workspace/executeCommand` `ghosttape.accepted` with the item's request, and its ticket if it has one: it was taken."""
    if named and isinstance(named[0], int):
        ls.protocol.tell(Accepted(named[0]))
    if ls.heeds is not None and len(named) > 1:
        await fates.accepted(ls.heeds, named[1])


async def _shown(ls: Server, params: Any) -> None:
    """`textDocument/didShowCompletion` `{item}`: the item is on the screen."""
    if ls.heeds is not None:
        await fates.shown(ls.heeds, params)


async def _accepted_in_part(ls: Server, params: Any) -> None:
    """`textDocument/didPartiallyAcceptCompletion` `{item, acceptedLength}`: the person took the item's beginning."""
    if ls.heeds is not None:
        await fates.accepted_in_part(ls.heeds, params)


def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.protocol.tell(Saved(params.text_document.uri))


def _hinted(ls: Server, params: Any) -> None:
    """`ghosttape/hint` `{textDocument: {uri}, reason}`: the next change of a document is an `undo` or a `redo`."""
    try:
        hint = read(params, Hint)
    except JsonRpcInvalidParams:
        return  # it says nothing
    ls.protocol.tell(Hinted(hint.text_document.uri, hint.reason))


def _selected(ls: Server, params: Any) -> None:
    """`ghosttape/selection` `{textDocument: {uri}, selections: [Range]}` of the editor that is active now."""
    try:
        selection = read(params, Selection)
        document = ls.documents.get(selection.text_document.uri)
        ranges = [(_offset(document, each.start), _offset(document, each.end)) for each in selection.selections]
    except (DocumentError, JsonRpcInvalidParams):
        return  # of a text that this server has not, or at no place
    ls.protocol.tell(Selected(document, tuple(ranges)))


def _offset(document: Document, position: Position) -> int:
    return document.offset((position.line, position.character))


async def _explain(ls: Server, params: Any) -> dict[str, Any] | None:
    """What came of the last question at a place, once it is answered; null when none was asked there, or long ago."""
    asked = read(params, At)
    if (where := _asked_where(ls, asked)) in ls.under_way:
        await ls.under_way[where].wait()
    suggestion = ls.explanations.get(where)
    return None if suggestion is None else suggestion.told()


def _asked_where(ls: Server, asked: At) -> _Where:
    """Where the question was: past the end of a line it was at its end."""
    uri, there = asked.text_document.uri, (asked.position.line, asked.position.character)
    if (uri, there) in ls.under_way or ls.explanations.get((uri, there)) is not None:
        return uri, there  # whatever the text has become since
    try:
        return uri, ls.documents.get(uri).clamped(there)
    except DocumentError:
        return uri, there


def _stats(ls: Server, params: Any) -> dict[str, Any]:
    """What was asked and where the answers came from (`Service.stats`)."""
    return ls.stats()


def _state(ls: Server, params: Any) -> dict[str, Any]:
    """The version of a document and the SHA-256 (hex) of its UTF-8 text, for who wants to know that both hold the same."""
    try:
        document = ls.documents.get(read(params, Of).text_document.uri)
    except DocumentError as error:
        raise RequestFailed(str(error)) from error
    digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": document.version, "sha256": digest}
