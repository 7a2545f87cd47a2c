"""The editor's side of the Language Server Protocol: one server process over stdio.

It works with any server. If the server does not know `ghosttape/explain` and `ghosttape/state`, these checks are left out.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from replay.errors import ConnectionEndedError, RefusedRequestError, ServerError
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
from replay.records import Moment, TrailStep
from replay.tapes.tape import digest
from server.wire.framing import Frame, FrameReader, InvalidFrame
from server.wire.json_values import DID_ACCEPT_PART, DID_SHOW, STREAMED, UNDER_WAY, decode_any, encode_any
from syntax.errors import OffsetError
from syntax.text import cut, end_offset_at, length, offset_at, position_at, splice

OURS = "ghosttape"
PATIENCE_S = 120.0
"""Time limit for an answer; the limits of our own server's providers are shorter."""
METHOD = "textDocument/inlineCompletion"
_EXPLAINED = ("raw", "prompt", "provider", "cache", "first_token", "prompt_tokens", "tokens", "finish")
"""What an answer takes over from `ghosttape/explain`."""
_GIVEN_UP = object()


class Editor:
    """An editor connected to one language server. Start it, hand it instructions, close it."""

    def __init__(self, root: str = "file:///project") -> None:
        self.root = root
        self._connection = Connection()
        self._texts: dict[str, str] = {}
        self._unknown: set[str] = set()
        self._tells_under_way = self._goes_by_record = False
        self._program = ""

    async def launch(self, argv: Sequence[str], *, folder: Path, env: Mapping[str, str] | None = None) -> None:
        """Start the server's process, and do not wait for it.

        Raises:
            ServerError: it cannot be started.

        """
        try:
            await self._connection.start(argv, env, folder)
        except OSError as error:
            raise ServerError(f"the language server {argv[0]!r} cannot be started: {error.strerror}") from error
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
        except RefusedRequestError as error:
            raise ServerError(f"the language server {self._program!r} refuses to start: {error.message}") from error
        self._tells_under_way = (result.get("serverInfo") or {}).get("name") == OURS
        self._goes_by_record = self._tells_under_way and _has_record(options)
        if result["capabilities"].get("inlineCompletionProvider") in (None, False):
            raise ServerError(f"the language server {self._program!r} does not offer inline completion")
        self._notify("initialized", {})

    async def close(self) -> None:
        """Send `shutdown` and `exit`, and wait for the process to end. A server that does not end, or no time to wait for it: it is killed."""
        try:
            if not self._connection.dead:
                await self._say_goodbye()
        finally:
            self._connection.kill()
            await self._connection.release()

    async def _say_goodbye(self) -> None:
        with contextlib.suppress(TimeoutError, ServerError, RefusedRequestError):
            async with asyncio.timeout(5):  # `wait_for` of Python 3.11 may swallow a cancellation
                await self._request("shutdown", None)
            self._notify("exit", None)
            async with asyncio.timeout(5):
                await self._connection.ended()

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
        except RefusedRequestError as error:
            raise ServerError(f"the server cannot say what its document {step.path} holds: {error.message}") from error
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
        except RefusedRequestError as error:
            failed = error.message or f"error {error.code}, without a reason"
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
        except RefusedRequestError:
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
            except RefusedRequestError:
                return
        elif step.fate == "shown":
            self._notify(DID_SHOW, {"item": step.item})
        else:
            self._notify(DID_ACCEPT_PART, {"item": step.item, "acceptedLength": step.reached})

    async def _in_time(self, ask: Ask, params: dict[str, Any]) -> Any:
        """The result of a request, or `_GIVEN_UP` if it was cancelled before there was one."""
        number, token = str(uuid.uuid4()), str(uuid.uuid4())
        self._connection.under_way[token] = asyncio.Event()
        answer = self._sent(METHOD, params | self._will_cancel(ask, token), number)
        under_way = asyncio.create_task(self._connection.under_way[token].wait())
        try:
            await asyncio.wait({answer, under_way}, timeout=self._patience_s(ask), return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return await self._received(METHOD, answer)
            hangs = not under_way.done() and not ask.will_cancel and ask.patience >= PATIENCE_S * 1000
            await self._cancel(number, answer, wait=not hangs)
            if hangs:
                raise RefusedRequestError(f"no answer to {METHOD} within {PATIENCE_S:.0f} s")
            return _GIVEN_UP
        finally:
            under_way.cancel()
            del self._connection.under_way[token]

    def watch_streams(self, streamed: Callable[[str, str], None]) -> None:
        """Have our own server say what there is of an answer while it comes: (id of the moment, raw text so far)."""
        self._connection.streamed = streamed

    def _evidence(self, ask: Ask) -> dict[str, list[str]]:
        return {"evidence": [self.uri(path) for path in ask.evidence]} if ask.evidence else {}

    def _streams(self, ask: Ask) -> dict[str, str]:
        return {"streams": ask.moment.id} if self._tells_under_way and self._connection.streamed else {}

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

    async def _cancel(self, number: str, answer: asyncio.Future[Any], *, wait: bool) -> None:
        """Cancel a request, and wait for the server's response to it."""
        self._notify("$/cancelRequest", {"id": number})
        if not wait:
            return
        try:
            await self._received(METHOD, answer)
        except RefusedRequestError:
            return  # the response, usually an error for a cancelled request, has no use

    def _answer(self, ask: Ask, measured: float, result: Any, explained: Mapping[str, Any]) -> Answer:
        items = (result.get("items") if isinstance(result, dict) else result) or []
        members = {key: explained[key] for key in _EXPLAINED if explained.get(key)}
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

    async def _extra(self, method: str, params: Any) -> Any:
        """Send a request that another server may not know; the result is then None."""
        if method in self._unknown:
            return None
        try:
            return await self._request(method, params)
        except RefusedRequestError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            self._unknown.add(method)
            return None

    async def _request(self, method: str, params: Any) -> Any:
        return await self._received(method, self._sent(method, params))

    def _sent(self, method: str, params: Any, number: str | None = None) -> asyncio.Future[Any]:
        if self._connection.dead:
            raise ServerError(self._connection.epitaph())
        answer = self._connection.request(method, params, number)
        answer.add_done_callback(_taken_note_of)
        return answer

    async def _received(self, method: str, answer: asyncio.Future[Any]) -> Any:
        try:
            return await asyncio.wait_for(answer, PATIENCE_S)
        except TimeoutError as error:
            raise RefusedRequestError(f"no answer to {method} within {PATIENCE_S:.0f} s") from error
        except ConnectionEndedError as error:
            raise ServerError(await self._connection.last_words()) from error

    def _notify(self, method: str, params: Any) -> None:
        if self._connection.dead:
            raise ServerError(self._connection.epitaph())
        self._connection.notify(method, params)


def _taken_note_of(answer: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an answer that nobody waits for, because asyncio warns of an exception never retrieved."""
    if not answer.cancelled():
        answer.exception()


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


# The process of a language server, and JSON-RPC over its standard input and output.
#
# Results stay plain JSON: no type of the protocol is needed here, and the libraries that have them take half a second to import.

METHOD_NOT_FOUND = -32601
_ANSWERED_WITH_NULL = frozenset({"client/registerCapability"})
_CHUNK = 1 << 16
_LOG_LINES = 40
_LINE_BYTES = 4000
_LAST_WORDS_S = 2.0


class Connection:
    """A JSON-RPC client for a child process; keeps the end of what the server writes on standard error.

    `streamed` is told what there is of an answer while it comes, with its request's token. `under_way` holds, by token, what to set when our own server says that a request which it will cancel has reached its provider.
    """

    def __init__(self) -> None:
        self.log: deque[str] = deque(maxlen=_LOG_LINES)
        self.under_way: dict[str, asyncio.Event] = {}
        self.streamed: Callable[[str, str], None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._living: asyncio.Task[None] | None = None
        self._draining: asyncio.Task[None] | None = None

    async def start(self, argv: Sequence[str], env: Mapping[str, str] | None, folder: Path) -> None:
        """Start the server in a folder. Raises OSError where that is not possible."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=env,
            cwd=folder,
            start_new_session=True,  # Ctrl-C is for us; it goes when we do
        )
        self._living = asyncio.create_task(self._live(self._process))
        self._draining = asyncio.create_task(self._drain(self._process))

    def request(self, method: str, params: Any, number: str | None = None) -> asyncio.Future[Any]:
        """Send a request, with a number of its own; the future has the result.

        It fails with `RefusedRequestError` for an error of the server, and with `ConnectionEndedError` if the server ends before.
        """
        number = number or str(uuid.uuid4())
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        if self._living is None or self._living.done():
            self._fail(ConnectionEndedError("the language server has ended"))
        else:
            self._send({"id": number, "method": method, **_given(params)})
        return answer

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, **_given(params)})

    def _send(self, message: Mapping[str, Any]) -> None:
        body = encode_any({"jsonrpc": "2.0", **message})
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _live(self, process: asyncio.subprocess.Process) -> None:
        """Take the server's messages until it ends; nobody waits for an answer after that."""
        frames = FrameReader()
        assert process.stdout is not None
        try:
            while chunk := await process.stdout.read(_CHUNK):
                for frame in frames.feed(chunk):
                    self._take(frame)
            await process.wait()
        finally:
            self._fail(ConnectionEndedError("the language server has ended"))

    async def _drain(self, process: asyncio.subprocess.Process) -> None:
        """Read the server's standard error, so that it can never block on it; keep the end for messages."""
        assert process.stderr is not None
        rest = b""
        while chunk := await process.stderr.read(_CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_LINE_BYTES:]
            self.log.extend(line.decode("utf-8", "replace").rstrip() for line in lines[-_LOG_LINES:])
        if rest:
            self.log.append(rest.decode("utf-8", "replace").rstrip())

    def _take(self, frame: Frame) -> None:
        if isinstance(frame, InvalidFrame):
            return None  # a server may print between its messages
        try:
            message = decode_any(frame)
        except (ValueError, RecursionError) as error:
            return self._fail(RefusedRequestError(f"the server sent a message that is not JSON: {error}"))
        if not isinstance(message, dict):
            return self._fail(RefusedRequestError("the server sent a message that is not JSON-RPC"))
        if "method" not in message:
            return self._answered(message)
        if message.get("id") is None:
            return self._heard(message)
        return self._reply(message)

    def _answered(self, message: Mapping[str, Any]) -> None:
        answer = self._answers.pop(str(message.get("id")), None)
        if answer is None or answer.done():
            return  # nobody waits for it any more
        error = message.get("error")
        if error is None:
            answer.set_result(message.get("result"))
        else:
            refusal = error if isinstance(error, dict) else {"message": str(error)}
            answer.set_exception(RefusedRequestError(str(refusal.get("message") or ""), refusal.get("code")))

    def _heard(self, message: Mapping[str, Any]) -> None:
        """Our own server says that a request which will be given up has reached its provider, or what there is of an answer; other news have no use."""
        params = message.get("params")
        if message["method"] == STREAMED and isinstance(params, dict) and self.streamed is not None:
            self.streamed(str(params.get("token")), str(params.get("text")))
        if message["method"] == UNDER_WAY and isinstance(params, dict):
            event = self.under_way.get(str(params.get("token")))
            if event is not None:
                event.set()

    def _reply(self, message: Mapping[str, Any]) -> None:
        method = message["method"]
        unknown = {"code": METHOD_NOT_FOUND, "message": f"{method} is not known here"}
        reply = {"result": None} if method in _ANSWERED_WITH_NULL else {"error": unknown}
        self._send({"id": message["id"], **reply})

    def _fail(self, error: Exception) -> None:
        waiting, self._answers = self._answers, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(error)
                answer.exception()  # marks it as retrieved, also if nobody waits

    @property
    def dead(self) -> bool:
        """Whether the server has gone."""
        return self._process is None or self._process.returncode is not None

    async def ended(self) -> None:
        """Wait until the server has gone."""
        assert self._process is not None
        await self._process.wait()

    async def release(self) -> None:
        """Wait for a server that ends and close its pipes. Left open, they complain when the event loop is closed before they are."""
        if self._process is None:
            return
        await self._process.wait()
        for task in (self._living, self._draining):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})  # a cancellation of ours goes on, and that of the task does not
        self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - asyncio gives no other way
        await asyncio.sleep(0)

    def kill(self) -> None:
        """End the server at once, if it has not gone."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def last_words(self) -> str:
        """As `epitaph`, once all that the server wrote has been read; a child of its may hold its standard error open."""
        if self._draining is not None:
            await asyncio.wait({self._draining}, timeout=_LAST_WORDS_S)
        return self.epitaph()

    def epitaph(self) -> str:
        """How the server ended, with the end of what it wrote on standard error."""
        status = self._process.returncode if self._process else None
        tail = "\n".join(list(self.log)[-8:])
        return f"the language server ended with status {status}" + (f"; its last words:\n{tail}" if tail else "")


def _given(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}
