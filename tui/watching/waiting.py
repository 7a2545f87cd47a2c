"""What a command that reads files says while it is at it: nothing at first, then a bar on standard error, or plain lines."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tui.terminal_text import sanitize

PATIENCE_S = 2.0
"""A command that is done by then says nothing while it works."""
_EVERY_S = 5.0


class Waiting:
    """Shows how far a command is, once it has taken `patience_s`: a bar on a terminal, elsewhere a line every few seconds."""

    def __init__(self, console: Console, doing: str, patience_s: float = PATIENCE_S) -> None:
        self.console, self._doing = console, doing
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bars.add_task(doing, total=None, note="")
        self._timer = threading.Timer(patience_s, self._bars.start)
        self._timer.daemon = True
        self._said = time.monotonic() - _EVERY_S + patience_s

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        self._bars.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bar away while a person is asked something."""
        is_shown = self._bars.live.is_started
        self._bars.stop()
        try:
            yield
        finally:
            if is_shown:
                self._bars.start()

    def show(self, note: str, done: float | None = None, of: float | None = None) -> None:
        """Say what is being done, and how much of how much is done, in any unit."""
        self._bars.update(self._task, completed=done, total=of, note=sanitize(note))
        if not self.console.is_terminal and time.monotonic() - self._said >= _EVERY_S:
            self._said = time.monotonic()
            self.console.print(sanitize(f"{self._doing}: {note}"), markup=False, highlight=False, soft_wrap=True)
