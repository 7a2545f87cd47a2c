"""Progress of a replay on standard error: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from replay.options import RunOptions
from replay.play.playback import Playback
from replay.records import Verdict
from replay.run.events import Ended, Judged, LeftOut, Note, Played, RunEvent, Stalled, Tried
from tui.terminal_text import message, one_line, shorten

_EVERY_S = 5.0
_NAME = 40
"""Cells of a tape's name beside its bar."""


class _Watched(ProgressColumn):
    """Where a replay that is watched is, read anew at each refresh: it may stand still."""

    max_refresh = None

    def __init__(self, playback: Playback) -> None:
        super().__init__()
        self._playback = playback

    def render(self, task: Task) -> Text:
        """Say where it is, how it goes, and what was asked so far."""
        return Text(f"{self._playback.status()}, {task.fields['note']}")


def _counted(counts: Mapping[str, int], answers: str = "") -> str:
    """Return `26 suggestions, 12 of 26 judged: 3 of 5 passed, 7 untestable`; what did not occur yet is left out.

    `answers` says what is counted where a moment has several: `12 of 26 answers judged`.
    """
    suggestions = "1 suggestion" if counts["suggestions"] == 1 else f"{counts['suggestions']:,} suggestions"
    if not counts["awaited"]:
        return suggestions
    testable = counts["judged"] - counts["untestable"] - counts["infrastructure"]
    parts = [
        f"{counts['passed']:,} of {testable:,} passed" if testable else "",
        f"{counts['untestable']:,} untestable" if counts["untestable"] else "",
        f"{counts['infrastructure']:,} not tested, as the tests could not be run" if counts["infrastructure"] else "",
    ]
    verdicts = ", ".join(filter(None, parts))
    judged = f"{counts['judged']:,} of {counts['awaited']:,} {answers}judged"
    return f"{suggestions}, {judged}: {verdicts}" if verdicts else f"{suggestions}, {judged}"


class Progress:
    """Listens to an engine and shows how far it is. In an ablation each moment counts as often as it has arms."""

    def __init__(self, console: Console, options: RunOptions, playback: Playback | None = None) -> None:
        self.console = console
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False) if playback is None else _Watched(playback),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._tapes: dict[str, TaskID] = {}
        self._counts: dict[str, Counter[str]] = {}
        self._said = 0.0
        self._answers = "answers " if options.samples > 1 else ""
        self._arms = 2 + len(options.settings.repairs) if options.ablate else 1

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def listen(self, event: RunEvent) -> None:
        """Show one thing that happened."""
        match event:
            case Note():
                self._update(event.source, note=event.text)
                self._say(f"{event.source}: {event.text}", always=True)
            case Played():
                own = self._note(event.source)
                self._update(event.source, completed=event.done, total=event.of, note=own)
                self._say(f"{event.source}: {event.unit} {event.done} of {event.of}, {own}{self._all()}")
            case Ended():
                counts = self._of(event.record.moment.tape)
                counts["suggestions"] += event.record.suggestion is not None
                counts["awaited"] += self._arms if event.awaits_verdict else 0
            case Judged():
                self._judged(event.record.moment.tape, event.record.verdict)
            case Tried():
                self._judged(event.trial.tape, event.trial.verdict)
            case Stalled():
                self._update(event.source, note=f"waits for the model server; asks again in {event.pause_s:.0f} s")
                said = f"{event.reason.rstrip('.')}: {event.remedy}. It is asked again in {event.pause_s:.0f} s."
                self.console.print(message(f"{event.source} waits: {said}"), style="yellow", markup=False)
            case LeftOut():
                self.console.print(message(f"{event.source} is left out: {event.reason}"), style="yellow", markup=False)

    def _judged(self, tape: str, verdict: Verdict | None) -> None:
        self._of(tape)["judged"] += 1
        self._of(tape)[verdict.name if verdict else ""] += 1
        self._update(tape, note=self._note(tape))
        self._say(f"{tape}: {self._note(tape)}{self._all()}")

    def _of(self, tape: str) -> Counter[str]:
        return self._counts.setdefault(tape, Counter())

    def _note(self, tape: str) -> str:
        return _counted(self._of(tape), self._answers)

    def _all(self) -> str:
        """What was done on all tapes, where a line about one of several would leave that open."""
        return (
            f" (all: {_counted(sum(self._counts.values(), Counter()), self._answers)})" if len(self._counts) > 1 else ""
        )

    def _update(self, tape: str, *, completed: int | None = None, total: int | None = None, note: str) -> None:
        note = one_line(note)
        if tape not in self._tapes:
            self._tapes[tape] = self._bars.add_task(
                shorten(one_line(tape), _NAME, keep_end=True), total=total, note=note
            )
        self._bars.update(self._tapes[tape], completed=completed, total=total, note=note)

    def _say(self, text: str, *, always: bool = False) -> None:
        """Without a terminal: a plain line, at most every few seconds unless it must be said."""
        if self.console.is_terminal or not (always or time.monotonic() - self._said >= _EVERY_S):
            return
        self._said = time.monotonic()
        self.console.print(one_line(text), markup=False, highlight=False)
