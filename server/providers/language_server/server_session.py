"""One run of a language server: it is started, gets the documents and the requests, and feedback on its items."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec
from lsprotocol import types

from server.context import unix
from server.documents import Document
from server.errors import ProviderRefused
from server.providers.language_server import handshake
from server.providers.protocol import Request
from server.wire.json_values import DID_ACCEPT_PART, DID_SHOW
from server.wire.server_process import OutgoingRequest, RequestRejected, ServerProcess, start_process
from server.wire.wire_messages import Range
from syntax.errors import OffsetError
from syntax.text import Change, cut, end_offset_at, index_of, length, minimal, offset_at, position_at

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
    name = Path(launch.command[0]).name
    connection = await start_process(
        name, launch.command, folder=launch.folder, env=launch.env, answer=server.answer, hear=server.hear
    )
    server.connection = connection
    try:
        return await _initialize(connection, server, launch)
    except BaseException:  # a cancellation too: the process is ended, and the error goes on
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
            raise connection.exit_error() from error
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


# The documents that another server has open, and the notifications that update them. Pure.

OutgoingNotification: TypeAlias = tuple[str, dict[str, Any]]
"""(method, parameters) of a notification"""


@dataclass(slots=True)
class DocumentMirror:
    """The documents that a server has open. `whole`: a change is sent as the whole text."""

    whole: bool = False
    _known: dict[str, Document] = field(default_factory=dict)

    def version(self, uri: str) -> int:
        """The last version that was sent."""
        return self._known[uri].version

    def follow(self, documents: Sequence[Document]) -> Iterator[OutgoingNotification]:
        """The notifications after which the server has exactly these documents open. Versions are counted here, from 1."""
        wanted = {document.uri: document for document in documents}
        for uri in [uri for uri, known in self._known.items() if not _is_same(known, wanted.get(uri))]:
            del self._known[uri]
            yield types.TEXT_DOCUMENT_DID_CLOSE, {"textDocument": {"uri": uri}}
        for document in wanted.values():
            known = self._known.get(document.uri)
            if known is None:
                yield self._opened(replace(document, version=1))
            elif known.text != document.text:
                yield self._changed(known, replace(document, version=known.version + 1))

    def _opened(self, document: Document) -> OutgoingNotification:
        self._known[document.uri] = document
        item = {"uri": document.uri, "languageId": document.language, "version": 1, "text": document.text}
        return types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": item}

    def _changed(self, known: Document, document: Document) -> OutgoingNotification:
        self._known[document.uri] = document
        change = {"text": document.text} if self.whole else _content_change(known.text, document.text)
        identifier = {"uri": document.uri, "version": document.version}
        return types.TEXT_DOCUMENT_DID_CHANGE, {"textDocument": identifier, "contentChanges": [change]}


def _is_same(known: Document, wanted: Document | None) -> bool:
    return wanted is not None and wanted.language == known.language


def difference(old: str, new: str) -> Change:
    """The one change that turns `old` into `new`, in UTF-16 offsets. It never begins or ends between CR and LF.

    `("abc", "axc")`: `(1, 2, "x")`.
    """
    start, end, text = minimal(old, (0, length(old), new))
    if cut(old, start - 1, start + 1) == "\r\n":
        start, text = start - 1, "\r" + text
    if cut(old, end - 1, end + 1) == "\r\n":
        end, text = end + 1, text + "\n"
    return start, end, text


def _content_change(old: str, new: str) -> dict[str, Any]:
    start, end, text = difference(old, new)
    return {"range": {"start": place(old, start), "end": place(old, end)}, "text": text}


def place(text: str, offset: int) -> dict[str, int]:
    """A UTF-16 offset as a position of the protocol."""
    line, character = position_at(text, offset)
    return {"line": line, "character": character}


# Turns the result of `textDocument/inlineCompletion` into a text at the cursor. Pure.

_LONGEST = 16_384
"""The longest item in characters, about 400 lines, without the parts of the document that it repeats. Repairs read it many times."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The first item as text at the cursor. It replaces `covers` characters right of the cursor, on its line.

    `skipped` is the length (UTF-16 code units) of the start of the item's text that is already left of the cursor.
    """

    item: Mapping[str, Any]
    text: str
    covers: int = 0
    skipped: int = 0

    def reached(self, shown: str, taken: int) -> int:
        """The offset in the item's own text after `taken` code units of `shown`, which may be only the end of the item's text."""
        at = max(self.text.rfind(shown), 0)
        inside = self.skipped + length(self.text[:at]) + taken
        return min(inside, length(text_of(self.item)))


def continuation(result: Any, before: str, after: str) -> Continuation | None:
    """The first item of a result; None if there is no item, or if it does not continue the text at the cursor.

    An item whose range begins left of the cursor repeats the text there, and the repetition is cut off. An item that changes that text
    is not a continuation. If the range reaches into lines below, the repetition of the text right of the cursor is cut off too.

    Raises:
        ProviderRefused: the result is malformed or too long; the message says which.

    """
    items = result.get("items") if isinstance(result, Mapping) else result
    if items is None or items == []:
        return None
    if not isinstance(items, list) or not isinstance(items[0], Mapping):
        raise ProviderRefused("the answer to textDocument/inlineCompletion is not a list of items")
    text = text_of(items[0], _LONGEST + len(before) + len(after))
    start, end = _range(items[0].get("range"), before, after)
    if not start <= len(before) <= end:
        return None
    left, right = before[start:], after[: end - len(before)]
    repeated = _repeated(left, text)
    if repeated is None:
        return None
    rest = _limited(text[repeated:], _LONGEST)
    if "\n" in right or "\r" in right:
        if not unix(rest).endswith(unix(right)):
            return None
        rest, right = unix(rest).removesuffix(unix(right)), ""
    return Continuation(items[0], rest, len(right), length(text[:repeated])) if rest else None


def _repeated(left: str, text: str) -> int | None:
    """How many characters of a text repeat `left`; None if the text does not begin with it."""
    if text.startswith(left):
        return len(left)
    size = len(left.replace("\r\n", "\n"))  # the server may use other line ends
    return size if text[:size] == left.replace("\r\n", "\n") else None


def _range(where: Any, before: str, after: str) -> tuple[int, int]:
    """The indices of an item's range in the document; the cursor's index if it has none."""
    if where is None:
        return len(before), len(before)
    document = before + after
    try:
        given = msgspec.convert(where, Range)
        start = index_of(document, offset_at(document, given.start.line, given.start.character))
        end = index_of(document, end_offset_at(document, given.end.line, given.end.character))
    except msgspec.ValidationError as error:
        raise ProviderRefused(f"an item's range is malformed: {error}") from error
    except OffsetError as error:
        raise ProviderRefused(f"an item's range is outside the document: {error}") from error
    return start, end


def text_of(item: Mapping[str, Any], longest: int | None = None) -> str:
    """The text of an item; of a snippet (`{kind, value}`), its text with the placeholders' defaults.

    Raises:
        ProviderRefused: the item has no text, or more than `longest` characters.

    """
    text = item.get("insertText")
    value = text.get("value") if isinstance(text, Mapping) else text
    if not isinstance(value, str):
        raise ProviderRefused("an item has no text")
    if longest is not None:
        _limited(value, longest)
    is_snippet = item.get("insertTextFormat") == 2 or (isinstance(text, Mapping) and text.get("kind") == "snippet")
    return plain(value) if is_snippet else value


def _limited(text: str, longest: int) -> str:
    if len(text) > longest:
        raise ProviderRefused(f"an item of {len(text):,} characters is longer than the limit of {longest:,}")
    return text


_TOKEN = re.compile(
    r"""\\(?P<escaped>[\\$}])                                     # a character that means itself
    | \$(?:\d+|[A-Za-z_]\w*) | \$\{\w+\}                           # a tab stop, or a variable that has no value
    | \$\{\d+\|(?P<choice>(?:\\.|[^\\,|])*+)(?:,(?:\\.|[^\\|])*+)?\|\}    # a choice: its first
    | \$\{\w+/(?:\\.|[^\\/])*+/(?:\\.|\$\{[^{}$]*+\}|[^\\/])*+/\w*\} # a transformation of nothing
    | (?P<opening>\$\{\w+:) | (?P<closing>\})                    # a placeholder, or what a variable without a value gives
    """,
    re.VERBOSE | re.DOTALL,
)
"""No alternative backtracks, so that a text is read in linear time."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def plain(snippet: str) -> str:
    """The text of a snippet (LSP 3.18, "Snippet Syntax") with the placeholders' defaults, in time linear in its length.

    `for (${1:i} of $2) {$0}` becomes `for (i of ) {}`. A placeholder that is not closed stays as it is.
    """
    pieces, openings, at = list[str](), list[int](), 0
    for found in _TOKEN.finditer(snippet):
        pieces.append(snippet[at : found.start()])
        at, kind = found.end(), found.lastgroup
        if kind == "opening":
            openings.append(len(pieces))
            pieces.append(found[0])
        elif kind == "closing" and openings:
            pieces[openings.pop()] = ""
        elif kind is not None:
            pieces.append(_ESCAPED.sub(r"\1", found[kind]))
    return "".join([*pieces, snippet[at:]])
