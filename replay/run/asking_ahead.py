"""Several questions at once, where moments stand alone: a second player goes ahead, and the answers are there when the shell comes to them.

The one connection to the language server carries all messages in the order of a run that asks one by one; only nobody waits for an answer before
the next message is sent. So each question is asked about the same documents, and has the same answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from replay.editor.client import Editor
from replay.play.assistant import Reply
from replay.play.instructions import (
    Answer,
    Ask,
    DidChange,
    DidClose,
    DidOpen,
    DidSave,
    Instruction,
    SendFeedback,
    Try,
    VerifyCheckpoint,
)
from replay.run.sources.seam import Plays

_UNREAD = 8
"""How many answers, for each question that may be under way, wait to be read at most."""


@dataclass(slots=True)
class AskingAhead:
    """Stands in the place of an editor (`Editor`) whose documents the shell changes: `player` has changed them before, and asked.

    At most `places` questions are under way. What `is_known` needs no answer. Use it as an asynchronous context manager.
    """

    editor: Editor
    player: Plays
    places: int
    is_known: Callable[[Ask], bool]
    _answers: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)
    _under_way: dict[tuple[str, int, int], asyncio.Task[None]] = field(default_factory=dict)
    _free: asyncio.Semaphore = field(init=False)
    _unread: asyncio.Semaphore = field(init=False)
    _going: asyncio.Task[None] = field(init=False)

    async def __aenter__(self) -> Self:
        self._free = asyncio.Semaphore(self.places)
        self._unread = asyncio.Semaphore(_UNREAD * self.places)
        self._going = asyncio.create_task(self._go())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [self._going, *self._under_way.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def ask(self, ask: Ask) -> Answer:
        """The answer to a question, which is asked once.

        Raises:
            ServerError: the language server ended.

        """
        answer = self._answer(ask)
        waited: set[asyncio.Future[Any]] = {answer, self._going}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            await self._going  # raises what ended it
        found = await answer
        self._unread.release()
        return found

    # What was done ahead of the shell

    def open(self, step: DidOpen) -> None:
        """Nothing: the document was opened."""

    def change(self, step: DidChange) -> None:
        """Nothing: the document was changed."""

    def save(self, step: DidSave) -> None:
        """Nothing: the document was saved."""

    def shut(self, step: DidClose) -> None:
        """Nothing: the document was closed."""

    async def check(self, step: VerifyCheckpoint) -> None:
        """Nothing: the document was compared; had it differed, the run would have ended."""

    async def send_feedback(self, step: SendFeedback) -> None:
        """Nothing: no provider that is asked ahead takes feedback."""

    def watch_streams(self, streamed: Callable[[str, str], None]) -> None:
        """As the editor does."""
        self.editor.watch_streams(streamed)

    async def _go(self) -> None:
        steps, reply = self.player.play(), None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration:
                await asyncio.gather(*self._under_way.values())
                return
            reply = await self._carried_out(step)

    async def _carried_out(self, step: Instruction) -> Reply:
        match step:
            case DidOpen():
                self.editor.open(step)
            case DidChange():
                self.editor.change(step)
            case DidSave():
                self.editor.save(step)
            case DidClose():
                self.editor.shut(step)
            case VerifyCheckpoint():
                await self.editor.check(step)
            case Ask():
                if not self.is_known(step):
                    await self._send(step)
                return Answer(0.0)  # where moments stand alone, no answer changes what follows
            case Try():
                return False
            case _:
                pass
        return None

    async def _send(self, ask: Ask) -> None:
        """Send a question when there is room. One at the same place of its document waits: what the server says of an answer goes by the place."""
        await self._unread.acquire()
        place = (ask.moment.path, ask.moment.line, ask.moment.character)
        if (other := self._under_way.get(place)) is not None:
            await asyncio.wait({other})
        await self._free.acquire()
        task = self._under_way[place] = asyncio.create_task(self._ask(ask))
        task.add_done_callback(lambda _: self._landed(place, task))
        await asyncio.sleep(0)  # the request is written before the next message

    def _landed(self, place: tuple[str, int, int], task: asyncio.Task[None]) -> None:
        self._free.release()
        if self._under_way.get(place) is task:
            del self._under_way[place]

    async def _ask(self, ask: Ask) -> None:
        answer = self._answer(ask)
        try:
            found = await self.editor.ask(ask)
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is read
            answer.set_exception(error)
        else:
            answer.set_result(found)

    def _answer(self, ask: Ask) -> asyncio.Future[Answer]:
        return self._answers.setdefault(ask.moment.id, asyncio.get_running_loop().create_future())
