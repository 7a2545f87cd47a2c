"""A run that is watched on the live screen: it is another process, in a session of its own, which outlives the screen and its terminal."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from replay.editor.command import server_command
from replay.errors import StoreError
from replay.options import RunOptions
from replay.run.folders import new_folder
from replay.run.store import Store
from tui.console import SafeConsole
from tui.outcome import print_json
from tui.terminal_text import bounded

WATCHED = "GHOSTTAPE_WATCHED"
"""The variable by which the process of a run knows that somebody watches it on a screen."""
_OURS = frozenset({"--live", "--plain", "--json"})
_LAST = 4_000
"""Characters of what the run said on standard error that are shown if it failed."""


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run to be started and watched: `words` are those of the command line that asks for it, `show` prints its summary."""

    words: Sequence[str]
    folder: Path
    show: Callable[[dict[str, Any], Path], None]
    json: bool = False


def has_screen() -> bool:
    """Whether there is a terminal that a screen can be drawn on."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)) and (
        os.environ.get("TERM", "") not in {"", "dumb"}
    )


def watch_live(
    options: RunOptions, out: Path | None, show: Callable[[dict[str, Any], Path], None], *, json: bool
) -> None:
    """Do the command that runs on the live screen, and end the program; return at once where there is no terminal for it."""
    if has_screen():
        warn_of_sandbox(SafeConsole(stderr=True), options)
        raise SystemExit(run_live(LiveRun(sys.argv[1:], out or new_folder(options), show, json)))


def warn_of_sandbox(console: SafeConsole, options: RunOptions) -> None:
    """Say that nothing holds the code of the model, if that is so."""
    if options.sandbox == "none" and options.tests:
        console.print("Warning: --sandbox none runs code that a model wrote with all your rights.", style="bold red")


def run_live(run: LiveRun) -> int:
    """Start a run, show it until it ends or the screen is closed, and end on its table; give the exit status."""
    with tempfile.TemporaryFile() as said:
        process = _start(run, said)
        from tui.live.app import LiveApp

        screen = LiveApp(run.folder, process=process.pid, gone=lambda: process.poll() is not None)
        screen.run()
        if screen.outcome == "left" and process.poll() is None:
            _say_how_to_come_back(run.folder, process.pid)
            return 0
        if screen.outcome == "stopped":
            process.send_signal(signal.SIGTERM)
        return _ended(run, process, said)


def child_words(words: Sequence[str], folder: Path) -> list[str]:
    """The words of the command that the run's own process gets: the same, without a screen, into a folder that is known.

    It prints its summary as JSON, which nobody reads: a table would cost more.
    """
    end = words.index("--") if "--" in words else len(words)  # behind it are names of tapes
    kept = [word for word in words[:end] if word not in _OURS]
    named = any(word == "--out" or word.startswith("--out=") for word in kept)
    return [*kept, "--plain", "--json", *([] if named else ["--out", str(folder)]), *words[end:]]


def _start(run: LiveRun, said: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [server_command()[0], *child_words(run.words, run.folder)]
    nothing = subprocess.DEVNULL
    known = {**os.environ, WATCHED: "1"}
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=said, env=known, start_new_session=True)


def _say_how_to_come_back(folder: Path, process: int) -> None:
    name = shlex.quote(str(folder))
    SafeConsole(stderr=True).print(
        f"The run goes on without the screen. To come back:\n  ghosttape tui --follow {name}\nTo end it: kill {process}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _ended(run: LiveRun, process: subprocess.Popen[bytes], said: IO[bytes]) -> int:
    """Print what a run came to, as without a screen; if this process did not play it to its end, what it said."""
    status = process.wait()
    played = status == 0 or (status in {1, 3} and _is_done(run.folder, process.pid))
    summary = _summary(run.folder) if played else None
    if summary is None:
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
        SafeConsole(stderr=True).print(bounded(text[-_LAST:].strip()), markup=False, highlight=False, soft_wrap=True)
        return status if status >= 0 else 128 - status
    if run.json:
        print_json(summary)
    else:
        run.show(summary, run.folder)
    return status


def _is_done(folder: Path, process: int) -> bool:
    """Whether a process played the run to its end: the summary in the folder may be of one that came before."""
    from replay.run.events import RunBegan, RunEnded
    from replay.run.live.live_reader import LiveFile

    file = LiveFile(folder)
    began, ending, is_more = 0, None, file.begins_anew()
    while is_more:
        events, is_more = file.read()
        began = next((event.process for event in events if isinstance(event, RunBegan)), began)
        ending = next((event for event in events if isinstance(event, RunEnded)), ending)
    file.close()
    return began == process and ending is not None and ending.how == "done"


def _summary(folder: Path) -> dict[str, Any] | None:
    try:
        with Store.open(folder) as store:
            found = store.fact("summary")
            return found if isinstance(found, dict) else None
    except StoreError:
        return None
