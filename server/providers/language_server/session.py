"""One run of a language server: started, greeted, told of the documents, asked, and told what became of its items."""

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
from server.messages import DID_ACCEPT_PART, DID_SHOW
from server.providers.language_server import greeting
from server.providers.language_server.connection import Connection, Pending, Rejection, opened
from server.providers.language_server.items import Continuation, continuation
from server.providers.language_server.mirror import Mirror, place
from server.providers.protocol import Request
from syntax.text import length

_DID_FOCUS = "textDocument/didFocus"
_OURS = "ghosttape"
_AUTOMATIC = types.InlineCompletionTriggerKind.Automatic.value
_STRANGER = re.compile(r"not.?(signed|logged).?in|not authenticated|unauthori[sz]ed|not signed into", re.IGNORECASE)
_SIGN_IN = "sign in to it first, with an editor that uses it: ghosttape takes over what it has stored, and cannot sign in itself"


@dataclass(frozen=True, slots=True)
class Launch:
    """How a language server is started. Times in seconds; `folder` None is our own."""

    command: Sequence[str]
    folder: Path | None
    env: Mapping[str, str]
    options: Mapping[str, Any]
    folders: Sequence[str]
    start_s: float
    register_s: float
    """How long a server that has no inline completion at first may take to register it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was sent. `shown` is the request as a person reads it."""

    shown: str
    pending: Pending
    request: Request

    async def answer(self, within_s: float) -> Continuation | None:
        """What the server goes on with, or nothing.

        Raises:
            ProviderError: it failed, ended, or took too long.

        """
        connection = self.pending.connection
        try:
            result = await self.pending.result(within_s)
            return continuation(result, self.request.before, self.request.after)
        except Rejection as error:
            if _STRANGER.search(error.told):
                raise Rejection(connection.name, error.code, f"{error.told}: {_SIGN_IN}") from error
            raise
        except ProviderRefused as error:
            if str(error).startswith(connection.name):
                raise
            raise ProviderRefused(f"{connection.name}: {error}") from error


@dataclass(slots=True, eq=False)
class Session:
    """A language server that was greeted and has inline completion."""

    connection: Connection
    mirror: Mirror
    name: str
    commands: frozenset[str]
    """Those that it says it has; none: it says nothing of them."""
    _focus: str = ""

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self.connection.is_dead

    def ask(self, request: Request) -> Question:
        """Bring the documents up to date and send the question, all at once.

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
        self._look_at(uri)
        params = {
            "textDocument": {"uri": uri, "version": self.mirror.version(uri)},
            "position": place(text, length(request.before)),
            "context": {"triggerKind": _AUTOMATIC},
        }
        if request.stop != "auto":
            params["stop"] = request.stop  # ours heeds it, others ignore it, as the sample
        if request.sample:
            params["sample"] = request.sample
        pending = self.connection.request(types.TEXT_DOCUMENT_INLINE_COMPLETION, params)
        return Question(_shown(params), pending, request)

    def shown(self, item: Mapping[str, Any]) -> None:
        """Tell the server that an item was shown, where it knows the words."""
        if self._hears:
            self.connection.notify(DID_SHOW, {"item": dict(item)})

    def accepted_in_part(self, item: Mapping[str, Any], length: int) -> None:
        """Tell the server that an item was accepted up to a UTF-16 offset of its text, where it knows the words."""
        if self._hears:
            self.connection.notify(DID_ACCEPT_PART, {"item": dict(item), "acceptedLength": length})

    async def accepted(self, item: Mapping[str, Any], within_s: float) -> None:
        """Run an item's command, as an editor does after inserting it (LSP 3.18, "InlineCompletionItem").

        Raises:
            ProviderError: the server has ended, fails at it, or takes too long.

        """
        command = item.get("command")
        if not isinstance(command, Mapping) or not isinstance(command.get("command"), str):
            return
        if self.commands and command["command"] not in self.commands:
            return  # one of its own editor's
        params = {"command": command["command"], "arguments": command.get("arguments") or []}
        await self.connection.request(types.WORKSPACE_EXECUTE_COMMAND, params).result(within_s)

    @property
    def _hears(self) -> bool:
        return greeting.is_copilot(self.name) or self.name == _OURS

    def _look_at(self, uri: str) -> None:
        if uri != self._focus and greeting.is_copilot(self.name):
            self.connection.notify(_DID_FOCUS, {"textDocument": {"uri": uri}})
        self._focus = uri


@dataclass(slots=True)
class _Ear:
    """Hears what the server says of itself while it runs."""

    folders: Sequence[str]
    connection: Connection | None = None
    registered: set[str] = field(default_factory=set)
    completes: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, method: str, params: Any) -> Any:
        """Answer a request of the server's."""
        self.hear(method, params)
        result = greeting.answer(method, params, self.folders)
        if method == types.CLIENT_REGISTER_CAPABILITY:
            self.registered.update(greeting.registered(params))
            if types.TEXT_DOCUMENT_INLINE_COMPLETION in self.registered:
                self.completes.set()
        return result

    def hear(self, method: str, params: Any) -> None:
        """Keep what tells of trouble."""
        if self.connection is not None and (told := greeting.trouble(method, params)):
            self.connection.complaints.append(told)


async def begun(launch: Launch) -> Session:
    """Start a server and greet it.

    Raises:
        ProviderMissing: it cannot be started.
        ProviderError: it ends, refuses, takes too long, or has no inline completion.

    """
    ear = _Ear(launch.folders)
    connection = await opened(launch.command, folder=launch.folder, env=launch.env, answer=ear.answer, hear=ear.hear)
    ear.connection = connection
    try:
        return await _greeted(connection, ear, launch)
    except BaseException:
        connection.kill()
        await connection.end()
        raise


async def _greeted(connection: Connection, ear: _Ear, launch: Launch) -> Session:
    told = greeting.greeting(launch.folders, greeting.options_for(launch.command, launch.options))
    result = await connection.request(types.INITIALIZE, told).result(launch.start_s)
    if not isinstance(result, Mapping) or not isinstance(result.get("capabilities"), Mapping):
        raise ProviderRefused(f"{connection.name}: its answer to initialize has no capabilities")
    can, info = result["capabilities"], result.get("serverInfo")
    if can.get("positionEncoding", "utf-16") != "utf-16":
        raise ProviderRefused(f"{connection.name} counts positions in {can['positionEncoding']}, against LSP 3.17")
    connection.notify(types.INITIALIZED, {})
    if can.get("inlineCompletionProvider") in (None, False):
        await _registered(connection, ear, launch.register_s)
    name = str(info.get("name") or "") if isinstance(info, Mapping) else ""
    return Session(connection, Mirror(_takes_whole(can)), name, _commands(can))


async def _registered(connection: Connection, ear: _Ear, within_s: float) -> None:
    try:
        await asyncio.wait_for(ear.completes.wait(), within_s)
    except TimeoutError as error:
        if connection.is_dead:
            raise ProviderError(connection.epitaph()) from error
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
