"""What replay adds to the language server: the simulator as commands (see `replay.run.served.orders`), and the recorder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from server.lsp.events import ClientInitialized, EditorEvent
from server.lsp.server import Server

REPLAY = "ghosttape.replay"
PLAYBACK = "ghosttape.playback"


def add_commands(server: Server) -> None:
    """Add the simulator's commands to a language server; what they need is loaded when the first one comes."""

    @server.command(REPLAY)
    async def replay(ls: Server, order: Any = None) -> dict[str, Any]:
        from replay.run.served.orders import carry_out

        _cancel_with_request(ls)
        try:
            return await carry_out(ls, order)
        except asyncio.CancelledError as error:
            raise JsonRpcRequestCancelled(f"{REPLAY} was cancelled; what was finished is kept") from error

    @server.command(PLAYBACK)
    def playback(ls: Server, wish: Any = None) -> dict[str, Any]:
        from replay.run.served.orders import watch

        return watch(ls, wish)


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

    server.listeners.append(RecordingSession(folder, greeted, warn))


def _cancel_with_request(ls: Server) -> None:
    """End the running command when the client cancels its request; pygls ends only the waiting for it."""
    task, waiting = asyncio.current_task(), ls.protocol._request_futures.get(ls.protocol.msg_id or "")  # noqa: SLF001
    if task is not None and waiting is not None:
        waiting.add_done_callback(lambda future: future.cancelled() and task.cancel())
