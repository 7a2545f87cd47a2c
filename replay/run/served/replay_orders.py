"""What happens when a client of the language server orders a replay.

One argument: `{"tapes": [path, …], "options": {…}, "out": folder, "speed": factor, "scenes": true}`. While it runs, `ghosttape.playback`
with `{"action": "pause" | "resume" | "step" | "moment" | "seek" | "skip" | "speed", "to": ms or factor}` says how it is watched. Notifications: `ghosttape/moment` and
`ghosttape/verdict`, each with the record; `ghosttape/left-out`. Work-done progress where the client has it, and
cancellation by that or by `$/cancelRequest`. The result is the run's summary.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from lsprotocol import types
from msgspec.structs import replace
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from replay.errors import ReplayError
from replay.options import ReplayOptions
from replay.play.playback import Playback, PlaybackError
from replay.run.engine import Engine
from replay.run.events import (
    Answered,
    Asked,
    Ended,
    Judged,
    LeftOut,
    Listener,
    Note,
    Played,
    Reached,
    ReplayedDocumentChanged,
    RunEvent,
    SessionBegan,
)
from replay.run.folders import new_folder
from replay.run.live.control import Wish, fulfil
from replay.run.served import PLAYBACK, REPLAY
from replay.run.sources.tape_source import TapeSource
from replay.run.summary import summarise_replay
from replay.tapes.tape import Documents, Edit, Event, Focus, Open, Select, Tape, find, read
from runners.errors import RunnerError
from server.errors import ServerRoomError
from server.lsp.server import Server
from syntax.text import Change, length, splice


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client asks for: tapes or folders of tapes, options, and the folder of the run (a new one when empty).

    `speed` is a factor of the tape's own time; without it the replay goes as fast as it can.
    """

    tapes: tuple[str, ...]
    options: ReplayOptions = ReplayOptions()
    out: str = ""
    speed: float | None = None
    scenes: bool = False
    """Whether the client is sent what an editor would show (`ghosttape/scene`)."""


_PLAYING: WeakKeyDictionary[LanguageServer, Playback] = WeakKeyDictionary()


def watch(ls: LanguageServer, wish: Any) -> dict[str, Any]:
    """Do what a client wishes with the replay that runs for it; where it is then (virtual ms) and whether it stands.

    Raises:
        JsonRpcInvalidParams: the wish is malformed, nothing is playing, or it cannot be fulfilled.

    """
    playback = _PLAYING.get(ls)
    if playback is None:
        raise JsonRpcInvalidParams(f"{PLAYBACK}: no replay is running: order one with {REPLAY}")
    try:
        fulfil(msgspec.convert(wish, Wish), playback)
    except (msgspec.ValidationError, PlaybackError) as error:
        raise JsonRpcInvalidParams(f"{PLAYBACK}: {error}") from error
    return {"now": playback.now, "paused": playback.is_paused, "speed": playback.speed}


async def carry_out(ls: Server, order: Any) -> dict[str, Any]:
    """Replay what a client ordered, and give the run's summary.

    Raises:
        JsonRpcInvalidParams: the order is malformed, or cannot be carried out here; the message says why.

    """
    wanted = ordered(REPLAY, with_settings_of(ls, order), Order)
    require_sandbox(REPLAY, wanted.options)
    return await _replay(ls, wanted)


_Order = TypeVar("_Order", bound=msgspec.Struct)


def ordered(command: str, value: Any, kind: type[_Order]) -> _Order:
    """Read the argument of a command.

    Raises:
        JsonRpcInvalidParams: it is malformed.

    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(f"{command}: {error}") from error


def with_settings_of(ls: Server, order: Any) -> Any:
    """An order whose options name no settings gets those that the server itself answers with, but for the record of its answers."""
    options = order.get("options", {}) if isinstance(order, dict) else None
    if not isinstance(options, dict) or "settings" in options:
        return order
    own = msgspec.to_builtins(ls.settings)
    del own["provider"]["record"]
    return {**order, "options": {**options, "settings": own}}


def require_sandbox(command: str, options: ReplayOptions) -> None:
    """Refuse what a client may not allow: a run without a sandbox, and a set-up with the network or with variables.

    Raises:
        JsonRpcInvalidParams: says which.

    """
    if options.sandbox == "none":
        raise JsonRpcInvalidParams(f"{command}: sandbox none can only be asked for on the command line")
    if options.network_setup or options.setup_env:
        raise JsonRpcInvalidParams(f"{command}: a set-up can be allowed the network only on the command line")


async def _replay(ls: LanguageServer, order: Order) -> dict[str, Any]:
    try:
        playback = Playback(order.speed)
    except PlaybackError as error:
        raise JsonRpcInvalidParams(f"{REPLAY}: {error}") from error
    try:
        tapes = [read(path) for path in find([Path(tape) for tape in order.tapes])]
        async with progress(ls, "ghosttape replay", ", ".join(tape.header.id for tape in tapes)) as notify:
            with _watched(ls, order, tapes, notify) as heard:
                return await played(ls, tapes, order.options, order.out, heard, playback=playback)
    except (ReplayError, RunnerError, ServerRoomError) as error:
        raise JsonRpcInvalidParams(f"{REPLAY}: {error}") from error


@contextmanager
def _watched(ls: LanguageServer, order: Order, tapes: Sequence[Tape], notify: Listener) -> Iterator[Listener]:
    """A listener that also sends scenes, if the client wants them."""
    if not order.scenes:
        yield notify
        return
    scenes = Scenes(tapes, lambda scene: ls.protocol.notify("ghosttape/scene", msgspec.to_builtins(scene)))

    def heard(event: RunEvent) -> None:
        notify(event)
        scenes.take(event)

    try:
        yield heard
    finally:
        scenes.close()


async def played(
    ls: LanguageServer, tapes: Sequence[Tape], options: ReplayOptions, out: str, notify: Listener, *, playback: Playback
) -> dict[str, Any]:
    """Play tapes into a folder (a new one if `out` is empty); the run's summary, with the folder as `run`."""
    folder = Path(out) if out else new_folder(options)
    _PLAYING[ls] = playback
    try:
        engine = Engine(options, notify, summarise_replay, playback=playback)
        summary = await engine.run([TapeSource(tape, options) for tape in tapes], folder)
    finally:
        if _PLAYING.get(ls) is playback:
            del _PLAYING[ls]
    return summary | {"run": str(folder.absolute())}


@asynccontextmanager
async def progress(ls: LanguageServer, title: str, message: str) -> AsyncIterator[Listener]:
    """A listener that tells the client what happens; its cancel button cancels the task that runs in here."""
    window = ls.client_capabilities.window
    if not (window and window.work_done_progress):
        yield lambda event: _send(ls, event)
        return
    token = f"ghosttape-{uuid.uuid4().hex}"
    await ls.work_done_progress.create_async(token)
    begin = types.WorkDoneProgressBegin(title=title, message=message, cancellable=True, percentage=0)
    ls.work_done_progress.begin(token, begin)
    task = asyncio.current_task()
    cancelled = ls.work_done_progress.tokens[token]
    cancelled.add_done_callback(lambda future: task.cancel() if future.cancelled() and task else None)
    try:
        yield lambda event: _send_all(ls, token, event)
    finally:
        with contextlib.suppress(RuntimeError):
            ls.work_done_progress.end(token, types.WorkDoneProgressEnd(message="done"))


def _send(ls: LanguageServer, event: RunEvent) -> None:
    match event:
        case Ended():
            ls.protocol.notify("ghosttape/moment", msgspec.to_builtins(event.record))
        case Judged():
            ls.protocol.notify("ghosttape/verdict", msgspec.to_builtins(event.record))
        case LeftOut():
            ls.protocol.notify("ghosttape/left-out", {"tape": event.source, "reason": event.reason})


def _send_all(ls: LanguageServer, token: str, event: RunEvent) -> None:
    _send(ls, event)
    match event:
        case Note():
            report = types.WorkDoneProgressReport(message=f"{event.source}: {event.text}")
            ls.work_done_progress.report(token, report)
        case Played():
            share = int(100 * event.done / max(1, event.of))
            report = types.WorkDoneProgressReport(message=event.source, percentage=share)
            ls.work_done_progress.report(token, report)


# What an editor would show while a replay goes on, for a client that asked to watch: `ghosttape/scene`, ten
# times a second at the most, and at the end of each moment.
#
# The documents come from the tape itself, or where the session does not go as recorded (drive mode) from its changes.

PAUSE_S = 0.1
"""Scenes follow each other no sooner than this."""


class OfferedGhost(msgspec.Struct, frozen=True):
    """What is asked or offered at the cursor. `text` is in the place of `start` to `end` (UTF-16 offsets of the scene's text).

    `state` is `asked`, `offered`, or how the moment ended, with its `reason`.
    """

    text: str
    start: int
    end: int
    state: str
    reason: str = ""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A document as an editor would show it. `start` and `end` are the selection (UTF-16 offsets); times are virtual ms."""

    tape: str
    path: str = ""
    language: str = ""
    text: str = ""
    start: int = 0
    end: int = 0
    t: float = 0.0
    duration: float = 0.0
    ghost: OfferedGhost | None = None


class Scenes:
    """Follows a replay of tapes, and sends what an editor would show. It must be made in a running event loop."""

    def __init__(self, tapes: Sequence[Tape], send: Callable[[Scene], None]) -> None:
        self._tapes = {tape.header.id: tape for tape in tapes}
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._sent = -PAUSE_S
        self._waiting: asyncio.TimerHandle | None = None
        self._scene = Scene(tape="")
        self._follows_tape = True
        self._documents, self._next = Documents(""), 0
        self._written: dict[str, tuple[str, str]] = {}

    def take(self, event: RunEvent) -> None:
        """Go on to where an event of the run is."""
        before = self._scene
        match event:
            case SessionBegan():
                self._begin(event)
            case Reached() if event.source == self._scene.tape:
                self._play_to(event.index)
                self._scene = replace(self._scene, t=event.t)
            case ReplayedDocumentChanged():
                self._change(event)
            case Asked():
                self._asked(event)
            case Answered() if self._scene.ghost and event.text:
                self._ghost(OfferedGhost(event.text, event.start, event.end, "offered"))
            case Ended():
                self._ended(event)
            case _:
                pass
        if self._scene != before and self._scene.path:
            self._plan()
            if isinstance(event, Ended):
                self.close()

    def close(self) -> None:
        """Send at once what is still to be sent."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._flush()

    def _begin(self, began: SessionBegan) -> None:
        self._scene = Scene(tape=began.source, duration=began.duration)
        self._follows_tape = began.as_recorded
        self._documents, self._next = Documents(began.source), 0
        self._written.clear()

    def _play_to(self, index: int) -> None:
        if not self._follows_tape:
            return
        events = self._tapes[self._scene.tape].events
        while self._next < min(index, len(events)):
            event = events[self._next]
            self._documents.apply(self._next + 2, event)
            self._next += 1
            self._follow(event)

    def _follow(self, event: Event) -> None:
        documents = self._documents
        match event:
            case Open(doc=doc):
                self._show(event.path, event.language, str(documents.texts[doc]), 0)
            case Focus(doc=doc):
                path = documents.paths[doc]
                if path != self._scene.path:
                    self._show(path, documents.languages[doc], str(documents.texts[doc]), 0)
            case Edit(doc=doc, changes=changes) if changes:
                at = _end_of(changes)
                self._show(documents.paths[doc], documents.languages[doc], str(documents.texts[doc]), at)
            case Select(doc=doc, ranges=ranges) if ranges and documents.paths[doc] == self._scene.path:
                start, end = ranges[0]
                self._scene = replace(self._scene, start=start, end=end)
            case _:
                pass

    def _change(self, changed: ReplayedDocumentChanged) -> None:
        language, text = self._written.get(changed.path, (changed.language, ""))
        text = changed.text if changed.text is not None else splice(text, changed.changes)
        self._written[changed.path] = changed.language or language, text
        self._show(changed.path, *self._written[changed.path], _end_of(changed.changes) if changed.changes else 0)

    def _show(self, path: str, language: str, text: str, cursor: int) -> None:
        """Show a document as it is now; what was offered in the one before is gone."""
        self._scene = replace(
            self._scene, path=path, language=language, text=text, start=cursor, end=cursor, ghost=None
        )

    def _asked(self, asked: Asked) -> None:
        if asked.path != self._scene.path:
            self._turn_to(asked.path)
        self._scene = replace(self._scene, start=asked.offset, end=asked.offset)
        self._ghost(OfferedGhost("", asked.offset, asked.offset, "asked"))

    def _turn_to(self, path: str) -> None:
        doc = next((doc for doc, known in self._documents.paths.items() if known == path), None)
        if doc is not None:
            self._show(path, self._documents.languages[doc], str(self._documents.texts[doc]), 0)
        elif path in self._written:
            self._show(path, *self._written[path], 0)

    def _ended(self, ended: Ended) -> None:
        """Say how the moment ended: at its suggestion, or at the cursor where text has come since."""
        ending, ghost, at = ended.record.ending, self._scene.ghost, self._scene.end
        shown = ghost or OfferedGhost("", at, at, "")
        self._ghost(replace(shown, state=ending.name, reason=ending.reason))

    def _ghost(self, ghost: OfferedGhost) -> None:
        self._scene = replace(self._scene, ghost=ghost)

    def _plan(self) -> None:
        if self._waiting is None:
            rest = max(0.0, self._sent + PAUSE_S - self._loop.time())
            self._waiting = self._loop.call_later(rest, self._flush)

    def _flush(self) -> None:
        self._waiting, self._sent = None, self._loop.time()
        self._send(self._scene)


def _end_of(changes: Sequence[Change]) -> int:
    """Where the cursor is behind the first of some changes."""
    start, _, new = min(changes)
    return start + length(new)
