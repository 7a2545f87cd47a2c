"""The simulator as part of the language server: `workspace/executeCommand` `ghosttape.replay` (see `replay.orders`)."""

from __future__ import annotations

from typing import Any

from server.lsp import Server

REPLAY = "ghosttape.replay"


def add_commands(server: Server) -> None:
    """Add the simulator's commands to a language server; what they need is loaded when the first one comes."""

    @server.command(REPLAY)
    async def replay(ls: Server, order: Any = None) -> dict[str, Any]:
        from replay.orders import carry_out

        return await carry_out(ls, order)
