"""The live screen on the tapes of a folder: it shows the replay that began last of those that go on."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from textual.content import Content

from tui.errors import TuiError
from tui.folders.replays import FolderReplays, ReplayBegan, ReplayEnded, WatchEvent
from tui.folders.tapes import TapeBroken
from tui.folders.watch_text import event_line
from tui.live.app import LiveApp


class WatchApp(LiveApp):
    """Replays the tapes of a folder and shows each. Closing the screen ends what is replayed."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        super().__init__(Path())
        self._replays = FolderReplays(folder, words, self._show_event)
        self._latest = ""
        self._going: list[Path] = []
        self._watching: asyncio.Task[None] | None = None
        self.problem = ""
        self.is_interrupted = False

    def on_mount(self) -> None:
        """Begin to watch and to follow."""
        super().on_mount()
        self._watching = asyncio.create_task(self._watch())
        self._watching.add_done_callback(lambda _: self._close("ended"))

    def interrupt(self) -> None:
        """Close the screen, as SIGTERM asks."""
        self.is_interrupted = True
        self.exit()

    async def ended(self) -> None:
        """End the replays, and wait for that."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching

    async def _watch(self) -> None:
        try:
            await self._replays.run()
        except TuiError as error:
            self.problem = str(error)

    def _show_event(self, event: WatchEvent) -> None:
        self._latest = event_line(event)
        if isinstance(event, ReplayBegan):
            self._going.append(event.run)
            self.follow(event.run)
        elif isinstance(event, ReplayEnded | TapeBroken):
            is_bad = isinstance(event, TapeBroken) or event.summary is None
            self.notify(self._latest, severity="warning" if is_bad else "information", markup=False, timeout=10)
        if isinstance(event, ReplayEnded):
            self._leave(event.run)

    def _leave(self, run: Path) -> None:
        """Go on to another replay, if the one that is shown is over and others go on."""
        if run in self._going:
            self._going.remove(run)
        if run == self.folder and self._going:
            self.follow(self._going[-1])

    def waiting(self) -> Content:
        """What is shown while nothing is replayed."""
        lines = [f"Tapes that appear in {self._replays.folder}, or grow there, are replayed.", self._latest]
        return Content("\n\n".join(line for line in lines if line))
