"""What replay adds to the language server: the simulator as commands (see `replay.run.served.replay_orders`), and the recorder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from replay.run.served import MOMENT, MOMENTS, PLAYBACK, REPLAY
from server.lsp.editor_events import ClientInitialized, EditorEvent
from server.lsp.server import Server

if TYPE_CHECKING:
    from replay.run.served.results import Results


def add_commands(server: Server) -> None:
    """Add the simulator's commands to a language server; what they need is loaded when the first one comes."""

    @server.command(REPLAY)
    async def replay(ls: Server, order: Any = None) -> dict[str, Any]:
        from replay.run.served.replay_orders import carry_out

        ls.cancel_with_request()
        try:
            return await carry_out(ls, order)
        except asyncio.CancelledError as error:
            raise JsonRpcRequestCancelled(f"{REPLAY} was cancelled; what was finished is kept") from error

    @server.command(PLAYBACK)
    def playback(ls: Server, wish: Any = None) -> dict[str, Any]:
        from replay.run.served.replay_orders import watch

        return watch(ls, wish)

    _add_results(server)


def _add_results(server: Server) -> None:
    """Add what a client asks about a run that has been made. Large tapes take seconds to read: that is done beside the loop."""
    shown: list[Results] = []

    @server.command(MOMENTS)
    async def moments(ls: Server, order: Any = None) -> dict[str, Any]:
        from replay.run.served import results

        return await asyncio.to_thread(results.moments, order)

    @server.command(MOMENT)
    async def moment(ls: Server, order: Any = None) -> dict[str, Any]:
        from replay.run.served import results

        if not shown:
            shown.append(results.Results())
        return await asyncio.to_thread(shown[0].moment, order)


def add_recording(server: Server, folder: Path | None = None) -> None:
    """Let a server record its session: into `folder`, or where its client wishes (`initializationOptions.record`).

    Without either nothing is recorded, and nobody listens.
    """

    def listen(happening: EditorEvent) -> None:
        if isinstance(happening, ClientInitialized):
            server.listeners.remove(listen)
            wished = Path(happening.record.folder).expanduser() if happening.record else None
            if (into := folder or wished) is not None:
                _start_recording(server, happening, into)

    server.listeners.append(listen)


def _start_recording(server: Server, greeted: ClientInitialized, folder: Path) -> None:
    from replay.recording.session import RecordingSession

    loop = asyncio.get_running_loop()

    def warn(message: str) -> None:
        warning = types.ShowMessageParams(types.MessageType.Warning, message)
        loop.call_soon_threadsafe(server.window_show_message, warning)

    session = RecordingSession(folder, greeted, warn)
    server.listeners.append(session)
    server.finishers.append(session.finish)
