"""Progress of a run on standard error: bars and a line of figures on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from replay.options import RunOptions
from replay.play.playback import Playback
from replay.run.events import Ended, Judged, LeftOut, Note, Played, RunEvent, Stalled, Tried
from tui.terminal_text import message, one_line, shorten
from tui.watching.tally import RunTally

_EVERY_S = 5.0
_NAME = 24
"""Cells of a tape's name beside its bar: with it the bar and the numbers have room in 80."""
_SHOWN = 6
"""How many bars stand on the screen; those that are done go first."""


class _FiguredBars(Bars):
    """Bars with figures below, which are read anew at each refresh and never cut: they go on in the next line."""

    def __init__(self, figures: Callable[[], str], *columns: Any, **options: Any) -> None:
        self._figures = figures
        super().__init__(*columns, **options)

    def get_renderables(self) -> Iterator[RenderableType]:
        """Give the bars and the figures."""
        yield self.make_tasks_table(self.tasks)
        if said := self._figures():
            yield Text(said, overflow="fold")


class Progress:
    """Listens to an engine and shows how far it is. In an ablation each moment counts as often as it has arms."""

    def __init__(self, console: Console, options: RunOptions, playback: Playback | None = None) -> None:
        self.console, self._playback = console, playback
        self._tapes: dict[str, TaskID] = {}
        self._tally = RunTally(options)
        self._doing = ""
        self._said = 0.0
        self._bars = _FiguredBars(
            self._figures,
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._doing = ""
        self._bars.stop()

    def listen(self, event: RunEvent) -> None:
        """Show one thing that happened."""
        self._tally.take(event)
        match event:
            case Note():
                self._noted(event)
            case Played():
                self._doing = ""
                self._update(event.source, completed=event.done, total=event.of, unit=f"{event.unit}s")
                self._say(f"{event.source}: {event.unit} {event.done:,} of {event.of:,}; {self._words(event.source)}")
            case Ended(record=record) if not event.awaits_verdict:
                self._say(f"{record.moment.tape}: {self._words(record.moment.tape)}")
            case Judged(record=record):
                self._say(f"{record.moment.tape}: {self._words(record.moment.tape)}")
            case Tried(trial=trial):
                self._say(f"{trial.tape}: {self._words(trial.tape)}")
            case Stalled():
                self._stalled(event)
            case LeftOut():
                self.console.print(message(f"{event.source} is left out: {event.reason}"), style="yellow", markup=False)

    def _noted(self, note: Note) -> None:
        """Show what takes time; what is said of the machine or the run stays on the screen."""
        said = one_line(f"{note.source}: {note.text}")
        self._say(said, always=True)
        if self._tally.is_source(note.source):
            self._doing = said
            self._update(note.source)
        elif self.console.is_terminal:
            self.console.print(said, style="yellow", markup=False, highlight=False)

    def _stalled(self, event: Stalled) -> None:
        self._doing = f"waits for the model server; it is asked again in {event.pause_s:.0f} s"
        said = f"{event.reason.rstrip('.')}: {event.remedy}. It is asked again in {event.pause_s:.0f} s."
        self.console.print(message(f"{event.source} waits: {said}"), style="yellow", markup=False)

    def _figures(self) -> str:
        """What stands below the bars: where a replay that is watched is, the figures of the whole run, and what takes time."""
        if not self._tapes:
            return self._doing
        watched = "" if self._playback is None else self._playback.status()
        return "\n".join(filter(None, (watched, self._tally.words(), self._doing)))

    def _words(self, source: str) -> str:
        """The figures of a source, and those of all where there are several."""
        if self._tally.sources > 1:
            return f"{self._tally.words(source)} (all: {self._tally.words()})"
        return self._tally.words()

    def _update(
        self, tape: str, *, completed: int | None = None, total: int | None = None, unit: str | None = None
    ) -> None:
        if tape not in self._tapes:
            self._tapes[tape] = self._bars.add_task(
                shorten(one_line(tape), _NAME, keep_end=True), total=total, unit=one_line(unit or "")
            )
            self._hide_done()
        self._bars.update(self._tapes[tape], completed=completed, total=total)
        if unit is not None:
            self._bars.update(self._tapes[tape], unit=one_line(unit))

    def _hide_done(self) -> None:
        """Keep the screen for the bars that move."""
        for task in [task for task in self._bars.tasks if task.visible][:-_SHOWN]:
            if task.finished:
                self._bars.update(task.id, visible=False)

    def _say(self, text: str, *, always: bool = False) -> None:
        """Without a terminal: a plain line, at most every few seconds unless it must be said."""
        if self.console.is_terminal or not (always or time.monotonic() - self._said >= _EVERY_S):
            return
        self._said = time.monotonic()
        self.console.print(one_line(text), markup=False, highlight=False, soft_wrap=True)
