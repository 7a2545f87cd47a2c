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
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from replay.errors import ReplayError
from replay.options import ReplayOptions
from replay.play.playback import Playback, PlaybackError
from replay.run.engine import Engine
from replay.run.events import Ended, Judged, LeftOut, Listener, Note, Played, RunEvent
from replay.run.folders import new_folder
from replay.run.live.control import Wish, fulfil
from replay.run.served import PLAYBACK, REPLAY
from replay.run.served.scenes import Scenes
from replay.run.sources.tape_source import TapeSource
from replay.run.summary import summarise_replay
from replay.tapes.tape import Tape, find, read
from runners.errors import RunnerError
from server.errors import ServerRoomError
from server.lsp.server import Server


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
