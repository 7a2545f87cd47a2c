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

from replay.engine import Ended, Happening, Judged, LeftOut, Note, Played, Tried
from replay.options import Options
from replay.playback import Playback
from server.settings import REPAIRS

_EVERY_S = 5.0


class _Watched(ProgressColumn):
    """Where a replay that is watched is, read anew at each refresh: it may stand still."""

    max_refresh = None

    def __init__(self, playback: Playback) -> None:
        super().__init__()
        self._playback = playback

    def render(self, task: Task) -> Text:
        """Say where it is, how it goes, and what was asked so far."""
        return Text(f"{self._playback.status()}, {task.fields['note']}")


def _counted(counts: Mapping[str, int]) -> str:
    said = f"{counts['asked']} suggestions"
    return (
        f"{said}, {counts['judged']}/{counts['awaited']} tested, {counts['passed']} passed"
        if counts["awaited"]
        else said
    )


class Progress:
    """Listens to an engine and shows how far it is. In an ablation each moment counts as often as it has arms."""

    def __init__(self, console: Console, options: Options, playback: Playback | None = None) -> None:
        self.console = console
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}") if playback is None else _Watched(playback),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._tapes: dict[str, TaskID] = {}
        self._counts: dict[str, Counter[str]] = {}
        self._said = 0.0
        self._arms = 2 + len(options.settings.get("repairs", REPAIRS)) if options.ablate else 1
        if options.sandbox == "none" and options.tests:
            console.print(
                "Warning: --sandbox none runs code that a model wrote with all your rights.", style="bold red"
            )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def listen(self, happening: Happening) -> None:
        """Show one thing that happened."""
        match happening:
            case Note():
                self._update(happening.tape, note=happening.text)
                self._say(f"{happening.tape}: {happening.text}", always=True)
            case Played():
                own = self._note(happening.tape)
                self._update(happening.tape, completed=happening.done, total=happening.of, note=own)
                self._say(f"{happening.tape}: event {happening.done} of {happening.of}, {own}{self._all()}")
            case Ended():
                counts = self._of(happening.record.moment.tape)
                counts["asked"] += happening.record.suggestion is not None
                counts["awaited"] += self._arms if happening.awaits_verdict else 0
            case Judged():
                self._judged(happening)
            case Tried():
                self._tested(happening.trial.tape)
            case LeftOut():
                self.console.print(f"{happening.tape} is left out: {happening.reason}", style="yellow", markup=False)

    def _judged(self, happening: Judged) -> None:
        verdict, tape = happening.record.verdict, happening.record.moment.tape
        self._of(tape)["passed"] += verdict is not None and verdict.name == "passed"
        self._tested(tape)

    def _tested(self, tape: str) -> None:
        self._of(tape)["judged"] += 1
        self._update(tape, note=self._note(tape))
        self._say(f"{tape}: {self._note(tape)}{self._all()}")

    def _of(self, tape: str) -> Counter[str]:
        return self._counts.setdefault(tape, Counter())

    def _note(self, tape: str) -> str:
        return _counted(self._of(tape))

    def _all(self) -> str:
        """What was done on all tapes, where a line about one of several would leave that open."""
        return f" (all: {_counted(sum(self._counts.values(), Counter()))})" if len(self._counts) > 1 else ""

    def _update(self, tape: str, *, completed: int | None = None, total: int | None = None, note: str) -> None:
        if tape not in self._tapes:
            self._tapes[tape] = self._bars.add_task(tape, total=total, note=note)
        self._bars.update(self._tapes[tape], completed=completed, total=total, note=note)

    def _say(self, text: str, *, always: bool = False) -> None:
        """Without a terminal: a plain line, at most every few seconds unless it must be said."""
        if self.console.is_terminal or not (always or time.monotonic() - self._said >= _EVERY_S):
            return
        self._said = time.monotonic()
        self.console.print(text, markup=False, highlight=False)
