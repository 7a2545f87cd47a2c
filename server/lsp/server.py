"""The server itself: its settings, its completion service, and the results of the latest requests."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import lsp_method

from server import request_counts
from server.api_keys import masked, traceback_of
from server.cache import Cache, LruStore
from server.documents import LineCharacter, OpenDocuments
from server.errors import ProviderError, ProviderMissing, SettingsError
from server.lsp import shutdown, stdio
from server.lsp.editor_events import ClientLeft, EventListener
from server.lsp.params import converter
from server.lsp.protocol import GhosttapeProtocol, Handling, content_change
from server.notebooks import OpenNotebooks
from server.providers import registry
from server.providers.protocol import FeedbackProvider, Provider, feedback_provider
from server.providers.wrappers.spending import SharedAnswers
from server.queries import CompletionResult
from server.service import Service
from server.settings import ProviderSettings, Settings
from server.version import version
from server.wire.listening import listen
from server.workspace import WorkspaceFiles, workspace_of

Location: TypeAlias = tuple[str, LineCharacter]
"""(URI of a document, position in it)"""
_LONGEST_LOG_LINE = 1000
_CLOSE_S = 10.0
"""How long a provider may take to close when the server ends."""
_ANSWER_S = 60.0
"""How long requests that are under way may take when the provider is replaced."""
_log = logging.getLogger("ghosttape.server")


@dataclass(frozen=True, slots=True)
class InitialSettings:
    """What the settings were when the server started: its own, and over them those of the client's `initialize` (JSON values)."""

    settings: Settings
    options: Mapping[str, Any]


class Server(LanguageServer):
    """A pygls server with settings, a completion service, and the results of the latest requests."""

    protocol: NotebookProtocol

    def __init__(self, settings: Settings, provider: Provider | None = None) -> None:
        super().__init__(
            "ghosttape",
            version(),
            protocol_cls=NotebookProtocol,
            converter_factory=converter,
            notebook_document_sync=SYNC,
        )
        self.settings = settings
        self.initial = InitialSettings(settings, {})
        self.shared_answers: SharedAnswers | None = None
        """How the record of answers is shared with other runs, as the client said it."""
        self.reconfiguring = asyncio.Lock()
        """Held while the settings change."""
        self.folders: tuple[str, ...] = ()
        """URIs of the workspace folders."""
        self.disk: WorkspaceFiles | None = None
        """The files of the workspace; None when the settings switch them off or there is no folder."""
        self.under_way: dict[Location, asyncio.Event] = {}
        """Requests that are not answered yet; each event is set when its request is answered."""
        self.finishers: list[Callable[[], None]] = []
        """Each returns when a listener has finished its work after `ClientLeft`; called off the loop, which goes on meanwhile."""
        self.counts: Counter[str] = Counter()
        self.configuration_errors = ConfigurationErrors(self.show_error)
        self._provider = provider
        self._service: Service | None = None
        self._explanations: LruStore[Location, CompletionResult] | None = None

    @property
    def documents(self) -> OpenDocuments:
        """The open documents."""
        return self.protocol.documents

    def leave(self) -> None:
        """Tell the listeners that the client left, and wait until they have finished. Safe to call more than once."""
        self.protocol.emit(ClientLeft())
        self.finish()

    def finish(self) -> None:
        """Wait until the listeners have finished their work; `ClientLeft` came before."""
        for finish in self.finishers:
            finish()

    @property
    def listeners(self) -> list[EventListener]:
        """The functions that are called with each event (`server.lsp.editor_events`); append to it to listen."""
        return self.protocol.listeners

    @property
    def service(self) -> Service:
        """The completion service. It is made on first use.

        Raises:
            ProviderMissing: the provider lacks something that it needs.
            SettingsError: the provider is unknown, or its settings contradict each other.

        """
        if self._service is None:
            self._service = self._serving(self._provider or registry.make(self.settings.provider, self.shared_answers))
        return self._service

    @property
    def feedback_provider(self) -> FeedbackProvider | None:
        """The provider, if it exists already and wants feedback on its answers."""
        return feedback_provider(self._service.provider) if self._service else None

    @property
    def explanations(self) -> LruStore[Location, CompletionResult]:
        """The result of the last request at each location."""
        if self._explanations is None:  # made late, because `initialize` changes the settings
            self._explanations = LruStore(max(self.settings.cache.explanations, 1), self.settings.cache.max_bytes)
        return self._explanations

    def remember(self, where: Location, result: CompletionResult) -> None:
        """Keep the result of a request for `ghosttape/explain`."""
        self.explanations.put(where, result, result.size)

    async def reconfigure(self, settings: Settings, provider: Provider | None) -> None:
        """Go on with other settings, and with another provider unless it is None; the old one first answers what it was asked."""
        old, asked = self._service, [*self.under_way.values()]
        provider_now = provider or (old.provider if old else None)
        looks_anew = settings.context.workspace != self.settings.context.workspace
        self.settings, self._explanations = settings, None
        self.configuration_errors = ConfigurationErrors(self.show_error)
        if looks_anew:
            self.look_at_disk()
        self._service = None if provider_now is None else self._serving(provider_now)
        if provider is None or old is None:
            return
        try:
            async with asyncio.timeout(_ANSWER_S):
                await asyncio.gather(*(each.wait() for each in asked))
            await old.close()
        except (ProviderError, TimeoutError) as error:
            _log.warning("the former provider could not be closed: %s", masked(str(error)))

    def look_at_disk(self) -> None:
        """Use the files of the workspace that are not open, if the settings want it."""
        if self.disk is not None:
            self.disk.close()
        self.disk = workspace_of(self.folders) if self.settings.context.workspace else None

    def _serving(self, provider: Provider) -> Service:
        report = self.configuration_errors.report
        return Service(provider, self.settings, counts=self.counts, misconfigured=report)

    def stats(self) -> dict[str, Any]:
        """The counts of `Service.stats`, and how much the server itself holds."""
        asked = self._service.stats() if self._service else request_counts.stats_of(self.counts, Cache(0, 0))
        held = {"entries": len(self.explanations), "bytes": self.explanations.bytes}
        return {**asked, "explanations": held, "waiting": len(self.under_way), "tasks": len(asyncio.all_tasks())}

    def cancel_with_request(self) -> None:
        """End the running command when the client cancels its request; pygls ends only the waiting for it."""
        task = asyncio.current_task()
        waiting = self.protocol._request_futures.get(self.protocol.msg_id or "")  # noqa: SLF001
        if task is not None and waiting is not None:
            waiting.add_done_callback(lambda future: future.cancelled() and task.cancel())

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve over two streams until the client sends `exit`, the input ends, or a person presses Ctrl-C.

        Raises:
            SystemExit: with status 1, when `exit` came without `shutdown` (LSP 3.17, "Exit Notification").

        """
        source, sink = stdin or sys.stdin.buffer, stdout or sys.stdout.buffer
        self.protocol.set_writer(stdio.StandardOutput(sink))
        gc.freeze()  # without this a collection walks through all imported modules: 30 ms in the middle of an answer
        try:
            listening = listen(source, sink, self.protocol.receive)
            asyncio.run(shutdown.serve_until_closed(listening, self._close_provider, self.leave))
        except (BrokenPipeError, KeyboardInterrupt) as error:
            _log.info("the client is gone: %r", error)
        finally:
            self.shutdown()  # type: ignore[no-untyped-call] # pygls has no annotation here

    async def _close_provider(self) -> None:
        """Close the provider, which may own a process."""
        try:
            async with asyncio.timeout(_CLOSE_S):
                if self._service is not None:
                    await self._service.close()
        except (ProviderError, TimeoutError) as error:
            _log.warning("the provider could not be closed: %s", masked(str(error)))

    def show_error(self, text: str) -> None:
        """Show an error to the person."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error, with a traceback if it is a bug. pygls shows errors in notifications to the person too."""
        text = masked(str(error))[:_LONGEST_LOG_LINE]
        _log.error("%s", text + traceback_of(error))
        super().report_server_error(JsonRpcException(text), source)


# Shows errors in the configuration to the person, who otherwise only sees that no completion appears.

MOST_SHOWN = 3
"""The largest number of messages: some reasons differ from request to request."""
_LONGEST = 1000


class ConfigurationErrors:
    """Shows each reason once, and `MOST_SHOWN` reasons at most. Other errors are not shown."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._shown: set[str] = set()

    def report(self, error: ProviderError | SettingsError) -> None:
        """Show why requests fail, if the configuration is the reason."""
        if not isinstance(error, ProviderMissing | SettingsError):
            return
        reason = masked(str(error))[:_LONGEST]
        if reason not in self._shown and len(self._shown) < MOST_SHOWN:
            self._shown.add(reason)
            self._show(f"ghosttape: {reason}")


def refuse_oracle(provider: ProviderSettings) -> None:
    """Refuse to start with a provider that has no answers for an editor.

    Raises:
        SettingsError: the provider is the oracle, and no file of answers is named.

    """
    if provider.name == "oracle" and not provider.answers:
        raise SettingsError(
            "provider 'oracle' answers with what was really written next, which only a replay knows: "
            "ghosttape replay TAPES --provider oracle"
        )


# Notebooks: their cells are opened, changed and closed by messages of their own, and are documents like all
# others.

SYNC = types.NotebookDocumentSyncOptions([types.NotebookDocumentFilterWithNotebook("*")])
"""All notebooks, with the cells of every language."""


class NotebookProtocol(GhosttapeProtocol):
    """The protocol of this server, with notebooks."""

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        self.notebooks = OpenNotebooks()
        super().__init__(server, converter)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Handling:
        """Open a notebook and its cells."""
        notebook = params.notebook_document
        self.notebooks.open(notebook.uri, [cell.document for cell in notebook.cells])
        for document in params.cell_text_documents:
            self.open_document(document)
        yield from self._run_feature(types.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Handling:
        """Insert, remove and move cells, and change their texts."""
        cells = params.change.cells
        if cells is not None and cells.structure is not None:
            self._rearranged(params.notebook_document.uri, cells.structure)
        for content in (cells and cells.text_content) or ():
            edits = [content_change(change) for change in content.changes]
            self._changed(content.document.uri, content.document.version, edits)
        yield from self._run_feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    def _rearranged(self, uri: str, change: types.NotebookDocumentCellChangeStructure) -> None:
        array = change.array
        self.notebooks.splice(uri, array.start, array.delete_count, [cell.document for cell in array.cells or ()])
        for closed in change.did_close or ():
            self.close_document(closed.uri)
        for document in change.did_open or ():
            self.open_document(document)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> Handling:
        """Close a notebook and its cells."""
        self.notebooks.close(params.notebook_document.uri)
        for closed in params.cell_text_documents:
            self.close_document(closed.uri)
        yield from self._run_feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE, params)
