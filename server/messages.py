"""What goes over the wire most, read straight from its bytes; and what this server's own methods are asked with.

A change, a request for a completion and its cancelling are nearly all that an editor sends. Anything else, and any of these
that is not quite as it should be, is left to pygls, which knows every message and what is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from server.documents import Edit, Place
from server.settings import Stop

DID_SHOW = "textDocument/didShowCompletion"
DID_ACCEPT_PART = "textDocument/didPartiallyAcceptCompletion"
"""What editors tell GitHub Copilot's language server of its items; LSP has no words for it."""
Id: TypeAlias = int | str
_Uinteger: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
_Integer: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
_T = TypeVar("_T")


class Position(msgspec.Struct, frozen=True):
    """A 0-based line and a UTF-16 character of it."""

    line: _Uinteger
    character: _Uinteger


class Range(msgspec.Struct, frozen=True):
    """From one position to another."""

    start: Position
    end: Position


class Identifier(msgspec.Struct, frozen=True):
    """Which document is meant."""

    uri: str


class Of(msgspec.Struct, frozen=True, rename="camel"):
    """`{textDocument: {uri}}`: what `ghosttape/state` is asked with."""

    text_document: Identifier


class At(msgspec.Struct, frozen=True, rename="camel"):
    """A place in a document: what `ghosttape/explain` is asked with."""

    text_document: Identifier
    position: Position


class Hint(msgspec.Struct, frozen=True, rename="camel"):
    """What `ghosttape/hint` says: the next change of a document is an `undo` or a `redo`."""

    text_document: Identifier
    reason: str


class Selection(msgspec.Struct, frozen=True, rename="camel"):
    """What `ghosttape/selection` says: where the cursors of the active document are, the main one first."""

    text_document: Identifier
    selections: tuple[Range, ...]


class _Versioned(msgspec.Struct, frozen=True):
    uri: str
    version: _Integer


class _ContentChange(msgspec.Struct, frozen=True):
    range: Range
    text: str


class Changes(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `textDocument/didChange`."""

    text_document: _Versioned
    content_changes: list[_ContentChange]

    def edits(self) -> list[Edit]:
        """The changes as the documents know them."""
        return [(_place(each.range.start), _place(each.range.end), each.text) for each in self.content_changes]

    def structured(self) -> types.DidChangeTextDocumentParams:
        """The same as pygls' handlers know it."""
        document, changes = self.text_document, self.content_changes
        return types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(document.version, document.uri),
            [types.TextDocumentContentChangePartial(_range(change.range), change.text) for change in changes],
        )


class _Trigger(msgspec.Struct, frozen=True, rename="camel"):
    trigger_kind: Annotated[int, msgspec.Meta(ge=1, le=2)]
    selected_completion_info: None = None


class Question(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of `textDocument/inlineCompletion`, with the members that only this server reads."""

    text_document: Identifier
    position: Position
    context: _Trigger
    work_done_token: Id | None = None
    stop: Stop = "auto"
    doomed: str = ""
    sample: _Uinteger = 0


class _Cancelled(msgspec.Struct, frozen=True):
    id: Id


class Change(msgspec.Struct, frozen=True, tag_field="method", tag=types.TEXT_DOCUMENT_DID_CHANGE):
    """`textDocument/didChange`."""

    jsonrpc: str
    params: Changes
    id: None = None

    @property
    def method(self) -> str:
        """Which message this is."""
        return types.TEXT_DOCUMENT_DID_CHANGE

    def structured(self) -> Changes:
        """The parameters as the handlers know them."""
        return self.params


class Completion(msgspec.Struct, frozen=True, tag_field="method", tag=types.TEXT_DOCUMENT_INLINE_COMPLETION):
    """`textDocument/inlineCompletion`."""

    jsonrpc: str
    id: Id
    params: Question


class Cancel(msgspec.Struct, frozen=True, tag_field="method", tag=types.CANCEL_REQUEST):
    """`$/cancelRequest`."""

    jsonrpc: str
    params: _Cancelled
    id: None = None

    @property
    def method(self) -> str:
        """Which message this is."""
        return types.CANCEL_REQUEST

    def structured(self) -> types.CancelParams:
        """The parameters as the handlers know them."""
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


Frequent: TypeAlias = Change | Completion | Cancel
_DECODER = msgspec.json.Decoder(Frequent)


def frequent(body: bytes) -> Frequent | None:
    """One of the messages that come most, if that is what the bytes are and nothing about it is wrong."""
    try:
        message = _DECODER.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return message if message.jsonrpc == "2.0" else None


def anything(body: bytes) -> Any:
    """Whatever JSON the bytes begin with: also with half characters in strings, which an editor may send for half a smiley.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is too deep.

    """
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.JSONDecoder().raw_decode(body.decode("utf-8", "surrogatepass").lstrip())[0]


def items(number: Id, result: Any) -> bytes | None:
    """The answer to a request for completions as it goes over the wire; None of anything else, and of what is no UTF-8."""
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


def number_of(message: Mapping[str, Any]) -> Id | None:
    """The id of a request, if it has one that can be answered to."""
    number = message.get("id")
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def fault(message: Any) -> str:
    """What makes a value no message of JSON-RPC 2.0 (sections 4 and 5); nothing when it is one."""
    if not isinstance(message, dict):
        return "a message is an object"
    if message.get("jsonrpc") != "2.0":
        return 'a message has a member "jsonrpc" that is "2.0"'
    if "method" in message and not isinstance(message["method"], str):
        return "the method of a message is a string"
    if "method" in message and "id" in message and not _is_told(message):
        return "the id of a request is an integer or a string"
    if "method" not in message and not {"result", "error"} & message.keys():
        return "a message has a method, or a result, or an error"
    return ""


def _is_told(message: Mapping[str, Any]) -> bool:
    """Whether an id can be answered to; a notification may say by null that it has none."""
    return number_of(message) is not None or (message["id"] is None and is_notification(message["method"]))


def is_notification(method: str) -> bool:
    """Whether the protocol knows the method as one that is not answered."""
    return method in types.METHOD_TO_TYPES and types.METHOD_TO_TYPES[method][1] is None


def read(params: Any, kind: type[_T]) -> _T:
    """The parameters of a method of our own.

    Raises:
        JsonRpcInvalidParams: they are not what they should be; the message names the place.

    """
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(f"Invalid Params: {error}") from error


def _place(given: Position) -> Place:
    return given.line, given.character


def _range(given: Range) -> types.Range:
    return types.Range(position(given.start), position(given.end))


def position(given: Position) -> types.Position:
    """A position as the protocol's handlers know it."""
    return types.Position(given.line, given.character)
