"""Progress of a run on standard error: bars and a line of figures on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from replay.options import RunOptions
from replay.play.playback import Playback
from replay.records import Record, Verdict
from replay.run.events import Ended, Judged, LeftOut, Note, Played, RunBegan, RunEvent, SessionBegan, Stalled, Tried
from tui.terminal_text import message, one_line, shorten

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


# How far a run is, from its events: moments that are done of how many, what the tests said, and how long it
# still takes.

_REASONS = 3
"""How many reasons of untestable moments are named."""
_LEAST_DONE, _LEAST_S = 5, 3.0
"""How much must be done, and how long (s) that must have taken, before it is said how long the rest takes."""
_WINDOW_S = 120.0
"""How far back the pace looks."""


@dataclass(slots=True)
class Tally:
    """What became of the moments of one source (a tape, a corpus). Each counts as often as it has `arms` and samples."""

    size: int = 0
    """How many events or tasks the source has, as far as that is known."""
    planned: int | None = None
    """How many moments a session will have; None: that depends on time."""
    share: float = 0.0
    """How much of it is played, from 0 to 1, over all samples."""
    is_over: bool = False
    ended: int = 0
    """How many moments have ended, each sample by itself."""
    done: int = 0
    """How many verdicts are there, or not wanted."""
    counts: Counter[str] = field(default_factory=Counter)
    untestable: Counter[str] = field(default_factory=Counter)

    def take_ended(self, record: Record, arms: int, *, awaits_verdict: bool) -> None:
        """Take in a moment that has ended."""
        self.ended += 1
        self.done += 0 if awaits_verdict else arms
        self.counts["suggestions"] += record.suggestion is not None
        self.counts["failed requests"] += record.ending.name == "failed"
        self.counts["awaited"] += awaits_verdict

    def take_verdict(self, verdict: Verdict | None) -> None:
        """Take in a verdict."""
        name = verdict.name if verdict else ""
        self.done += 1
        self.counts[name] += 1
        self.counts["testable"] += name not in {"untestable", "infrastructure"}
        if verdict is not None and name == "untestable":
            self.untestable[verdict.reason] += 1

    def words(self, *, offers: bool = True) -> Iterator[str]:
        """What became of those that are done; what did not occur is left out, and how many passed too where nothing `offers` anything that could pass."""
        counts = self.counts
        if counts["suggestions"] + counts["failed requests"] != self.ended or not counts["awaited"]:
            yield _number_of(counts["suggestions"], "suggestion")
        if counts["failed requests"]:
            yield f"{_number_of(counts['failed requests'], 'request')} failed"
        split = [f"{counts['testable']:,} testable"] if counts["testable"] else []
        split += [f"{counts['untestable']:,} untestable ({_reasons(self.untestable)})"] if self.untestable else []
        if split:
            yield ", ".join(split)
        if counts["testable"] and (offers or counts["passed"]):
            yield f"{counts['passed']:,} passed"
        if counts["infrastructure"]:
            yield f"{counts['infrastructure']:,} not tested, as the tests could not be run"


@dataclass(slots=True)
class VerdictPace:
    """How fast something gets done. `clock` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    _marks: deque[tuple[float, int]] = field(default_factory=deque)

    def mark(self, done: int) -> None:
        """Take in how much is done now."""
        now = self.clock()
        if not self._marks or now - self._marks[-1][0] >= 1.0:
            self._marks.append((now, done))
        while len(self._marks) > 2 and self._marks[1][0] < now - _WINDOW_S:
            self._marks.popleft()

    def begin_anew(self) -> None:
        """Forget the pace: it stood still, and that says nothing."""
        self._marks.clear()

    def left_s(self, done: int, of: float) -> float | None:
        """How long (s) the rest takes; None as long as that cannot be known.

        Of 96, 12 after a minute that began with 2: 10 a minute, so 84 take 504 s.
        """
        if not self._marks:
            return None
        began, first = self._marks[0]
        took, more = self.clock() - began, done - first
        return None if more < _LEAST_DONE or took < _LEAST_S else max(0.0, of - done) * took / more


class RunTally:
    """The tallies of all sources of a run, and its pace."""

    def __init__(self, options: RunOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self._arms = 2 + len(options.settings.repairs) if options.ablate else 1
        self._samples, self._limit = options.samples, options.limit
        provider = options.settings.provider
        self._offers = provider.name != "fixed" or bool(provider.text)  # mining empties gaps with it
        self._unit = " verdicts" if self._arms > 1 else " answers" if options.samples > 1 else ""
        self._sources: dict[str, Tally] = {}
        self._pace = VerdictPace(clock)

    def of(self, source: str) -> Tally:
        """The tally of a source."""
        return self._sources.setdefault(source, Tally())

    def is_source(self, name: str) -> bool:
        """Whether a note is about a source, and not about the machine or the run."""
        return not self._sources or name in self._sources

    def take(self, event: RunEvent) -> None:
        """Take one event in."""
        match event:
            case RunBegan():
                self._sources = {name: Tally(size=event.sizes.get(name, 0)) for name in event.sources}
            case SessionBegan():
                self.of(event.source).planned = event.moments
            case Played():
                own = self.of(event.source)
                own.share, own.is_over = event.done / event.of if event.of else 1.0, event.done >= event.of
            case Ended(record=record):
                self.of(record.moment.tape).take_ended(record, self._arms, awaits_verdict=event.awaits_verdict)
                self._pace.mark(self._all().done)
            case Judged(record=record):
                self.of(record.moment.tape).take_verdict(record.verdict)
                self._pace.mark(self._all().done)
            case Tried(trial=trial):
                self.of(trial.tape).take_verdict(trial.verdict)
            case Stalled():
                self._pace.begin_anew()
            case LeftOut() if event.source in self._sources:
                self.of(event.source).is_over = True

    @property
    def sources(self) -> int:
        """How many sources have moments that ended."""
        return sum(tally.ended > 0 for tally in self._sources.values())

    def words(self, source: str | None = None) -> str:
        """`12 of 96 · 9 testable, 3 untestable (2 undetected, 1 rewritten) · 7 passed · about 4 min left`, of a source (without the time) or of all."""
        one = [self.of(source)] if source is not None else [*self._sources.values()]
        tally = self._all() if source is None else one[0]
        expected, is_known = self._expected(one)
        total = max(self._arms * expected, tally.done)
        of = f"{'' if is_known else 'about '}{total:,.0f}" if total else "0"
        parts = [f"{tally.done:,} of {of}{self._unit}", *tally.words(offers=self._offers)]
        left = self._pace.left_s(tally.done, total) if source is None and tally.done < total else None
        return " · ".join([*parts, *([] if left is None else [f"{about_words(left)} left"])])

    def _expected(self, sources: Iterable[Tally]) -> tuple[float, bool]:
        """How many moments some sources have in all, and whether that is known or an estimate."""
        found = [(self._known(tally), tally) for tally in sources]
        known = sum(number for number, _ in found if number is not None)
        unknown = [tally for number, tally in found if number is None]
        return known + sum(map(self._estimated, unknown)), not unknown

    def _known(self, tally: Tally) -> int | None:
        if tally.is_over:
            return tally.ended
        return None if tally.planned is None else tally.planned * self._samples

    def _estimated(self, tally: Tally) -> float:
        """How many moments a source may have: as many for each event as it had so far, or as the other ones have."""
        if tally.ended and tally.share:
            number = tally.ended / tally.share
        else:
            sizes = sum(other.size for other in self._sources.values() if self._known(other) is not None)
            moments = sum(self._known(other) or 0 for other in self._sources.values())
            number = tally.size * moments / sizes if sizes else 0.0
        most = number if self._limit is None else min(number, self._limit * self._samples)
        return max(most, tally.ended)

    def _all(self) -> Tally:
        whole = Tally()
        for tally in self._sources.values():
            whole.ended, whole.done = whole.ended + tally.ended, whole.done + tally.done
            whole.counts.update(tally.counts)
            whole.untestable.update(tally.untestable)
        return whole


def about_words(seconds: float) -> str:
    """A time that is left, as exactly as it can be known: `about 40 s`, `about 4 min`, `about 1 h 20 min`."""
    if seconds < 90:
        return f"about {max(10, 10 * round(seconds / 10))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    hours, rest = divmod(10 * round(minutes / 10), 60)
    return f"about {hours} h" + (f" {rest} min" if rest else "")


def _reasons(found: Counter[str]) -> str:
    named = found.most_common(_REASONS)
    others = found.total() - sum(number for _, number in named)
    return ", ".join(
        [f"{number:,} {reason}" for reason, number in named] + ([_number_of(others, "other")] if others else [])
    )


def _number_of(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
