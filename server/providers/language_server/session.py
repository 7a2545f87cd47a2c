"""One run of a language server: it is started, gets the documents and the requests, and feedback on its items."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lsprotocol import types

from server.documents import Document
from server.errors import ProviderError, ProviderRefused
from server.providers.language_server import handshake
from server.providers.language_server.items import Continuation, continuation
from server.providers.language_server.mirror import DocumentMirror, place
from server.providers.language_server.process import OutgoingRequest, RequestRejected, ServerProcess, start_process
from server.providers.protocol import Request
from server.wire.plain import DID_ACCEPT_PART, DID_SHOW
from syntax.text import length

_DID_FOCUS = "textDocument/didFocus"
_OURS = "ghosttape"
_AUTOMATIC = types.InlineCompletionTriggerKind.Automatic.value
_NOT_SIGNED_IN = re.compile(
    r"not.?(signed|logged).?in|not authenticated|unauthori[sz]ed|not signed into", re.IGNORECASE
)
_SIGN_IN = "sign in first, with an editor that uses this server: ghosttape uses the stored credentials and cannot sign in itself"


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """How a language server is started. Times are in seconds; `folder` None means our own working directory."""

    command: Sequence[str]
    folder: Path | None
    env: Mapping[str, str]
    options: Mapping[str, Any]
    folders: Sequence[str]
    start_s: float
    register_s: float
    """How long a server that does not offer inline completion at first may take to register it."""


@dataclass(frozen=True, slots=True)
class OutgoingCompletion:
    """A request for completions that was sent. `shown` is its text for a person."""

    shown: str
    pending: OutgoingRequest
    request: Request

    async def answer(self, within_s: float) -> Continuation | None:
        """Wait for the server's continuation; None if it has none.

        Raises:
            ProviderError: the server failed, ended, or took too long.

        """
        connection = self.pending.connection
        try:
            result = await self.pending.result(within_s)
            return continuation(result, self.request.before, self.request.after)
        except RequestRejected as error:
            if _NOT_SIGNED_IN.search(error.message):
                raise RequestRejected(connection.name, error.code, f"{error.message}: {_SIGN_IN}") from error
            raise
        except ProviderRefused as error:
            if str(error).startswith(connection.name):
                raise
            raise ProviderRefused(f"{connection.name}: {error}") from error


@dataclass(slots=True, eq=False)
class LanguageServerSession:
    """A language server that is initialized and offers inline completion."""

    connection: ServerProcess
    mirror: DocumentMirror
    name: str
    commands: frozenset[str]
    """The commands that it announces; empty: it announces none."""
    _focus: str = ""

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self.connection.is_dead

    def ask(self, request: Request) -> OutgoingCompletion:
        """Update the documents and send the request.

        Raises:
            ProviderError: the server has ended.

        """
        uri = request.uri or f"file:///{quote(request.context.path)}"
        language = request.language or request.context.language or "plaintext"
        text = request.before + request.after
        others = [document for document in request.opened if document.uri != uri]
        at = next((at for at, document in enumerate(request.opened) if document.uri == uri), len(others))
        for method, params in self.mirror.follow([*others[:at], Document(uri, language, 0, text), *others[at:]]):
            self.connection.notify(method, params)
        self._focus_on(uri)
        params = {
            "textDocument": {"uri": uri, "version": self.mirror.version(uri)},
            "position": place(text, length(request.before)),
            "context": {"triggerKind": _AUTOMATIC},
        }
        if request.stop != "auto":
            params["stop"] = request.stop  # our own server reads it, others ignore it; so with the sample
        if request.sample:
            params["sample"] = request.sample
        pending = self.connection.request(types.TEXT_DOCUMENT_INLINE_COMPLETION, params)
        return OutgoingCompletion(_shown(params), pending, request)

    def shown(self, item: Mapping[str, Any]) -> None:
        """Report that an item was shown, if the server knows that notification."""
        if self._takes_feedback:
            self.connection.notify(DID_SHOW, {"item": dict(item)})

    def accepted_in_part(self, item: Mapping[str, Any], length: int) -> None:
        """Report that an item was accepted up to a UTF-16 offset of its text, if the server knows that notification."""
        if self._takes_feedback:
            self.connection.notify(DID_ACCEPT_PART, {"item": dict(item), "acceptedLength": length})

    async def accepted(self, item: Mapping[str, Any], within_s: float) -> None:
        """Run an item's command, as an editor does after inserting it (LSP 3.18, "InlineCompletionItem").

        Raises:
            ProviderError: the server has ended, fails, or takes too long.

        """
        command = item.get("command")
        if not isinstance(command, Mapping) or not isinstance(command.get("command"), str):
            return
        if self.commands and command["command"] not in self.commands:
            return  # a command of the server's own editor
        params = {"command": command["command"], "arguments": command.get("arguments") or []}
        await self.connection.request(types.WORKSPACE_EXECUTE_COMMAND, params).result(within_s)

    @property
    def _takes_feedback(self) -> bool:
        return handshake.is_copilot(self.name) or self.name == _OURS

    def _focus_on(self, uri: str) -> None:
        if uri != self._focus and handshake.is_copilot(self.name):
            self.connection.notify(_DID_FOCUS, {"textDocument": {"uri": uri}})
        self._focus = uri


@dataclass(slots=True)
class _ServerMessages:
    """Takes the requests and notifications of the server."""

    folders: Sequence[str]
    connection: ServerProcess | None = None
    registered: set[str] = field(default_factory=set)
    completes: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, method: str, params: Any) -> Any:
        """Answer a request of the server."""
        self.hear(method, params)
        result = handshake.answer_request(method, params, self.folders)
        if method == types.CLIENT_REGISTER_CAPABILITY:
            self.registered.update(handshake.registered_methods(params))
            if types.TEXT_DOCUMENT_INLINE_COMPLETION in self.registered:
                self.completes.set()
        return result

    def hear(self, method: str, params: Any) -> None:
        """Keep the message if it reports an error."""
        if self.connection is not None and (error_text := handshake.error_text(method, params)):
            self.connection.error_messages.append(error_text)


async def start_session(launch: LaunchOptions) -> LanguageServerSession:
    """Start a server and initialize it.

    Raises:
        ProviderMissing: the server cannot be started.
        ProviderError: it ends, refuses, takes too long, or does not offer inline completion.

    """
    server = _ServerMessages(launch.folders)
    connection = await start_process(
        launch.command, folder=launch.folder, env=launch.env, answer=server.answer, hear=server.hear
    )
    server.connection = connection
    try:
        return await _initialize(connection, server, launch)
    except BaseException:  # a cancellation too: the process is ended, and the error goes on
        connection.kill()
        await connection.end()
        raise


async def _initialize(
    connection: ServerProcess, server: _ServerMessages, launch: LaunchOptions
) -> LanguageServerSession:
    params = handshake.initialize_params(launch.folders, handshake.options_for(launch.command, launch.options))
    result = await connection.request(types.INITIALIZE, params).result(launch.start_s)
    if not isinstance(result, Mapping) or not isinstance(result.get("capabilities"), Mapping):
        raise ProviderRefused(f"{connection.name}: its answer to initialize has no capabilities")
    can, info = result["capabilities"], result.get("serverInfo")
    if can.get("positionEncoding", "utf-16") != "utf-16":
        raise ProviderRefused(f"{connection.name} counts positions in {can['positionEncoding']}, against LSP 3.17")
    connection.notify(types.INITIALIZED, {})
    if can.get("inlineCompletionProvider") in (None, False):
        await _registered(connection, server, launch.register_s)
    name = str(info.get("name") or "") if isinstance(info, Mapping) else ""
    return LanguageServerSession(connection, DocumentMirror(_takes_whole(can)), name, _commands(can))


async def _registered(connection: ServerProcess, server: _ServerMessages, within_s: float) -> None:
    try:
        await asyncio.wait_for(server.completes.wait(), within_s)
    except TimeoutError as error:
        if connection.is_dead:
            raise ProviderError(connection.exit_reason()) from error
        raise ProviderRefused(
            f"{connection.name} does not offer textDocument/inlineCompletion (LSP 3.18): it cannot be asked for ghost text"
        ) from error


def _takes_whole(can: Mapping[str, Any]) -> bool:
    sync = can.get("textDocumentSync")
    kind = sync.get("change") if isinstance(sync, Mapping) else sync
    return kind == types.TextDocumentSyncKind.Full.value


def _commands(can: Mapping[str, Any]) -> frozenset[str]:
    provider = can.get("executeCommandProvider")
    named = provider.get("commands") if isinstance(provider, Mapping) else None
    return frozenset(map(str, named or ()))


def _shown(params: Mapping[str, Any]) -> str:
    return f"{types.TEXT_DOCUMENT_INLINE_COMPLETION}\n{json.dumps(params, indent=2)}"
