"""The live screen: a run as it goes on, in this process's terminal, written by another process.

The run's process and this one share only files: `live.jsonl`, the tapes, and a socket for the pace. So nothing that happens here changes a result.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

import msgspec
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from replay.errors import ReplayError, StoreError
from replay.run.events import Ended, LeftOut, RunBegan, RunEnded, RunPlan
from replay.run.live.control import ControlError, Watcher, Wish
from replay.run.live.live_reader import LiveFile, is_alive
from replay.run.live.live_stream import FILE, shortened
from replay.run.store import Store
from tui.live import live_text
from tui.live.lane_documents import LaneDocuments
from tui.live.live_figures import LiveFigures
from tui.live.live_text import clock, strip
from tui.live.state import Lane, LiveState
from tui.live.widgets.board import Board, ShownLane
from tui.live.widgets.dialogs import JumpScreen, LeaveScreen, ScreenEnd, help_text
from tui.live.widgets.page_view import PageView
from tui.terminal_text import message, sanitize
from tui.text_dialog import TextDialog
from tui.themes import ThemedApp

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_EVERY_S = 0.1
"""The least time between two redraws."""
_PATIENCE, _PATIENCE_AT_FULL_SPEED = 10, 60
"""Between redraws so many times as long is waited as one takes: this process keeps to a small share of a core, and to a smaller one where the run
goes as fast as it can."""
_LONGEST_S = 1.0
_MINUTE_MS = 60_000.0
_COMMANDS = (
    ("Pause or go on", "space", "pause"),
    ("Next moment", "n: go on to the end of the next moment, and pause", "wish('moment')"),
    ("Full speed", "f: as fast as it goes", "full_speed"),
    ("The tape's own time", "=: without hurry", "own_time"),
    ("One minute on", ">: a minute of the tape without a wait", "skip"),
    ("Go to a time", "g: a time of the tape that is still to come", "jump"),
)
"""Commands of the palette: title, key and meaning, action."""


class LiveApp(ThemedApp):
    """Follows the run in a folder. `outcome` says, once the app is closed, how.

    `process` is the number of a process that this command started for the run: only what it writes is shown, closing the screen asks what becomes
    of it, and the screen closes by itself when it has ended or is `gone`. 0: any process's run is followed.
    """

    TITLE = "ghosttape live"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (118, "-wide"), (170, "-very-wide")]  # noqa: RUF012 - as in Textual
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012 - as in Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause", key_display="space"),
        Binding("n", "wish('moment')", "Next"),
        Binding("full_stop", "wish('step')", "Step", show=False),
        Binding("plus", "faster", "Speed", key_display="+ - ="),
        Binding("minus", "slower", "Slower", show=False),
        Binding("equals_sign", "own_time", "Own time", show=False),
        Binding("f", "full_speed", "Full"),
        Binding("greater_than_sign", "skip", "1 min", key_display=">"),
        Binding("g", "jump", "Go to"),
        Binding("tab", "lane", "Tape", show=False, priority=True),
        *(Binding(str(number), f"lane({number})", show=False) for number in range(1, 10)),
        Binding("l", "follow", "Follow", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "leave", "Quit"),
        Binding("ctrl+c", "leave", "Quit", show=False, priority=True),
    ]

    def __init__(self, folder: Path, *, process: int = 0, gone: Callable[[], bool] = lambda: False) -> None:
        super().__init__()
        self.folder, self._owned, self._gone = folder, process, gone
        self.outcome: ScreenEnd = "left"
        self.state, self.figures = LiveState(), LiveFigures()
        self._file, self._watcher = LiveFile(folder), Watcher(folder)
        self._documents: dict[str, LaneDocuments] = {}
        self._chosen = self._unreadable = ""
        self._spent, self._looked = time.process_time(), 0.0
        self._is_behind = self._is_anothers = self._has_said_unreadable = False
        self._keys = (False, 0)

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Static("", id="title", markup=False)
        yield Static("", id="lanes", markup=False)
        yield Static("", id="waiting", markup=False)
        with Container(id="main"):
            with Container(id="session"):
                yield Static("", id="place", markup=False)
                yield PageView()
                yield Static("", id="moment", markup=False)
                yield Static("", id="strip", markup=False)
            yield Board()
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to follow."""
        self.set_timer(0.01, self._tick)

    def on_unmount(self) -> None:
        """Let go of the files."""
        self._file.close()
        self._watcher.close()
        for documents in self._documents.values():
            documents.close()

    def on_resize(self) -> None:
        """Draw anew at the new size."""
        self.call_after_refresh(self._draw)

    # Following

    def follow(self, folder: Path) -> None:
        """Show the run in another folder from now on."""
        self._file.close()
        self._watcher.close()
        self.folder, self._file, self._watcher, self._looked = folder, LiveFile(folder), Watcher(folder), 0.0
        self._start(LiveState())

    def _tick(self) -> None:
        self._read()
        if not self._is_behind:
            self._draw()
        if self._owned and (self.state.ending is not None or self._gone()):
            self._close("ended")
            return
        self.set_timer(0.001 if self._is_behind else self._pause_s(), self._tick)

    def _pause_s(self) -> float:
        """How long to wait until the next redraw: long enough that redrawing takes a small share of the time."""
        spent, self._spent = self._spent, time.process_time()
        at_full_speed = self.state.phase == "going" and self.state.pulse is not None and self.state.pulse.speed is None
        patience = _PATIENCE_AT_FULL_SPEED if at_full_speed else _PATIENCE
        return max(_EVERY_S, min(_LONGEST_S, patience * (self._spent - spent)))

    def _read(self) -> None:
        now = time.monotonic()
        if now >= self._looked + 1.0 or not self._file.is_there:
            self._looked = now
            if self._file.begins_anew():
                self._start(LiveState())
            elif not self._file.is_there and not self.state.began and not self._owned:
                self._start(self._stored() or self.state)
            self._see_whether_it_lives()
            if self.state.is_going:  # a run that is paused goes on when nobody is connected any more
                self.run_worker(self._watcher.stay, thread=True)
        events, self._is_behind = self._file.read()
        self._say_unreadable()
        for event in events:
            if isinstance(event, RunBegan):
                self._is_anothers = self._owned not in {0, event.process}
            if not self._is_anothers:  # an earlier process of a run that this one continues
                self.state.take(event)

    def _say_unreadable(self) -> None:
        """Say, once for each file, that lines of it are not understood."""
        if self._file.unreadable and not self._has_said_unreadable:
            said = f"{FILE} has lines that cannot be read (another version wrote them, or they are torn): what they told is not shown"
            self.notify(said, severity="warning", markup=False, timeout=10)
        self._has_said_unreadable = self._file.unreadable > 0

    def _stored(self) -> LiveState | None:
        """The run by its store. If it cannot be read, that is shown while it is so."""
        self._unreadable = ""
        try:
            return stored_state(self.folder)
        except ReplayError as error:
            self._unreadable = message(error)
            return None

    def _start(self, state: LiveState) -> None:
        """Forget an earlier process's run."""
        if state is not self.state:
            for documents in self._documents.values():
                documents.close()
            self.state, self.figures, self._documents = state, LiveFigures(), {}

    def _see_whether_it_lives(self) -> None:
        state = self.state
        if state.process and state.ending is None:
            state.is_killed = not is_alive(state.process, state.birth)

    # Drawing

    @property
    def lane(self) -> Lane | None:
        """The lane on the screen: the chosen one, else the one that is played."""
        lanes = self.state.lanes
        return lanes.get(self._chosen) or lanes.get(self.state.active) or next(iter(lanes.values()), None)

    def _draw(self) -> None:
        if not self.is_running or not self.query("#title"):
            return
        lane, screen = self.lane, self.screen_stack[0]
        screen.set_class(lane is None, "-nothing")
        screen.set_class(len(self.state.lanes) > 1, "-several")
        width = self.size.width
        self._put("#title", live_text.title(self.state, self.folder.name, width - 1))
        if lane is None:
            self._put("#waiting", Content(sanitize(self._unreadable)) if self._unreadable else self.waiting())
        else:
            self._put("#lanes", live_text.lanes(self.state, lane.name, width))
            self._draw_lane(lane)
        keys = (self.state.is_going, len(self.state.lanes))
        if keys != self._keys:
            self._keys = keys
            self.refresh_bindings()

    def _draw_lane(self, lane: Lane) -> None:
        width = self.query_one("#session").size.width
        documents = self._documents.setdefault(lane.name, LaneDocuments(lane))
        self._is_behind = not documents.advance() or self._is_behind
        path, row = self.screen_stack[0].query_one(PageView).show(lane, documents)
        self._put("#place", live_text.place(lane, path, row, width - 1))
        self._put("#moment", live_text.moment(lane, width - 2))
        self._put("#strip", strip(lane, width - 2))
        figures = self.figures.update(self.state, at_once=not self.state.is_going)
        wide = self.screen_stack[0].has_class("-wide", "-very-wide") or self.size.width >= 118
        self.screen_stack[0].query_one(Board).show(ShownLane(self.state, lane, figures), wide=wide)

    def _put(self, selector: str, content: Content) -> None:
        widget = self.screen_stack[0].query_one(selector, Static)
        if not (isinstance(widget.content, Content) and content.is_same(widget.content)):
            widget.update(content, layout=False)

    def waiting(self) -> Content:
        """What is shown while there is no run."""
        return Content(sanitize(f"There is no run in {self.folder} yet. It is shown as soon as it begins."))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key does anything now: only a run that goes on has a pace."""
        if action in {"pause", "wish", "faster", "slower", "own_time", "full_speed", "skip", "jump"}:
            return self.state.is_going and len(self.screen_stack) == 1
        if action == "lane" and not parameters:
            return len(self.state.lanes) > 1
        return True

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the commands of the palette: first those that set the pace, while the run goes on."""
        if self.state.is_going:
            for title, meaning, action in _COMMANDS:
                yield SystemCommand(title, meaning, partial(self.run_action, action))
        yield from super().get_system_commands(screen)

    async def action_quit(self) -> None:
        """Close the screen as `q` does: the palette has this command too."""
        self.action_leave()

    def action_pause(self) -> None:
        """Pause, or go on."""
        paused = self.state.phase == "paused"
        self.state.expect(paused=not paused)
        self._send(Wish("resume" if paused else "pause"))

    def action_wish(self, action: Literal["moment", "step"]) -> None:
        """Go on a little, and pause."""
        self._send(Wish(action))

    def _set_speed(self, speed: float | None) -> None:
        self.state.expect(speed=speed)
        self._send(Wish("speed", speed))

    def action_faster(self) -> None:
        """Take the next higher speed; behind the highest it goes as fast as it can."""
        speed = self.state.pulse.speed if self.state.pulse else None
        self._set_speed(next((known for known in SPEEDS if speed is not None and known > speed), None))

    def action_slower(self) -> None:
        """Take the next lower speed."""
        speed = self.state.pulse.speed if self.state.pulse else None
        self._set_speed(next((known for known in reversed(SPEEDS) if speed is None or known < speed), SPEEDS[0]))

    def action_own_time(self) -> None:
        """Go on in the tape's own time."""
        self._set_speed(1.0)

    def action_full_speed(self) -> None:
        """Go on as fast as it can."""
        self._set_speed(None)

    def action_skip(self) -> None:
        """Go on for a minute of the tape without a wait."""
        self._send(Wish("skip", _MINUTE_MS))

    def action_jump(self) -> None:
        """Ask for a time, and go there."""
        lane = self.state.lanes.get(self.state.active)
        now = clock(lane.position.t if lane and lane.position else 0.0)
        self.push_screen(JumpScreen(now), lambda ms: self._send(Wish("seek", ms)) if ms is not None else None)

    def action_lane(self, number: int = 0) -> None:
        """Show a lane by its number (from 1), or the next one."""
        names = list(self.state.lanes)
        if number > len(names) or not names or len(self.screen_stack) > 1:
            return
        shown = names.index(self.lane.name) if self.lane else -1
        self._chosen = names[number - 1] if number else names[(shown + 1) % len(names)]
        self._draw()

    def action_follow(self) -> None:
        """Show what is being played."""
        self._chosen = ""
        self._draw()

    def action_help(self) -> None:
        """Show the keys and the letters."""
        self.push_screen(TextDialog(help_text()))

    def action_leave(self) -> None:
        """Close the screen; ask first what becomes of a run that this command started."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self._owned and self.state.ending is None:
            self.push_screen(LeaveScreen(str(self.folder)), self._left)
        else:
            self._close("left" if self.state.is_going else "ended")

    def _left(self, choice: ScreenEnd | None) -> None:
        if choice:
            self._close(choice)

    def _close(self, outcome: ScreenEnd) -> None:
        self.outcome = outcome
        self.exit()

    def _send(self, wish: Wish) -> None:
        self.run_worker(partial(self._say, wish), thread=True)

    def _say(self, wish: Wish) -> None:
        try:
            self._watcher.send(wish)
        except ControlError as error:
            self.call_from_thread(self.notify, message(error), severity="warning", markup=False)


# A run that nobody wrote a live file for (it could not, or an older version made it): what its store holds.


def stored_state(folder: Path) -> LiveState | None:
    """The state of a run by its records, as they are now; None if there is no run in the folder.

    Raises:
        StoreError: they cannot be read, and why.

    """
    if not (folder / "run.sqlite").is_file():
        return None
    try:
        with Store.open(folder) as store:
            return _state(store)
    except (zlib.error, msgspec.MsgspecError, sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"The run in {folder} cannot be read: {error}") from error


def _state(store: Store) -> LiveState:
    config, at = store.config, (store.folder / "run.sqlite").stat().st_mtime
    provider = config.get("settings", {}).get("provider", {})
    plan = RunPlan(
        provider=provider.get("name", ""),
        policy=config.get("policy", ""),
        tests=config.get("tests", True),
        cluster_by=store.cluster_by,
        samples=config.get("samples", 1),
        measured=not store.fact("reads_record"),
    )
    state = LiveState()
    state.take(RunBegan(at, 0, "", plan, dict.fromkeys(config.get("sources", {}), "")))
    for record in store.records():
        state.take(shortened(Ended(record, awaits_verdict=False)))
    summary = store.fact("summary") or {}
    for left in summary.get("left_out", ()):
        state.take(LeftOut(left["tape"], left["reason"]))
    state.take(
        RunEnded(
            at,
            "done" if summary else "interrupted",
            "" if summary else "how it was played is not known: there is no live.jsonl",
        )
    )
    return state
