"""The protocol of this server, where it differs from pygls' own.

It has documents of its own, a request sees the text as it was when the request arrived, and positions are counted as the client wants it.
Every request gets an answer, also a malformed one: JSON-RPC 2.0, section 5.1, and LSP 3.17, "initialize" and "shutdown", define
the errors.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import cattrs
from lsprotocol import types
from pygls.exceptions import (
    FeatureNotificationError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from server.api_keys import masked
from server.context import RecentEdits
from server.documents import ContentChange, Document, LineCharacter, OpenDocuments
from server.errors import DocumentError, ServerRoomError
from server.lsp.editor_events import (
    CompletionMissing,
    CompletionRequested,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    EditorEvent,
    EventListener,
)
from server.lsp.params import CompletionParams, describe
from server.wire import wire_messages
from server.wire.framing import Frame, InvalidFrame
from server.wire.json_values import Id, decode_any, request_id
from server.wire.wire_messages import ChangeMessage, ChangeParams, CompletionMessage
from syntax.encodings import PositionEncoding
from syntax.text import Change

REQUEST_FAILED = -32803
_ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")
Handling = Generator[Any, Any, None]
_LONGEST_REASON = 1000
_log = logging.getLogger("ghosttape.server")


class RequestFailed(JsonRpcException):
    """LSP's RequestFailed: the request is valid, but could not be served; the message says why."""

    CODE = REQUEST_FAILED
    MESSAGE = "Request failed"


class GhosttapeProtocol(LanguageServerProtocol):
    """pygls' protocol with documents of our own instead of its workspace, and with listeners to events."""

    documents: OpenDocuments

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        self.documents = OpenDocuments()
        self.recent = RecentEdits()
        self.listeners: list[EventListener] = []
        self._requests = itertools.count(1)
        self._is_initialized = False
        super().__init__(server, converter)

    def receive(self, frame: Frame) -> bool:
        """Handle one frame, and answer it if it is a request, valid or not. Returns whether that may have started a task."""
        message = None if isinstance(frame, InvalidFrame) else wire_messages.decode_frequent(frame)
        if isinstance(message, CompletionMessage):
            self._take(message.id, types.TEXT_DOCUMENT_INLINE_COMPLETION, CompletionParams.of(message.params))
        elif message is not None:
            self._take(None, message.method, message.structured())
        elif isinstance(frame, InvalidFrame):
            self._refuse(None, JsonRpcParseError(frame.reason))
        else:
            self._receive_any(frame)
        return not isinstance(message, ChangeMessage)

    def _receive_any(self, body: bytes) -> None:
        try:
            message = decode_any(body)
        except (ValueError, RecursionError) as error:
            return self._refuse(None, JsonRpcParseError(f"this is not JSON: {error}"))
        if not isinstance(message, list):
            return self._receive_one(message)
        return self._refuse_batch(message)

    def _refuse_batch(self, batch: list[Any]) -> None:
        """Answer each request of a batch, and each member that is not a message; notifications get no answer (JSON-RPC 2.0, section 6)."""
        error = JsonRpcInvalidRequest("LSP has no batches: send one message at a time")
        answered = [
            each for each in batch or [None] if wire_messages.incoming_fault(each) or each.get("id") is not None
        ]
        for each in answered:
            self._refuse(request_id(each) if isinstance(each, dict) else None, error)
        if len(answered) < len(batch):
            self._complain(error)

    def _receive_one(self, message: Any) -> None:
        fault = wire_messages.incoming_fault(message)
        number = request_id(message) if isinstance(message, dict) else None
        if fault:
            return self._refuse(number, JsonRpcInvalidRequest(fault))
        if "method" not in message:
            return self._receive_response(message)
        method = message["method"]
        try:
            params = self._params(number, method, message)
        except JsonRpcException as error:
            return self._refuse_params(number, method, error)
        return self._take(number, method, params)

    def _params(self, number: Id | None, method: str, message: Mapping[str, Any]) -> Any:
        """The parameters of a message in the form that its handler takes.

        Raises:
            JsonRpcException: they are malformed.

        """
        known = {"jsonrpc": "2.0", "method": method, "params": message.get("params")}
        if "params" not in message and method in types.METHOD_TO_TYPES:
            del known["params"]
        return self.structure_message(known if number is None else {**known, "id": number}).params

    def _refuse_params(self, number: Id | None, method: str, error: JsonRpcException) -> None:
        why = describe(error.__cause__) if error.__cause__ else error.message
        refused = JsonRpcInvalidParams(f"{method}: {why}"[:_LONGEST_REASON])
        if number is None:
            self._complain(refused)
        else:
            self._refuse(number, refused)

    def _complain(self, error: Exception) -> None:
        """Show the person an error in a notification, which has no answer."""
        self._server._report_server_error(error, FeatureNotificationError)  # noqa: SLF001 - pygls' own guard

    def _check_handler_result(self, future: Any) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, ServerRoomError):  # its message is complete: no class name, no traceback
            self._complain(error)
        else:
            super()._check_handler_result(future)

    def _receive_response(self, message: dict[str, Any]) -> None:
        """Take the client's answer to a request of ours; an answer to no request is ignored."""
        try:
            self.handle_message(self.structure_message(message))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, nobody waits: it is logged
            _log.warning("a response of the client cannot be read: %s", error)

    def _take(self, number: Id | None, method: str, params: Any) -> None:
        """Handle a request, or a notification (it has no number), unless it is out of order."""
        out_of_order = self._order_error(number, method)
        if out_of_order is not None:
            if number is not None:
                self._refuse(number, out_of_order)
            return
        run = contextvars.copy_context().run
        try:
            if number is None:
                run(self._handle_notification, method, params)
            else:
                run(self._handle_request, number, method, params)
        except Exception as error:  # noqa: BLE001 - a bug of ours: it is logged and answered, and the server goes on
            _log.exception("%s failed", method)
            if number is not None:
                self._refuse(number, JsonRpcInternalError(str(error)))

    def _order_error(self, number: Id | None, method: str) -> JsonRpcException | None:
        if method == types.EXIT and number is None:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shutting down: only exit may follow")
        if not self._is_initialized and method not in {types.INITIALIZE, types.SHUTDOWN}:
            return JsonRpcServerNotInitialized("send initialize first")
        if self._is_initialized and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize was sent before")
        if number is not None and wire_messages.is_notification(method):
            return JsonRpcInvalidRequest(f"{method} is a notification: it takes no id")
        if number in self._request_futures:
            return JsonRpcInvalidRequest(f"the id {number!r} belongs to a request that is under way")
        return None

    def _send_response(self, msg_id: Id, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None:  # without pygls' traceback, which belongs in the log
            error = types.ResponseError(error.code, masked(error.message))
        body = wire_messages.encode_items(msg_id, result) if error is None and self.writer is not None else None
        if body is None or self.writer is None:
            super()._send_response(msg_id, result, error)
        else:
            self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _handle_notification(self, method_name: str, params: Any) -> None:
        """Handle a notification as pygls does, but a change, which comes with every key, without a task, a future and an id."""
        if isinstance(params, ChangeParams) and method_name in self.fm.features:
            params = params.structured()
        if not isinstance(params, ChangeParams):
            super()._handle_notification(method_name, params)
            return
        try:
            self._changed(params.text_document.uri, params.text_document.version, params.edits())
        except ServerRoomError as error:
            self._complain(error)
        except Exception:  # noqa: BLE001 - the person sees it, and the server goes on
            self._complain(JsonRpcInternalError.of(sys.exc_info()))  # type: ignore[no-untyped-call] # pygls has no annotation here

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        if isinstance(msg_id, int | str):  # lsprotocol accepts any type
            super()._handle_cancel_notification(msg_id)

    def _refuse(self, number: Id | None, error: JsonRpcException) -> None:
        body = {"code": error.code, "message": masked(error.message)}
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": body})

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer `initialize`; only then are other messages accepted."""
        result = yield from super().lsp_initialize(params)
        self._is_initialized = True
        return result

    def emit(self, event: EditorEvent) -> None:
        """Call every listener. A listener that fails is removed, so that it cannot disturb the editor."""
        for listener in tuple(self.listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - listeners are anyone's: it is logged, and the server goes on
                _log.exception("a listener failed and is removed")
                if listener in self.listeners:
                    self.listeners.remove(listener)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Handling:
        """Open a document."""
        self.open_document(params.text_document)
        yield from self._run_feature(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Handling:
        """Apply the changes in their order."""
        edits = [content_change(change) for change in params.content_changes]
        self._changed(params.text_document.uri, params.text_document.version, edits)
        yield from self._run_feature(types.TEXT_DOCUMENT_DID_CHANGE, params)

    def open_document(self, opened: types.TextDocumentItem) -> None:
        """Take a document in, and tell it to the listeners."""
        self.documents.open(opened.uri, opened.language_id, opened.version, opened.text)
        self.emit(DocumentOpened(self.documents.get(opened.uri)))

    def close_document(self, uri: str) -> None:
        """Forget a document, and tell it to the listeners."""
        document = self.documents.get(uri)
        self.documents.close(uri)
        self.recent.forget(uri)
        self.emit(DocumentClosed(document))

    def _changed(self, uri: str, version: int | None, edits: Sequence[ContentChange]) -> None:
        before = self.documents.get(uri)
        changes = self.documents.change(uri, version, edits)
        after = self.documents.get(uri)
        self.recent.add(uri, before.text, after.text, [_bounded(before, each) for each in edits])
        if self.listeners:
            self.emit(DocumentChanged(before, after, changes))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Handling:
        """Close a document."""
        self.close_document(params.text_document.uri)
        yield from self._run_feature(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _run_feature(self, method: str, params: Any) -> Handling:
        handler: Callable[..., Any] | None = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), {}

    def _handle_request(self, msg_id: str | int, method_name: str, params: Any) -> None:
        if isinstance(params, types.InitializeParams):
            self.documents.encoding = _agreed_encoding(params)
        if isinstance(params, CompletionParams):
            self._asked(params)
        if method_name == types.SHUTDOWN:
            self._shutdown = True  # already now, not when all is closed: `exit` may follow at once
        if isinstance(params, CompletionParams) and method_name in self.fm.features:
            serving: Any = asyncio.get_running_loop().create_task(self._served(msg_id, method_name, params))
            self._request_futures[msg_id] = serving
            serving.add_done_callback(partial(self._unserved, msg_id, params))
        else:
            super()._handle_request(msg_id, method_name, params)

    async def _served(self, msg_id: Id, method_name: str, params: CompletionParams) -> None:
        """Answer a request for completions as pygls does, but without its callback, which runs one turn of the loop later."""
        result: Any = asyncio.get_running_loop().create_future()
        try:
            result.set_result(await self.fm.features[method_name](params))
        except asyncio.CancelledError:
            result.cancel()
        except Exception as error:  # noqa: BLE001 - pygls answers it as an error
            result.set_exception(error)
        self._send_handler_result(result, msg_id=msg_id)

    def _unserved(self, msg_id: Id, params: CompletionParams, serving: Any) -> None:
        """Answer a request that was cancelled before its task started."""
        if serving.cancelled():
            self.tell_missing(params, "cancelled", 0.0)
            self._send_handler_result(serving, msg_id=msg_id)

    def _asked(self, params: CompletionParams) -> None:
        """Keep the document as it is now, and the position in it: a position past the end of a line means its end."""
        params.document = document = self._document(params.text_document.uri)
        params.shown = tuple(filter(None, map(self._document, params.evidence)))
        params.request = next(self._requests)
        if document is None:
            return
        try:
            where = document.clamped(place(params.position))
        except DocumentError:
            return  # the handler raises the same error
        params.position = types.Position(*where)
        if self.listeners:
            invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
            selected = _selected(params, document)
            self.emit(CompletionRequested(params.request, document, document.offset(where), invoked, selected))

    def tell_missing(self, asked: CompletionParams, reason: Literal["empty", "cancelled"], latency: float) -> None:
        """Tell the listeners that a request ended without a completion, `latency` ms after it came."""
        if self.listeners and asked.document is not None:
            offset = asked.document.offset(place(asked.position))
            self.emit(CompletionMissing(asked.request, asked.document, offset, reason, latency))

    def _document(self, uri: str) -> Document | None:
        try:
            return self.documents.get(uri)
        except DocumentError:
            return None


def place(position: types.Position) -> LineCharacter:
    """A protocol position as a tuple."""
    return position.line, position.character


def _selected(params: CompletionParams, document: Document) -> Change | None:
    """The change that the item makes which is selected in the editor's list of completions; None if there is none, or none of the document."""
    selected = params.context.selected_completion_info
    if selected is None:
        return None
    try:
        start, end = (document.offset(document.bounded(place(at))) for at in (selected.range.start, selected.range.end))
    except DocumentError:
        return None  # the handler raises the same error
    return (start, end, selected.text) if start <= end else None


def _bounded(before: Document, change: ContentChange) -> ContentChange:
    """A change with both ends inside of the document, the first one first: a range may run backwards (`OpenDocuments.change`)."""
    if isinstance(change, str):
        return change
    start, end = sorted((before.bounded(change[0]), before.bounded(change[1])))
    return start, end, change[2]


def content_change(change: types.TextDocumentContentChangeEvent) -> ContentChange:
    """A change of the protocol in the form of `server.documents`."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        return place(change.range.start), place(change.range.end), change.text
    return change.text


def _agreed_encoding(params: types.InitializeParams) -> PositionEncoding:
    """The first encoding that the client offers and the server knows, else UTF-16, which each client must support (LSP 3.17).

    Only this one stays in the parameters, so that pygls announces it.
    """
    general = params.capabilities.general
    default: PositionEncoding = "utf-16"
    offered = [str(getattr(each, "value", each)) for each in (general and general.position_encodings) or ()]
    chosen = next((known for each in offered for known in _ENCODINGS if each == known), default)
    if general is not None:
        general.position_encodings = [types.PositionEncodingKind(chosen)]
    return chosen
