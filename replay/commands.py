"""The simulator as part of the language server: `workspace/executeCommand` `ghosttape.replay` (see `replay.orders`)."""

from __future__ import annotations

import asyncio
from typing import Any

from pygls.exceptions import JsonRpcRequestCancelled

from server.lsp import Server

REPLAY = "ghosttape.replay"
PLAYBACK = "ghosttape.playback"


def add_commands(server: Server) -> None:
    """Add the simulator's commands to a language server; what they need is loaded when the first one comes."""

    @server.command(REPLAY)
    async def replay(ls: Server, order: Any = None) -> dict[str, Any]:
        from replay.orders import carry_out

        _cancel_with_request(ls)
        try:
            return await carry_out(ls, order)
        except asyncio.CancelledError as error:
            raise JsonRpcRequestCancelled(f"{REPLAY} was cancelled; what was finished is kept") from error

    @server.command(PLAYBACK)
    def playback(ls: Server, wish: Any = None) -> dict[str, Any]:
        from replay.orders import watch

        return watch(ls, wish)


def _cancel_with_request(ls: Server) -> None:
    """End the running command when the client cancels its request; pygls ends only the waiting for it."""
    task, waiting = asyncio.current_task(), ls.protocol._request_futures.get(ls.protocol.msg_id or "")  # noqa: SLF001
    if task is not None and waiting is not None:
        waiting.add_done_callback(lambda future: future.cancelled() and task.cancel())
