"""What happens when a client of the language server orders a replay.

One argument: `{"tapes": [path, …], "options": {…}, "out": folder, "speed": factor}`. While it runs, `ghosttape.playback`
with `{"action": "pause" | "resume" | "step" | "moment" | "seek" | "skip" | "speed", "to": ms or factor}` says how it is watched. Notifications: `ghosttape/moment` and
`ghosttape/verdict`, each with the record; `ghosttape/left-out`. Work-done progress where the client has it, and
cancellation by that or by `$/cancelRequest`. The result is the run's summary.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from replay.errors import ReplayError
from replay.options import ReplayOptions
from replay.play.playback import Playback, PlaybackError
from replay.run.engine import Engine
from replay.run.events import Ended, Judged, LeftOut, Note, Played, RunEvent
from replay.run.folders import new_folder
from replay.run.live.control import Wish, fulfil
from replay.run.served.commands import PLAYBACK, REPLAY
from replay.run.sources.tape_source import TapeSource
from replay.run.summary import summarise_replay
from replay.tapes.tape import Tape, find, read
from runners.errors import RunnerError
from server.errors import ServerRoomError


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client asks for: tapes or folders of tapes, options, and the folder of the run (a new one when empty).

    `speed` is a factor of the tape's own time; without it the replay goes as fast as it can.
    """

    tapes: tuple[str, ...]
    options: ReplayOptions = ReplayOptions()
    out: str = ""
    speed: float | None = None


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


async def carry_out(ls: LanguageServer, order: Any) -> dict[str, Any]:
    """Replay what a client ordered, and give the run's summary.

    Raises:
        JsonRpcInvalidParams: the order is malformed, or cannot be carried out here; the message says why.

    """
    return await _replay(ls, _order(order))


def _order(value: Any) -> Order:
    try:
        order = msgspec.convert(value, Order)
    except msgspec.ValidationError as error:
        raise JsonRpcInvalidParams(f"{REPLAY}: {error}") from error
    if order.options.sandbox == "none":
        raise JsonRpcInvalidParams(f"{REPLAY}: sandbox none can only be asked for on the command line")
    if order.options.network_setup or order.options.setup_env:
        raise JsonRpcInvalidParams(f"{REPLAY}: a set-up can be allowed the network only on the command line")
    return order


async def _replay(ls: LanguageServer, order: Order) -> dict[str, Any]:
    try:
        playback = Playback(order.speed)
    except PlaybackError as error:
        raise JsonRpcInvalidParams(f"{REPLAY}: {error}") from error
    try:
        tapes = [read(path) for path in find([Path(tape) for tape in order.tapes])]
        folder = Path(order.out) if order.out else new_folder(order.options)
        async with _progress(ls, tapes) as notify:
            _PLAYING[ls] = playback
            engine = Engine(order.options, notify, summarise_replay, playback=playback)
            return await engine.run([TapeSource(tape, order.options) for tape in tapes], folder)
    except (ReplayError, RunnerError, ServerRoomError) as error:
        raise JsonRpcInvalidParams(f"{REPLAY}: {error}") from error
    finally:
        if _PLAYING.get(ls) is playback:
            del _PLAYING[ls]


@asynccontextmanager
async def _progress(ls: LanguageServer, tapes: Sequence[Tape]) -> AsyncIterator[Any]:
    """A listener that tells the client what happens; its cancel button cancels the task that runs in here."""
    names = ", ".join(tape.header.id for tape in tapes)
    window = ls.client_capabilities.window
    if not (window and window.work_done_progress):
        yield lambda event: _send(ls, event)
        return
    token = f"ghosttape-{uuid.uuid4().hex}"
    await ls.work_done_progress.create_async(token)
    begin = types.WorkDoneProgressBegin(title="ghosttape replay", message=names, cancellable=True, percentage=0)
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
