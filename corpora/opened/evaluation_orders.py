"""What happens when a client orders that an open file is evaluated.

One argument: `{"path": file, "folder": project, "text": what the editor holds, "lines": [line, …], "options": {…}, "network": whether the set-up of the project
may use it, "out": folder}`. Notifications, progress, cancellation and the result are those of `ghosttape.replay`, for the tape that is made of the file.
A refusal that a set-up with the network may mend has `{"needsNetwork": true}` as its data.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from pygls.exceptions import JsonRpcInvalidParams

from corpora.errors import CorpusError
from corpora.mined.checkout import Checkout
from corpora.opened.evaluation import EVALUATE, OpenedFile, ProjectTester, opened_file, project_of, session_of, tape_of
from replay.errors import ReplayError
from replay.options import FolderTests, ReplayOptions
from replay.play.playback import Playback
from replay.run.events import Listener, Note
from replay.run.served.replay_orders import ordered, played, progress, require_sandbox, with_settings_of
from replay.tapes.tape import Tests
from runners.errors import RunnerError
from runners.sandboxes import pick
from server.errors import ServerRoomError
from server.lsp.server import Server

_WANTS_NETWORK = "--allow-network-setup"
"""What the advice names where a set-up lacks the network."""


class EvaluationOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client asks for. `lines` (from 1): only the functions that begin there; all when empty. Without a `text` the file is read from the disk."""

    path: str
    folder: str
    text: str | None = None
    lines: tuple[int, ...] = ()
    options: ReplayOptions = ReplayOptions()
    network: bool = False
    out: str = ""


class Evaluations:
    """Evaluates files, and remembers how their projects are tested."""

    def __init__(self, says: Callable[[Path], FolderTests | None]) -> None:
        self._tester = ProjectTester.of(says)

    async def carry_out(self, ls: Server, order: Any) -> dict[str, Any]:
        """Evaluate a file, and give the run's summary.

        Raises:
            JsonRpcInvalidParams: the order is malformed, or cannot be carried out here; the message says why.

        """
        wanted = ordered(EVALUATE, with_settings_of(ls, order), EvaluationOrder)
        require_sandbox(EVALUATE, wanted.options)
        try:
            opened = opened_file(wanted.folder, wanted.path, wanted.text, wanted.lines)
            async with progress(ls, "ghosttape evaluate", opened.path) as notify:
                return await self._evaluate(ls, wanted, opened, notify)
        except (CorpusError, ReplayError, RunnerError, ServerRoomError) as error:
            data = {"needsNetwork": True} if _WANTS_NETWORK in str(error) and not wanted.network else None
            raise JsonRpcInvalidParams(f"{EVALUATE}: {error}", data=data) from error

    async def _evaluate(
        self, ls: Server, wanted: EvaluationOrder, opened: OpenedFile, notify: Listener
    ) -> dict[str, Any]:
        events = session_of(opened)
        notify(Note(opened.path, "the project is read"))
        project = await asyncio.to_thread(project_of, opened)
        tests = await self._tests(wanted, opened, project, notify) if wanted.options.tests else None
        tape = tape_of(opened, events, project, tests)
        options = msgspec.structs.replace(wanted.options, network_setup=wanted.network)
        summary = await played(ls, [tape], options, wanted.out, notify, playback=Playback())
        if summary.get("left_out"):
            self._tester.forget(opened.folder)
        return summary

    async def _tests(self, wanted: EvaluationOrder, opened: OpenedFile, project: Checkout, notify: Listener) -> Tests:
        said = lambda text: notify(Note(opened.path, text))  # noqa: E731
        return await self._tester.tests(project, pick(wanted.options.sandbox), said, network=wanted.network)
