"""What editors report besides changes: saved documents, cursors, undo and redo, and what the person did with a completion.

LSP reports one thing about a completion: the editor runs the command of an item that was accepted. Editors report that an item was
shown, or accepted in part, in the words of GitHub Copilot's language server. A provider that is a `FeedbackProvider` gets all three.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Any

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from server.api_keys import masked
from server.documents import Document
from server.errors import DocumentError, ProviderError
from server.lsp.editor_events import (
    ChangeReasonGiven,
    CompletionAccepted,
    CompletionDismissed,
    CompletionShown,
    CursorsMoved,
    DocumentSaved,
    FoldersChanged,
    TerminalCommandEnded,
)
from server.lsp.server import Server
from server.wire.wire_messages import (
    ChangeReasonParams,
    DocumentParams,
    ItemCommand,
    Position,
    SelectionParams,
    ShownParams,
    TerminalParams,
    convert_params,
)

_log = logging.getLogger("ghosttape.server")


class _Item(msgspec.Struct, frozen=True, rename="camel"):
    insert_text: str = ""
    command: ItemCommand = ItemCommand()


class _Feedback(msgspec.Struct, frozen=True, rename="camel"):
    item: _Item
    accepted_length: int = 0

    @property
    def ticket(self) -> str:
        """The ticket of the provider's answer; empty when the item has none."""
        arguments = self.item.command.arguments
        return arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else ""


def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """`textDocument/didSave`."""
    ls.protocol.emit(DocumentSaved(params.text_document.uri))


def folders_changed(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """`workspace/didChangeWorkspaceFolders`: from now on the workspace has other folders."""
    removed = {folder.uri.rstrip("/") for folder in params.event.removed}
    kept = [uri for uri in ls.folders if uri.rstrip("/") not in removed]
    ls.folders = tuple(dict.fromkeys([*kept, *(folder.uri for folder in params.event.added)]))
    ls.look_at_disk()
    if ls.feedback_provider is not None:
        ls.feedback_provider.set_folders(ls.folders)
    ls.protocol.emit(FoldersChanged(ls.folders))


def change_reason_given(ls: Server, params: Any) -> None:
    """`ghosttape/hint` `{textDocument: {uri}, reason}`: why the next change of a document is made (`undo`, `paste`, …)."""
    try:
        hint = convert_params(params, ChangeReasonParams)
    except JsonRpcInvalidParams:
        return  # a malformed hint is ignored
    ls.protocol.emit(ChangeReasonGiven(hint.text_document.uri, hint.reason))


def cursors_moved(ls: Server, params: Any) -> None:
    """`ghosttape/selection` `{textDocument: {uri}, selections: [Range]}` of the editor that is active now."""
    try:
        selection = convert_params(params, SelectionParams)
        document = ls.documents.get(selection.text_document.uri)
        ranges = [(_offset(document, each.start), _offset(document, each.end)) for each in selection.selections]
    except (DocumentError, JsonRpcInvalidParams):
        return  # a document that is not open, or a position outside it, is ignored
    ls.protocol.emit(CursorsMoved(document, tuple(ranges)))


def dismissed(ls: Server, params: Any) -> None:
    """`ghosttape/dismissed` `{textDocument: {uri}}`: the person dismissed the completion that this document shows (Escape)."""
    try:
        document = convert_params(params, DocumentParams).text_document
    except JsonRpcInvalidParams:
        return  # as above
    ls.protocol.emit(CompletionDismissed(document.uri))


def terminal_command_ended(ls: Server, params: Any) -> None:
    """`ghosttape/terminal` `{command, output, exitCode}`: a command in a terminal ended. What is no test run is not recorded."""
    try:
        ended = convert_params(params, TerminalParams)
    except JsonRpcInvalidParams:
        return  # as above
    ls.protocol.emit(TerminalCommandEnded(ended.command, ended.output, ended.exit_code))


def _offset(document: Document, position: Position) -> int:
    return document.offset((position.line, position.character))


async def accepted(ls: Server, *arguments: Any) -> None:
    """The command `ghosttape.accepted` (request, ticket if there is one): the person accepted the item."""
    if arguments and isinstance(arguments[0], int):
        ls.protocol.emit(CompletionAccepted(arguments[0]))
    if ls.feedback_provider is not None and len(arguments) > 1 and isinstance(arguments[1], str):
        await _send(ls.feedback_provider.accepted(arguments[1]))


async def shown(ls: Server, params: Any) -> None:
    """`textDocument/didShowCompletion` `{item, textDocument?: {uri, version}}`: the item is on the screen. A recorder needs to know of which text."""
    if (event := _shown(ls, params)) is not None:
        ls.protocol.emit(event)
    feedback = _read(params)
    if ls.feedback_provider is not None and feedback is not None and feedback.ticket:
        await _send(ls.feedback_provider.shown(feedback.ticket))


async def accepted_in_part(ls: Server, params: Any) -> None:
    """`textDocument/didPartiallyAcceptCompletion` `{item, acceptedLength}`: the person accepted the start of the item."""
    feedback = _read(params)
    if ls.feedback_provider is not None and feedback is not None and feedback.ticket:
        text, length = feedback.item.insert_text, feedback.accepted_length
        await _send(ls.feedback_provider.accepted_in_part(feedback.ticket, text, length))


def _shown(ls: Server, params: Any) -> CompletionShown | None:
    """The event of an item that is on the screen; None if it is not said of which text, or if that text is no more."""
    try:
        told = convert_params(params, ShownParams)
        document = ls.documents.get(told.text_document.uri)
        start, end = (_offset(document, place) for place in (told.item.range.start, told.item.range.end))
    except (DocumentError, JsonRpcInvalidParams):
        return None
    request = next(iter(told.item.command.arguments), None)
    if type(request) is not int or document.version != told.text_document.version:
        return None
    return CompletionShown(request, document, (start, end, told.item.insert_text))


def _read(params: Any) -> _Feedback | None:
    try:
        return convert_params(params, _Feedback)
    except JsonRpcInvalidParams:
        return None  # malformed feedback is ignored


async def _send(feedback: Awaitable[None]) -> None:
    """Wait until the provider has the feedback. A failure is logged; it changes nothing for the person."""
    try:
        await feedback
    except ProviderError as error:
        _log.warning("%s", masked(str(error)))
