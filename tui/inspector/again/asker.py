"""Asks a moment again: the command that plays one moment, as a process of its own, into `RUN/again/NUMBER`."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

from replay.editor.command import console_script
from tui.inspector.again.again_answers import FOLDER, LOG, log_of

_OF_SETTINGS = frozenset({"GHOSTTAPE_PROVIDER", "GHOSTTAPE_MODEL", "GHOSTTAPE_BASE_URL", "GHOSTTAPE_SERVER"})
"""Variables that would take the place of what the dialog says."""
_PATIENCE_S = 5.0
"""How long a process that was told to end is waited for."""


class Asker:
    """Starts, watches and ends the processes that ask again. Keys of model servers reach them in `environment`, and are written nowhere."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder / FOLDER
        self._environment = {name: value for name, value in environment.items() if name not in _OF_SETTINGS}
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    def ask(self, words: Sequence[str]) -> int:
        """Start `ghosttape` with these words and return the number of the answer.

        Raises:
            OSError: the folder of the run cannot be written.
            ServerError: ghosttape is not installed as a command.

        """
        program = console_script()
        number, place = self._new_place()
        command = [
            program,
            *words,
            "--keep-going",
            "--out",
            str(place),
            "--json",
        ]  # a person asks, whatever comes of it
        nothing = subprocess.DEVNULL
        with (place / LOG).open("wb") as log:
            self._children[number] = subprocess.Popen(
                command, stdin=nothing, stdout=nothing, stderr=log, env=self._environment, start_new_session=True
            )
        return number

    def has_begun(self, number: int) -> bool:
        """Whether the command has found its words usable, and keeps a run."""
        return (self._folder / str(number) / "run.sqlite").exists()

    def has_ended(self, number: int) -> bool:
        """Whether the process has ended."""
        return self._children[number].poll() is not None

    def discard(self, number: int) -> str:
        """Remove what a command left that could not begin, and return what it said."""
        said = log_of(self._folder / str(number))
        shutil.rmtree(self._folder / str(number))
        return f"\n{said}".rpartition("\nghosttape: ")[2].strip()  # warnings stand before the error

    def stop(self, number: int) -> bool:
        """Tell a process to end, as Ctrl-C does; return whether it was running and ours."""
        child = self._children.get(number)
        if child is None or child.poll() is not None:
            return False
        child.send_signal(signal.SIGINT)
        return True

    def close(self) -> None:
        """End all processes that still run, kill those that do not end soon, and remove what has not begun."""
        for number in [number for number in self._children if self.stop(number)]:
            try:
                self._children[number].wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._children[number].kill()
                self._children[number].wait()
        for number in self._children:
            if self.has_ended(number) and not self.has_begun(number):
                shutil.rmtree(self._folder / str(number), ignore_errors=True)

    def _new_place(self) -> tuple[int, Path]:
        self._folder.mkdir(exist_ok=True)
        for number in count(1):
            try:
                (self._folder / str(number)).mkdir()
            except FileExistsError:
                continue
            return number, self._folder / str(number)
        raise AssertionError("numbers have no end")
