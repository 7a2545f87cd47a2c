"""LSP as this server speaks it, where that is more than pygls brings.

Own documents, requests that see the text as it was when they came, a stop hint in the parameters, and UTF-16 whatever else
the client would take. Every request is answered, whatever came: JSON-RPC 2.0, section 5.1, and LSP 3.17, "initialize" and
"shutdown", say with which error.
"""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import logging
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, get_args

import attrs
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
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage

from server import messages, misfits
from server.context import RecentEdits
from server.documents import Document, Documents, Edit, Place
from server.errors import DocumentError, ServerRoomError
from server.happenings import Asked as Question
from server.happenings import Changed, Closed, Happening, Listener, Opened
from server.keys import masked
from server.messages import Change, Changes, Completion, Id
from server.misfits import Misfit
from server.settings import Stop
from server.wire import Broken, Frame

REQUEST_FAILED = -32803
Handling = Generator[Any, Any, None]
_LONGEST_REASON = 1000
_log = logging.getLogger("ghosttape.server")


class RequestFailed(JsonRpcException):
    """LSP's RequestFailed: the request was good, but it could not be served; the message says why."""

    CODE = REQUEST_FAILED
    MESSAGE = "Request failed"


@attrs.define
class Asked(types.InlineCompletionParams):
    """The parameters of an inline completion with what else this server reads or knows of it.

    `stop`, `sample` and `doomed` are optional members that other servers ignore. Of several samples each is a question of its
    own, with a seed of its own; `sample` counts them from 0. A request is doomed when its client knows that it will
    cancel it: it says so with a token, and is told with that when the provider has been asked (`ghosttape/underway`). So a
    replay that does not wait in real time still cancels what a person would have cancelled, and the same in every run.
    `document` is the text as it was when the request came.
    """

    stop: Stop = attrs.field(default="auto")
    doomed: str = attrs.field(default="")
    sample: int = attrs.field(default=0)
    document: Document | None = attrs.field(default=None)
    request: int = attrs.field(default=0)

    @classmethod
    def of(cls, asked: messages.Question) -> Asked:
        """The same from what was read straight from the wire."""
        kind = types.InlineCompletionTriggerKind(asked.context.trigger_kind)
        return cls(
            types.InlineCompletionContext(kind),
            types.TextDocumentIdentifier(asked.text_document.uri),
            messages.position(asked.position),
            asked.work_done_token,
            asked.stop,
            asked.doomed,
            asked.sample,
        )


def converter() -> cattrs.Converter:
    """The protocol's converter, which keeps what a question holds for this server alone."""
    made: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    plain = made.get_structure_hook(types.InlineCompletionParams)

    def structure(data: Mapping[str, Any], _: type) -> Asked:
        params = plain(data, types.InlineCompletionParams)
        stop: Any = data.get("stop") or "auto"
        if stop not in get_args(Stop):
            raise Misfit(f"stop is {stop!r}, which is none of {', '.join(get_args(Stop))}")
        doomed, sample = str(data.get("doomed") or ""), data.get("sample") or 0
        if type(sample) is not int or not 0 <= sample < 2**31:
            raise Misfit(f"sample is {sample!r}: samples are counted from 0")
        return Asked(
            params.context, params.text_document, params.position, params.work_done_token, stop, doomed, sample
        )

    made.register_structure_hook(types.InlineCompletionParams, structure)
    for message in (JsonRPCRequestMessage, JsonRPCNotification):  # of methods of our own, whose parameters stay JSON
        made.register_structure_hook(message, lambda data, kind: kind(**data))
    return made


class Protocol(LanguageServerProtocol):
    """pygls' protocol with documents of our own in place of its workspace's, and listeners to what happens."""

    documents: Documents

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        self.documents = Documents()
        self.recent = RecentEdits()
        self.listeners: list[Listener] = []
        self._requests = itertools.count(1)
        self._is_greeted = False
        super().__init__(server, converter)

    def receive(self, frame: Frame) -> bool:
        """Handle what came over the wire. Whatever it is, a request in it is answered; only a change is dealt with at once."""
        message = None if isinstance(frame, Broken) else messages.frequent(frame)
        if isinstance(message, Completion):
            self._take(message.id, types.TEXT_DOCUMENT_INLINE_COMPLETION, Asked.of(message.params))
        elif message is not None:
            self._take(None, message.method, message.structured())
        elif isinstance(frame, Broken):
            self._refuse(None, JsonRpcParseError(frame.reason))
        else:
            self._receive_any(frame)
        return not isinstance(message, Change)

    def _receive_any(self, body: bytes) -> None:
        try:
            message = messages.anything(body)
        except (ValueError, RecursionError) as error:
            return self._refuse(None, JsonRpcParseError(f"this is no JSON: {error}"))
        if not isinstance(message, list):
            return self._receive_one(message)
        return self._refuse_batch(message)

    def _refuse_batch(self, batch: list[Any]) -> None:
        """Answer each request of a batch, and what is no message; notifications get no answer (JSON-RPC 2.0, section 6)."""
        error = JsonRpcInvalidRequest("LSP has no batches: send one message at a time")
        owed = [each for each in batch or [None] if messages.fault(each) or each.get("id") is not None]
        for each in owed:
            self._refuse(messages.number_of(each) if isinstance(each, dict) else None, error)
        if len(owed) < len(batch):
            self._complain(error)

    def _receive_one(self, message: Any) -> None:
        fault = messages.fault(message)
        number = messages.number_of(message) if isinstance(message, dict) else None
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
        """The parameters of a message as its handler knows them.

        Raises:
            JsonRpcException: they are not what they should be.

        """
        known = {"jsonrpc": "2.0", "method": method, "params": message.get("params")}
        if "params" not in message and method in types.METHOD_TO_TYPES:
            del known["params"]
        return self.structure_message(known if number is None else {**known, "id": number}).params

    def _refuse_params(self, number: Id | None, method: str, error: JsonRpcException) -> None:
        why = misfits.told(error.__cause__) if error.__cause__ else error.message
        refused = JsonRpcInvalidParams(f"{method}: {why}"[:_LONGEST_REASON])
        if number is None:
            self._complain(refused)
        else:
            self._refuse(number, refused)

    def _complain(self, error: Exception) -> None:
        """Show the person what is wrong with a notification, which has no answer."""
        self._server._report_server_error(error, FeatureNotificationError)  # noqa: SLF001 - pygls' own guard

    def _check_handler_result(self, future: Any) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, ServerRoomError):  # it says all, so without the name of its class and where it comes from
            self._complain(error)
        else:
            super()._check_handler_result(future)

    def _receive_response(self, message: dict[str, Any]) -> None:
        """The client's answer to a request of ours; what answers none is passed over."""
        try:
            self.handle_message(self.structure_message(message))
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody waits for it
            _log.warning("a response of the client's cannot be read: %s", error)

    def _take(self, number: Id | None, method: str, params: Any) -> None:
        """Handle a request, or a notification (it has no number), if this is the time for it."""
        untimely = self._untimely(number, method)
        if untimely is not None:
            if number is not None:
                self._refuse(number, untimely)
            return
        run = contextvars.copy_context().run
        try:
            if number is None:
                run(self._handle_notification, method, params)
            else:
                run(self._handle_request, number, method, params)
        except Exception as error:  # noqa: BLE001 - a fault of ours: it is logged, and the editor goes on
            _log.exception("%s failed", method)
            if number is not None:
                self._refuse(number, JsonRpcInternalError(str(error)))

    def _untimely(self, number: Id | None, method: str) -> JsonRpcException | None:
        if method == types.EXIT and number is None:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server was told to shut down: only exit is left")
        if not self._is_greeted and method not in {types.INITIALIZE, types.SHUTDOWN}:
            return JsonRpcServerNotInitialized("send initialize first")
        if self._is_greeted and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize was sent before")
        if number is not None and messages.is_notification(method):
            return JsonRpcInvalidRequest(f"{method} is a notification: it has no id")
        if number in self._request_futures:
            return JsonRpcInvalidRequest(f"the id {number!r} belongs to a request that is under way")
        return None

    def _send_response(self, msg_id: Id, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None:  # without pygls' traceback, which is for the log
            error = types.ResponseError(error.code, masked(error.message))
        body = messages.items(msg_id, result) if error is None and self.writer is not None else None
        if body is None or self.writer is None:
            super()._send_response(msg_id, result, error)
        else:
            self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _handle_notification(self, method_name: str, params: Any) -> None:
        """As pygls does; but what comes with every key goes without a task, a future and an id of its own."""
        if isinstance(params, Changes) and method_name in self.fm.features:
            params = params.structured()
        if not isinstance(params, Changes):
            super()._handle_notification(method_name, params)
            return
        try:
            self._changed(params.text_document.uri, params.text_document.version, params.edits())
        except ServerRoomError as error:
            self._complain(error)
        except Exception:  # noqa: BLE001 - the person is told, and the editor goes on
            self._complain(JsonRpcInternalError.of(sys.exc_info()))  # type: ignore[no-untyped-call] # pygls leaves it so

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        if isinstance(msg_id, int | str):  # lsprotocol lets anything through
            super()._handle_cancel_notification(msg_id)

    def _refuse(self, number: Id | None, error: JsonRpcException) -> None:
        told = {"code": error.code, "message": masked(error.message)}
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": told})

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Greet the client; from here on its other messages are heard."""
        result = yield from super().lsp_initialize(params)
        self._is_greeted = True
        return result

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
        edits = [_edit(change) for change in params.content_changes]
        self._changed(params.text_document.uri, params.text_document.version, edits)
        yield from self._passed_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    def _changed(self, uri: str, version: int, edits: Sequence[Edit]) -> None:
        before = self.documents.get(uri)
        changes = self.documents.change(uri, version, edits)
        after = self.documents.get(uri)
        self.recent.hear(uri, before.text, after.text, edits)
        if self.listeners:
            self.tell(Changed(before, after, changes))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Handling:
        """Forget a document."""
        document = self.documents.get(params.text_document.uri)
        self.documents.close(params.text_document.uri)
        self.recent.forget(params.text_document.uri)
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
        if method_name == types.SHUTDOWN:
            self._shutdown = True  # from now on, not only when all is closed: `exit` may come behind it at once
        if isinstance(params, Asked) and method_name in self.fm.features:
            serving: Any = asyncio.get_running_loop().create_task(self._served(msg_id, method_name, params))
            self._request_futures[msg_id] = serving
            serving.add_done_callback(partial(self._unserved, msg_id))
        else:
            super()._handle_request(msg_id, method_name, params)

    async def _served(self, msg_id: Id, method_name: str, params: Asked) -> None:
        """Answer a request for completions as pygls would, but at once: its callback comes a turn of the loop later."""
        result: Any = asyncio.get_running_loop().create_future()
        try:
            result.set_result(await self.fm.features[method_name](params))
        except asyncio.CancelledError:
            result.cancel()
        except Exception as error:  # noqa: BLE001 - pygls answers it as an error
            result.set_exception(error)
        self._send_handler_result(result, msg_id=msg_id)

    def _unserved(self, msg_id: Id, serving: Any) -> None:
        """Answer a request that was cancelled before it had its first turn."""
        if serving.cancelled():
            self._send_handler_result(serving, msg_id=msg_id)

    def _asked(self, params: Asked) -> None:
        """Hold on to the text as it is now, and to the position in it: past the end of a line it is the end."""
        params.document = document = self._seen(params.text_document.uri)
        params.request = next(self._requests)
        if document is None:
            return
        try:
            where = document.clamped(place(params.position))
        except DocumentError:
            return  # the answer will be the same error
        params.position = types.Position(*where)
        if self.listeners:
            invoked = params.context.trigger_kind == types.InlineCompletionTriggerKind.Invoked
            self.tell(Question(params.request, document, document.offset(where), invoked))

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
