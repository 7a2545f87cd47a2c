"""The most frequent messages, decoded straight from their bytes; and the parameters of this server's own methods.

Changes, requests for completions and cancellations are nearly all that an editor sends. All other messages, and malformed ones of these
three, are left to pygls, which knows every message and reports errors in it.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from server.documents import ContentChange, LineCharacter
from server.wire.json_values import INVALID_ID, Id, fault
from syntax.wanted import Stop

_Uinteger: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
_Coordinate: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
"""LSP's numbers end at 2³¹ - 1, but some programs name the end of a document by their largest number of 32 bits."""
_LARGEST = 2**31 - 1
_Integer: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
_T = TypeVar("_T")


class Position(msgspec.Struct, frozen=True):
    """A line, from 0, and a UTF-16 character of it."""

    line: _Coordinate
    character: _Coordinate


class Range(msgspec.Struct, frozen=True):
    """From one position to another."""

    start: Position
    end: Position


class DocumentIdentifier(msgspec.Struct, frozen=True):
    """The URI of a document."""

    uri: str


class DocumentParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `ghosttape/state`: `{textDocument: {uri}}`."""

    text_document: DocumentIdentifier


class PositionParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `ghosttape/explain`: a position in a document."""

    text_document: DocumentIdentifier
    position: Position


class EditParams(PositionParams, frozen=True, rename="camel"):
    """The parameters of `textDocument/copilotInlineEdit`, with the index of the sample, which only this server reads."""

    sample: _Uinteger = 0


class ChangeReasonParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `ghosttape/hint`: why the next change of a document is made (`undo`, `redo`, `paste`, …)."""

    text_document: DocumentIdentifier
    reason: str


class SelectionParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `ghosttape/selection`: the selections of the active document, the main one first."""

    text_document: DocumentIdentifier
    selections: tuple[Range, ...]


class TerminalParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `ghosttape/terminal`: a command that ended, what it printed, and its exit status (None: unknown)."""

    command: str
    output: str = ""
    exit_code: _Integer | None = None


class ProposedEdit(msgspec.Struct, frozen=True, rename="camel"):
    """One edit of the answer to `textDocument/copilotInlineEdit`: a range of a document, and what takes its place."""

    text_document: DocumentIdentifier
    range: Range
    text: str


class _Versioned(msgspec.Struct, frozen=True):
    uri: str
    version: _Integer


class ItemCommand(msgspec.Struct, frozen=True):
    """The command of an item: its arguments are the number of the request and, if the provider wants to hear of it, its ticket."""

    arguments: tuple[Any, ...] = ()


class _PlacedItem(msgspec.Struct, frozen=True, rename="camel"):
    insert_text: str
    range: Range
    command: ItemCommand


class ShownParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `textDocument/didShowCompletion`, as a recording needs them: an item, where it stands, and in which text."""

    item: _PlacedItem
    text_document: _Versioned


class _ChangedDocument(msgspec.Struct, frozen=True):
    uri: str
    version: _Integer | None = None
    """None: the editor does not count, as LSP allowed up to version 3.15."""


class _ContentChange(msgspec.Struct, frozen=True):
    text: str
    range: Range | None = None
    """None: the text is the whole document."""


class ChangeParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `textDocument/didChange`."""

    text_document: _ChangedDocument
    content_changes: list[_ContentChange]

    def edits(self) -> list[ContentChange]:
        """The changes in the form of `server.documents`."""
        return [
            each.text if each.range is None else (_place(each.range.start), _place(each.range.end), each.text)
            for each in self.content_changes
        ]

    def structured(self) -> types.DidChangeTextDocumentParams:
        """The same in the form that pygls' handlers take."""
        document, changes = self.text_document, self.content_changes
        return types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(document.version or 0, document.uri),
            [
                types.TextDocumentContentChangeWholeDocument(change.text)
                if change.range is None
                else types.TextDocumentContentChangePartial(_range(change.range), change.text)
                for change in changes
            ],
        )


class _Trigger(msgspec.Struct, frozen=True, rename="camel"):
    trigger_kind: Annotated[int, msgspec.Meta(ge=1, le=2)]
    selected_completion_info: None = None


class WireCompletionParams(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `textDocument/inlineCompletion`, with the members that only this server reads."""

    text_document: DocumentIdentifier
    position: Position
    context: _Trigger
    work_done_token: Id | None = None
    stop: Stop = "auto"
    will_cancel: str = ""
    sample: _Uinteger = 0
    patience: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    streams: str = ""
    evidence: tuple[str, ...] = ()


class _Cancelled(msgspec.Struct, frozen=True):
    id: Id


class ChangeMessage(msgspec.Struct, frozen=True, tag_field="method", tag=types.TEXT_DOCUMENT_DID_CHANGE):
    """`textDocument/didChange`."""

    jsonrpc: str
    params: ChangeParams
    id: None = None

    @property
    def method(self) -> str:
        """The method of the message."""
        return types.TEXT_DOCUMENT_DID_CHANGE

    def structured(self) -> ChangeParams:
        """The parameters in the form that the handlers take."""
        return self.params


class CompletionMessage(msgspec.Struct, frozen=True, tag_field="method", tag=types.TEXT_DOCUMENT_INLINE_COMPLETION):
    """`textDocument/inlineCompletion`."""

    jsonrpc: str
    id: Id
    params: WireCompletionParams


class CancelMessage(msgspec.Struct, frozen=True, tag_field="method", tag=types.CANCEL_REQUEST):
    """`$/cancelRequest`."""

    jsonrpc: str
    params: _Cancelled
    id: None = None

    @property
    def method(self) -> str:
        """The method of the message."""
        return types.CANCEL_REQUEST

    def structured(self) -> types.CancelParams:
        """The parameters in the form that the handlers take."""
        return types.CancelParams(self.params.id)


class _Command(msgspec.Struct, frozen=True):
    title: str
    command: str
    arguments: Any


class _Item(msgspec.Struct, frozen=True, rename="camel"):
    insert_text: str
    range: Range
    command: _Command | msgspec.UnsetType = msgspec.UNSET


class _Items(msgspec.Struct, frozen=True):
    id: Id
    result: list[_Item]
    jsonrpc: str = "2.0"


FrequentMessage: TypeAlias = ChangeMessage | CompletionMessage | CancelMessage
_DECODER = msgspec.json.Decoder(FrequentMessage)


def decode_frequent(body: bytes) -> FrequentMessage | None:
    """One of the most frequent messages; None if the bytes are another message or malformed."""
    try:
        message = _DECODER.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return message if message.jsonrpc == "2.0" else None


def encode_items(number: Id, result: Any) -> bytes | None:
    """The bytes of the answer to a request for completions; None for another result, or for text that has no UTF-8."""
    if not isinstance(result, list) or not all(type(item) is types.InlineCompletionItem for item in result):
        return None
    try:
        return msgspec.json.encode(_Items(number, list(map(_item, result))))
    except UnicodeEncodeError:
        return None


def _item(item: types.InlineCompletionItem) -> _Item:
    assert isinstance(item.insert_text, str)
    assert item.range is not None
    start, end = item.range.start, item.range.end
    command = item.command and _Command(item.command.title, item.command.command, item.command.arguments)
    where = Range(Position(start.line, start.character), Position(end.line, end.character))
    return _Item(item.insert_text, where, command or msgspec.UNSET)


def incoming_fault(message: Any) -> str:
    """Why a value that a client sent is not a message of JSON-RPC 2.0; empty if it is one. Clients must keep to it in full."""
    if isinstance(message, dict) and message.get("jsonrpc") != "2.0":
        return 'a message has a member "jsonrpc" that is "2.0"'
    if why := fault(message):
        return why
    if "method" not in message:
        return "" if {"result", "error"} & message.keys() else "a message has a method, or a result, or an error"
    has_null = "id" in message and message["id"] is None
    return INVALID_ID if has_null and not is_notification(message["method"]) else ""


def is_notification(method: str) -> bool:
    """Whether LSP defines the method as a notification."""
    return method in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[method][1] is None


def convert_params(params: Any, kind: type[_T]) -> _T:
    """Decode the parameters of one of our own methods.

    Raises:
        JsonRpcInvalidParams: they are malformed; the message names the place.

    """
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(f"Invalid Params: {error}") from error


def _place(given: Position) -> LineCharacter:
    return given.line, given.character


def _range(given: Range) -> types.Range:
    return types.Range(position(given.start), position(given.end))


def position(given: Position) -> types.Position:
    """A position in the form of lsprotocol."""
    return types.Position(min(given.line, _LARGEST), min(given.character, _LARGEST))
