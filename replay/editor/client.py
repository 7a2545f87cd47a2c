"""The editor's side of the Language Server Protocol: one server process over stdio.

It works with any server. If the server does not know `ghosttape/explain` and `ghosttape/state`, these checks are left out.
"""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from replay.errors import ServerError
from replay.play.player_instructions import (
    Answer,
    Ask,
    DidChange,
    DidClose,
    DidOpen,
    DidSave,
    SendFeedback,
    VerifyCheckpoint,
)
from replay.play.shown_edits import shown_edits
from replay.records import DocumentChange, Moment, TrailStep
from replay.tapes.tape import digest
from server.errors import ProviderError, ProviderMissing
from server.wire.json_values import DID_ACCEPT_PART, DID_SHOW, STREAMED, UNDER_WAY
from server.wire.server_process import (
    METHOD_NOT_FOUND,
    OutgoingRequest,
    RequestRejected,
    ServerEnded,
    ServerProcess,
    start_process,
)
from syntax.errors import OffsetError
from syntax.text import cut, end_offset_at, length, offset_at, position_at, splice

OURS = "ghosttape"
PATIENCE_S = 120.0
"""Time limit for an answer; the limits of our own server's providers are shorter."""
METHOD = "textDocument/inlineCompletion"
_CLOSE_TIMEOUT_S = 5.0
EDIT_METHOD = "textDocument/copilotInlineEdit"
"""What editors send to GitHub Copilot's language server for a next edit; LSP has none."""
_EXPLAINED = ("raw", "prompt", "provider", "cache", "first_token", "prompt_tokens", "tokens", "finish")
"""What an answer takes over from `ghosttape/explain`."""
_GIVEN_UP = object()


class Editor:
    """An editor connected to one language server. Start it, hand it instructions, close it."""

    def __init__(self, root: str = "file:///project") -> None:
        self.root = root
        self._process: ServerProcess | None = None
        self._texts: dict[str, str] = {}
        self._unknown: set[str] = set()
        self._tells_under_way = self._goes_by_record = False
        self._under_way: dict[str, asyncio.Event] = {}
        """By token: what to set when our own server says that a request which it will cancel has reached its provider."""
        self._streamed: Callable[[str, str], None] | None = None
        self._program = ""

    async def launch(self, argv: Sequence[str], *, folder: Path, env: Mapping[str, str] | None = None) -> None:
        """Start the server's process, and do not wait for it.

        Raises:
            ServerError: it cannot be started.

        """
        try:
            self._process = await start_process(
                "the language server",
                argv,
                folder=folder,
                env=env,
                answer=_answer_request,
                hear=self._hear,
                dies_with_us=False,  # it may have a record of answers to finish
            )
        except ProviderMissing as error:
            raise ServerError(str(error)) from error
        self._program = argv[0]

    async def start(
        self, argv: Sequence[str], *, folder: Path, options: Mapping[str, Any], env: Mapping[str, str] | None = None
    ) -> None:
        """Start the server and initialize it.

        Raises:
            ServerError: it cannot be started, or has no inline completion.

        """
        await self.launch(argv, folder=folder, env=env)
        await self.initialize(options)

    async def initialize(self, options: Mapping[str, Any]) -> None:
        """Initialize the server that was launched.

        Raises:
            ServerError: it refuses to start, or has no inline completion.

        """
        try:
            result = await self._request("initialize", _greeting(self.root, options))
        except ProviderError as error:
            raise ServerError(
                f"the language server {self._program!r} refuses to start: {_failure_reason(error)}"
            ) from error
        self._tells_under_way = (result.get("serverInfo") or {}).get("name") == OURS
        self._goes_by_record = self._tells_under_way and _has_record(options)
        if result["capabilities"].get("inlineCompletionProvider") in (None, False):
            raise ServerError(f"the language server {self._program!r} does not offer inline completion")
        self._notify("initialized", {})

    async def close(self) -> None:
        """Send `shutdown` and `exit`, and wait for the process to end. A server that does not end, or no time to wait for it: it is killed."""
        if self._process is not None:
            await self._process.close(_CLOSE_TIMEOUT_S)

    def open(self, step: DidOpen) -> None:
        """Open a document."""
        self._texts[step.path] = step.text
        document = {"uri": self.uri(step.path), "languageId": step.language, "version": 1, "text": step.text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    def change(self, step: DidChange) -> None:
        """Send the changes of one event, last first, so that no change shifts the range of a later one."""
        self._texts[step.path] = splice(step.before, step.changes)
        changes = _content_changes(step) or [{"text": self._texts[step.path]}]
        document = {"uri": self.uri(step.path), "version": step.version}
        self._notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def save(self, step: DidSave) -> None:
        """Save a document."""
        self._notify("textDocument/didSave", {"textDocument": {"uri": self.uri(step.path)}})

    def shut(self, step: DidClose) -> None:
        """Close a document."""
        self._notify("textDocument/didClose", {"textDocument": {"uri": self.uri(step.path)}})

    async def check(self, step: VerifyCheckpoint) -> None:
        """Compare the server's document with the checkpoint.

        Raises:
            ServerError: the server holds another text.

        """
        try:
            state = await self._extra("ghosttape/state", {"textDocument": {"uri": self.uri(step.path)}})
        except ProviderError as error:
            raise ServerError(
                f"the server cannot say what its document {step.path} holds: {_failure_reason(error)}"
            ) from error
        if state is not None and state["sha256"] != step.sha256:
            raise ServerError(
                f"the server's document {step.path} differs from the checkpoint (version {state['version']})"
            )
        if digest(self._texts[step.path]) != step.sha256:
            raise ServerError(f"the editor's document {step.path} differs from the checkpoint")

    async def ask(self, ask: Ask) -> Answer:
        """Ask for an inline completion. A refusal is an answer with `failed`; only a dead server raises.

        The request is cancelled (`$/cancelRequest`) when its patience is over; the answer is then `given_up`. Where our server goes by a
        record of answers, the record's times count, in both: in real time the answer may take longer, or no time at all.
        """
        where = {"textDocument": {"uri": self.uri(ask.moment.path)}, "position": _place(ask.moment)}
        began = time.perf_counter()
        failed, result = "", None
        try:
            result = await self._in_time(ask, {**where, **_wishes(ask), **self._evidence(ask), **self._streams(ask)})
        except ProviderError as error:
            failed = _failure_reason(error)
        measured = (time.perf_counter() - began) * 1000
        if result is _GIVEN_UP:
            return Answer(measured, given_up=True)
        explained = await self._explained(where) if self._goes_by_record or not failed else {}
        answer = Answer(measured, failed=failed) if failed else self._answer(ask, measured, result, explained)
        if explained.get("elapsed") is not None:
            return _timed(answer, explained["elapsed"])
        return replace(answer, first_token=None) if self._goes_by_record else answer  # of a record without times

    async def _explained(self, where: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the server says of its answer; empty if it cannot, as the answer counts all the same."""
        try:
            return await self._extra("ghosttape/explain", where) or {}
        except ProviderError:
            return {}

    async def send_feedback(self, step: SendFeedback) -> None:
        """Notify the server of what the user did with an item, as editors notify Copilot's server; other servers ignore it.

        The command of an accepted item is run (LSP 3.18); an error of the server in it is ignored.
        """
        if step.fate == "accepted":
            command = {
                "command": step.item["command"].get("command"),
                "arguments": step.item["command"].get("arguments"),
            }
            try:
                await self._request("workspace/executeCommand", command)
            except ProviderError:
                return
        elif step.fate == "shown":
            self._notify(DID_SHOW, {"item": step.item})
        else:
            self._notify(DID_ACCEPT_PART, {"item": step.item, "acceptedLength": step.reached})

    async def _in_time(self, ask: Ask, params: dict[str, Any]) -> Any:
        """The result of a request, or `_GIVEN_UP` if it was cancelled before there was one."""
        token = str(uuid.uuid4())
        began = self._under_way[token] = asyncio.Event()
        method = METHOD if ask.moment.next_edit is None else EDIT_METHOD
        sent = self._sent(method, params | self._will_cancel(ask, token))
        under_way = asyncio.create_task(began.wait())
        try:
            within_s = self._patience_s(ask)
            await asyncio.wait({sent.future, under_way}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
            if sent.future.done():
                return await self._received(sent)
            hangs = not under_way.done() and not ask.will_cancel and ask.patience >= PATIENCE_S * 1000
            if hangs:
                sent.cancel()
                raise sent.no_answer(PATIENCE_S)
            await self._cancel(sent)
            return _GIVEN_UP
        finally:
            under_way.cancel()
            del self._under_way[token]

    def watch_streams(self, streamed: Callable[[str, str], None]) -> None:
        """Have our own server say what there is of an answer while it comes: (id of the moment, raw text so far)."""
        self._streamed = streamed

    def _evidence(self, ask: Ask) -> dict[str, list[str]]:
        return {"evidence": [self.uri(path) for path in ask.evidence]} if ask.evidence else {}

    def _streams(self, ask: Ask) -> dict[str, str]:
        return {"streams": ask.moment.id} if self._tells_under_way and self._streamed else {}

    def _will_cancel(self, ask: Ask, token: str) -> dict[str, Any]:
        """What tells our server that the request will be cancelled: at once, or when its patience is over by the server's record."""
        if ask.will_cancel or not self._leaves_time_to_server(ask):
            return {"willCancel": token} if ask.will_cancel else {}
        return {"willCancel": token, "patience": ask.patience}

    def _leaves_time_to_server(self, ask: Ask) -> bool:
        return self._goes_by_record and ask.patience < math.inf

    def _patience_s(self, ask: Ask) -> float:
        """How long to wait in real time. Our own server says at once whether it has the answer or must ask the provider."""
        if (ask.will_cancel and self._tells_under_way) or self._leaves_time_to_server(ask):
            return PATIENCE_S
        return min(ask.patience / 1000, PATIENCE_S)

    async def _cancel(self, sent: OutgoingRequest) -> None:
        """Cancel a request, and wait for the server's response to it."""
        sent.request_cancel()
        try:
            await self._received(sent)
        except ProviderError:
            return  # the response, usually an error for a cancelled request, has no use

    def _answer(self, ask: Ask, measured: float, result: Any, explained: Mapping[str, Any]) -> Answer:
        members = {key: explained[key] for key in _EXPLAINED if explained.get(key)}
        if ask.moment.next_edit is not None:
            return self._edit_answer(ask, measured, result, members)
        items = (result.get("items") if isinstance(result, dict) else result) or []
        trail = tuple(
            TrailStep(step["step"], step["before"], step["after"], step.get("undone", False))
            for step in explained.get("trail", ())
        )
        if not items:
            filtered = explained.get("step", "") if explained.get("outcome") == "filtered" else ""
            return Answer(measured, filtered=filtered or "", trail=trail, **members)
        if not isinstance(items, list) or not isinstance(items[0], dict):
            return Answer(measured, failed="the server's answer is no list of items")
        text = items[0].get("insertText")
        text = text.get("value") if isinstance(text, dict) else text
        if not isinstance(text, str):
            return Answer(measured, failed="the server's item has no text")
        try:
            start, end = self._replaced(ask, items[0].get("range"))
        except OffsetError as error:
            return Answer(measured, failed=f"the server's range is outside the document: {error}")
        except msgspec.ValidationError as error:
            return Answer(measured, failed=f"the server's range is malformed: {error}")
        item = items[0] if isinstance(items[0].get("command"), dict) else None
        return Answer(measured, text=text, start=start, end=end, trail=trail, item=item, **members)

    def _edit_answer(self, ask: Ask, measured: float, result: Any, members: Mapping[str, Any]) -> Answer:
        """The answer to a question for an edit: the changes that the server proposes, which may be none."""
        edits = (result.get("edits") if isinstance(result, dict) else result) or []
        if not isinstance(edits, list):
            return Answer(measured, failed="the server's answer is no list of edits")
        try:
            changes = tuple(self._document_change(ask, edit) for edit in edits)
            text = shown_edits(ask.texts, changes)
        except OffsetError as error:
            return Answer(measured, failed=f"the server's edit is outside the document: {error}")
        except (msgspec.ValidationError, LookupError) as error:
            return Answer(measured, failed=f"the server's edit is malformed: {error}")
        at = ask.moment.offset
        return Answer(measured, text=text, start=at, end=at, changes=changes, **members)

    def _document_change(self, ask: Ask, edit: Any) -> DocumentChange:
        """One edit of an answer against the documents at the moment.

        Raises:
            msgspec.ValidationError: it is malformed.
            LookupError: it changes a document that is not open.
            OffsetError: its range is outside of the document.

        """
        from server.wire.wire_messages import ProposedEdit  # all of LSP's types come with it

        given = msgspec.convert(edit, ProposedEdit)
        path = self._path(given.text_document.uri)
        if path not in ask.texts:
            raise LookupError(f"it changes {given.text_document.uri}, which is not open")
        text, where = ask.texts[path], given.range
        start = offset_at(text, where.start.line, where.start.character)
        return DocumentChange(path, start, end_offset_at(text, where.end.line, where.end.character), given.text)

    def _replaced(self, ask: Ask, where: Any) -> tuple[int, int]:
        from server.wire.wire_messages import Range  # all of LSP's types come with it

        if where is None:
            return ask.moment.offset, ask.moment.offset
        text, given = ask.before + ask.after, msgspec.convert(where, Range)
        start = offset_at(text, given.start.line, given.start.character)
        return start, end_offset_at(text, given.end.line, given.end.character)

    def uri(self, path: str) -> str:
        """The URI of a document."""
        from urllib.parse import quote

        return f"{self.root}/{quote(path)}"

    def _path(self, uri: str) -> str:
        """The path of a document's URI."""
        from urllib.parse import unquote

        return unquote(uri.removeprefix(f"{self.root}/"))

    async def _extra(self, method: str, params: Any) -> Any:
        """Send a request that another server may not know; the result is then None."""
        if method in self._unknown:
            return None
        try:
            return await self._request(method, params)
        except RequestRejected as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            self._unknown.add(method)
            return None

    async def _request(self, method: str, params: Any) -> Any:
        return await self._received(self._sent(method, params))

    def _sent(self, method: str, params: Any) -> OutgoingRequest:
        return self._running_process().request(method, params)

    async def _received(self, sent: OutgoingRequest) -> Any:
        """The result of a request.

        Raises:
            ProviderError: the server refused it, did not answer, or sent no message of JSON-RPC.
            ServerError: the server has ended.

        """
        try:
            return await sent.result(PATIENCE_S)
        except ServerEnded as error:
            raise _last_words(error) from error

    def _notify(self, method: str, params: Any) -> None:
        self._running_process().notify(method, params)

    def _running_process(self) -> ServerProcess:
        """The server's process.

        Raises:
            ServerError: it has ended.

        """
        if self._process is None:
            raise ServerError("the language server has not been started")
        if self._process.is_dead:
            raise _last_words(self._process.exit_error())
        return self._process

    def _hear(self, method: str, params: Any) -> None:
        """Our own server says that a request which will be given up has reached its provider, or what there is of an answer; other news have no use."""
        if not isinstance(params, dict):
            return
        if method == STREAMED and self._streamed is not None:
            self._streamed(str(params.get("token")), str(params.get("text")))
        began = self._under_way.get(str(params.get("token"))) if method == UNDER_WAY else None
        if began is not None:
            began.set()


def _answer_request(method: str, _params: Any) -> None:
    """Answer a request of the server with null.

    Raises:
        LookupError: the method is not known here.

    """
    if method != "client/registerCapability":
        raise LookupError(method)


def _failure_reason(error: ProviderError) -> str:
    """Why there is no result, for a failed answer: what the server said, or what was wrong with it."""
    if isinstance(error, RequestRejected):
        return error.message or f"error {error.code}, without a reason"
    return str(error)


def _last_words(error: ServerEnded) -> ServerError:
    """How the server ended, with the end of what it wrote on standard error in lines of its own."""
    tail = "; its last words:\n" + "\n".join(error.lines) if error.lines else ""
    return ServerError(f"the language server ended with status {error.status}{tail}")


def _has_record(options: Mapping[str, Any]) -> bool:
    """Whether a server with these settings writes or reads a record of answers, whose times count."""
    provider = options.get("provider") or {}
    return bool((provider.get("record") or {}).get("path")) or provider.get("name") == "recorded"


def _timed(answer: Answer, elapsed: float) -> Answer:
    """An answer with the ms that the record says; what the server has in its cache takes no time."""
    return replace(answer, measured=elapsed if answer.cache == "none" else 0.0, by_record=True)


def _wishes(ask: Ask) -> dict[str, Any]:
    """The wishes of a request: trigger by hand (1) or automatic (2), the item selected in the editor's list, stop hint, index of the sample.

    Other servers than ours ignore the last two.
    """
    moment = ask.moment
    context = {"triggerKind": 1 if moment.trigger == "invoked" else 2, **_selected(ask)}
    return {"context": context, "stop": moment.stop} | ({"sample": moment.sample} if moment.sample else {})


def _selected(ask: Ask) -> dict[str, Any]:
    """The item selected in the editor's list, as LSP 3.18 tells it; empty if there is none. A range past the end of the document ends there."""
    if ask.moment.selected is None:
        return {}
    document = ask.before + ask.after
    start, end, text = ask.moment.selected
    size = length(document)
    return {"selectedCompletionInfo": {"range": _range(document, min(start, size), min(end, size)), "text": text}}


def _place(moment: Moment) -> dict[str, int]:
    return {"line": moment.line, "character": moment.character}


def _content_changes(step: DidChange) -> list[dict[str, Any]]:
    """The changes of one event, last first; an empty list if LSP has no position for the start or end of one of them.

    LSP has no position between CR and LF. An LF can come behind a CR by another change of the same event.
    """
    ends = {end for change in step.changes for end in change[:2]}
    if any(cut(step.before, end - 1, end) == "\r" for end in ends if end):
        return []
    ordered = sorted(step.changes, key=lambda change: change[:2])
    return [{"range": _range(step.before, start, end), "text": new} for start, end, new in reversed(ordered)]


def _range(text: str, start: int, end: int) -> dict[str, Any]:
    return {"start": _position(text, start), "end": _position(text, end)}


def _position(text: str, offset: int) -> dict[str, int]:
    line, character = position_at(text, offset)
    return {"line": line, "character": character}


def _greeting(root: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "processId": None,
        "clientInfo": {"name": "ghosttape replay"},
        "rootUri": root,
        "workspaceFolders": [{"uri": root, "name": "project"}],
        "initializationOptions": dict(options),
        "capabilities": {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "synchronization": {"didSave": True},
                "inlineCompletion": {"dynamicRegistration": False},
            },
        },
    }
