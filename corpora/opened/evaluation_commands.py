"""What the evaluation of an open file adds to the language server (see `corpora.opened.evaluation_orders`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcRequestCancelled

from replay.options import FolderTests
from server.lsp.server import Server

if TYPE_CHECKING:
    from corpora.opened.evaluation_orders import Evaluations

EVALUATE = "ghosttape.evaluateFile"
"""As in `corpora.opened.evaluation`, which is slow to import."""


def add_evaluation(server: Server, says: Callable[[Path], FolderTests | None]) -> None:
    """Add the command to a language server; what it needs is loaded when the first order comes. `says` reads what a folder's file says of its tests."""
    made: list[Evaluations] = []

    @server.command(EVALUATE)
    async def evaluate(ls: Server, order: Any = None) -> dict[str, Any]:
        from corpora.opened.evaluation_orders import Evaluations

        if not made:
            made.append(Evaluations(says))
        ls.cancel_with_request()
        try:
            return await made[0].carry_out(ls, order)
        except asyncio.CancelledError as error:
            raise JsonRpcRequestCancelled(f"{EVALUATE} was cancelled; what was finished is kept") from error
