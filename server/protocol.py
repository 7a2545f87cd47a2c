"""LSP as this server speaks it, where that is more than pygls brings.

Own documents, requests that see the text as it was when they came, a stop hint in the parameters, and UTF-16 whatever else
the client would take.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Generator, Mapping
from typing import Any, get_args

import attrs
import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from server.documents import Document, Documents, Edit, Place
from server.errors import DocumentError
from server.happenings import Asked as Question
from server.happenings import Changed, Closed, Happening, Listener, Opened
from server.settings import Stop

REQUEST_FAILED = -32803
INVALID_PARAMS = -32602
Handling = Generator[Any, Any, None]
_log = logging.getLogger("ghosttape.server")


class RequestFailed(JsonRpcException):
    """LSP's RequestFailed: the request was good, but it could not be served; the message says why."""

    CODE = REQUEST_FAILED
    MESSAGE = "Request failed"


@attrs.define
class Asked(types.InlineCompletionParams):
    """The parameters of an inline completion with what else this server reads or knows of it.

    `stop` and `doomed` are optional members that other servers ignore. A request is doomed when its client knows that it will
    cancel it: it says so with a token, and is told with that when the provider has been asked (`ghosttape/underway`). So a
    replay that does not wait in real time still cancels what a person would have cancelled, and the same in every run.
    `document` is the text as it was when the request came.
    """

    stop: Stop = attrs.field(default="auto")
    doomed: str = attrs.field(default="")
    document: Document | None = attrs.field(default=None)
    request: int = attrs.field(default=0)


def converter() -> cattrs.Converter:
    """The protocol's converter, which keeps the stop hint."""
    made: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    plain = made.get_structure_hook(types.InlineCompletionParams)

    def structure(data: Mapping[str, Any], _: type) -> Asked:
        params = plain(data, types.InlineCompletionParams)
        stop: Any = data.get("stop") or "auto"
        if stop not in get_args(Stop):
            raise ValueError(f"stop is {stop!r}, which is none of {', '.join(get_args(Stop))}")
        doomed = str(data.get("doomed") or "")
        return Asked(params.context, params.text_document, params.position, params.work_done_token, stop, doomed)

    made.register_structure_hook(types.InlineCompletionParams, structure)
    return made


class Protocol(LanguageServerProtocol):
    """pygls' protocol with documents of our own in place of its workspace's, and listeners to what happens."""

    documents: Documents

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        self.documents = Documents()
        self.listeners: list[Listener] = []
        self._requests = itertools.count(1)
        super().__init__(server, converter)

    def tell(self, happening: Happening) -> None:
        """Tell every listener; one that fails is let go, for nothing that listens may disturb the editor."""
        for listener in tuple(self.listeners):
            try:
                listener(happening)
            except Exception:  # noqa: BLE001 - whatever it is, it is logged, and the editor goes on
                _log.exception("a listener failed and hears no more")
                if listener in self.listeners:
                    self.listeners.remove(listener)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Handling:
        """Take a document in."""
        opened = params.text_document
        self.documents.open(opened.uri, opened.language_id, opened.version, opened.text)
        self.tell(Opened(self.documents.get(opened.uri)))
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Handling:
        """Apply the changes in their order."""
        identifier, edits = params.text_document, [_edit(change) for change in params.content_changes]
        before = self.documents.get(identifier.uri)
        changes = self.documents.change(identifier.uri, identifier.version, edits)
        self.tell(Changed(before, self.documents.get(identifier.uri), changes))
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Handling:
        """Forget a document."""
        document = self._seen(params.text_document.uri)
        self.documents.close(params.text_document.uri)
        if document is not None:
            self.tell(Closed(document))
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _passed_on(self, method: str, params: Any) -> Handling:
        handler: Callable[..., Any] | None = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), {}

    def _handle_request(self, msg_id: str | int, method_name: str, params: Any) -> None:
        if isinstance(params, types.InitializeParams):
            _insist_on_utf16(params)
        if isinstance(params, Asked):
            self._asked(params)
        super()._handle_request(msg_id, method_name, params)

    def _asked(self, params: Asked) -> None:
        params.document = self._seen(params.text_document.uri)
        params.request = next(self._requests)
        if params.document is None or not self.listeners:
            return
        try:
            offset = params.document.offset(place(params.position))
        except DocumentError:
            return  # the answer will be the same error
        invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
        self.tell(Question(params.request, params.document, offset, invoked))

    def _seen(self, uri: str) -> Document | None:
        try:
            return self.documents.get(uri)
        except DocumentError:
            return None


def place(position: types.Position) -> Place:
    """A protocol position as a value."""
    return position.line, position.character


def _edit(change: types.TextDocumentContentChangeEvent) -> Edit:
    if isinstance(change, types.TextDocumentContentChangePartial):
        return place(change.range.start), place(change.range.end), change.text
    return change.text


def _insist_on_utf16(params: types.InitializeParams) -> None:
    """Every client must take UTF-16 (LSP 3.17, "PositionEncodingKind"); pygls would follow the client's first choice."""
    if params.capabilities.general is not None:
        params.capabilities.general.position_encodings = [types.PositionEncodingKind.Utf16]
