"""The typist: types a script key by key, as an editor reports it. Pure; chance comes from the script's seed.

It follows what recorded sessions show: an opening bracket comes with its closer in one edit, typing the closer passes over it,
Enter indents, Enter between braces opens a line between them, Enter on a line of white space removes that white space, and
the cursor is reported after each edit.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

from corpora.errors import ScriptError
from corpora.typing import script as steps
from corpora.typing.editor_buffer import EditorBuffer
from replay.tapes import tape
from replay.tapes.tape import Event, Reason, Tape, digest
from syntax.text import Change, minimal

EDITOR = "typist"
_NEIGHBOURS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_Changes: TypeAlias = Sequence[tuple[int, int, str]]


def build(script: steps.TypingScript, rhythm: Rhythm | None = None) -> Tape:
    """Type a script; the same script gives the same tape, byte for byte.

    Raises:
        ScriptError: a step is impossible at its place.

    """
    typist = _Typist(script, rhythm or measured_rhythm())
    for number, step in enumerate(script.steps, 1):
        try:
            typist.do(step)
        except (LookupError, ValueError) as error:
            raise ScriptError(script.id, number, str(error)) from error
    header = tape.Header(
        tape=1,
        id=script.id,
        editor=EDITOR,
        origin="synthesised",
        workspace=tape.Folder(script.folder),
        tests=script.tests,
        created=script.created,
    )
    return Tape(header, (*typist.events, *typist.checkpoints()))


def neighbour(letter: str, chance: random.Random) -> str:
    """A letter of a neighbouring key, in the same case; other characters are returned unchanged."""
    row = next((row for row in _NEIGHBOURS if letter.lower() in row), "")
    if not row:
        return letter
    at = row.index(letter.lower())
    wrong = row[at + 1] if at == 0 or (at + 1 < len(row) and chance.random() < 0.5) else row[at - 1]
    return wrong.upper() if letter.isupper() else wrong


class _Typist:
    """The clock, the events so far, and the documents; `here` is the document with the focus."""

    def __init__(self, script: steps.TypingScript, rhythm: Rhythm) -> None:
        self.script, self.rhythm = script, rhythm
        self.chance = random.Random(script.seed)  # noqa: S311  # a rhythm, not a secret
        self.clock = 0
        self.events: list[Event] = []
        self.buffers: dict[str, EditorBuffer] = {}
        self.open: set[str] = set()
        self.here = EditorBuffer(-1, "", "plaintext", "")
        self.pace: Pace = "jump"

    def do(self, step: steps.ScriptStep) -> None:
        """Do one step."""
        match step:
            case steps.TypeStep():
                self._type(step.text)
            case steps.BackspaceStep():
                self._remember()
                for _ in range(step.count):
                    self._backspace(1)
            case steps.PasteStep():
                self._remember()
                self._replace_selection(self.here.with_line_ends(step.text), "paste", "line")
            case steps.UndoStep():
                self._undo()
            case steps.RenameStep():
                self._rename(step)
            case steps.GotoStep() | steps.MarkStep():
                self._look(step)
            case _:
                self._manage(step)

    def checkpoints(self) -> list[Event]:
        """A checkpoint for each open document at the end."""
        self._wait("jump")
        return [tape.State(self.clock, buffer.doc, digest(buffer.text)) for buffer in self._shown()]

    def _shown(self) -> list[EditorBuffer]:
        return [buffer for path, buffer in self.buffers.items() if path in self.open]

    def _manage(self, step: steps.ScriptStep) -> None:
        self._wait("line")
        match step:
            case steps.OpenStep():
                self._open(step)
            case steps.FocusStep():
                self._focus(step.path)
            case steps.SaveStep():
                self.events.append(tape.Save(self.clock, self.here.doc))
            case steps.CloseStep():
                self.open.discard(self.here.path)
                self.events.append(tape.Close(self.clock, self.here.doc))
            case steps.PauseStep():
                self.clock += step.ms
            case steps.RunStep():
                self.clock += step.ms
                command = self.script.tests.command
                self.events.append(tape.Run(self.clock, command, step.passed, step.failed, step.exit))

    def _open(self, step: steps.OpenStep) -> None:
        text = self.script.files.get(step.path, "")
        self.buffers[step.path] = EditorBuffer(len(self.buffers), step.path, step.language, text)
        self.open.add(step.path)
        self.events.append(tape.Open(self.clock, len(self.buffers) - 1, step.path, step.language, text))

    def _focus(self, path: str) -> None:
        self.here = self._sheet(path)
        self.events.append(tape.Focus(self.clock, self.here.doc))
        self._report()

    def _sheet(self, path: str) -> EditorBuffer:
        if path not in self.open:
            raise ValueError(f"{path} is not open")
        return self.buffers[path]

    def _look(self, step: steps.GotoStep | steps.MarkStep) -> None:
        self._wait("jump")
        if isinstance(step, steps.MarkStep):
            self.here.mark(step.text)
        else:
            self.here.go(step.before, step.after)
        self._report()
        self.pace = "line"

    def _wait(self, pace: Pace) -> None:
        self.clock += self.rhythm.draw(self.chance, pace)

    def _report(self) -> None:
        """Report the cursor, as editors do a moment after the edit."""
        self.clock += self.chance.randint(1, 3)
        self.events.append(tape.Select(self.clock, self.here.doc, (self.here.selected(),)))

    def _remember(self) -> None:
        self.here.before_step = (self.here.text, self.here.cursor)

    def _edit(self, changes: _Changes, cursor: int, reason: Reason, pace: Pace) -> None:
        """One edit event; `changes` and `cursor` are indices, the cursor into the text after it."""
        self._wait(pace)
        edit = tape.Edit(self.clock, self.here.doc, self.here.change(changes, cursor), reason)
        self.events.append(edit)
        self._report()

    def _replace_selection(self, text: str, reason: Reason, pace: Pace) -> None:
        start, end = self.here.selection
        self._edit([(start, end, text)], start + len(text), reason, pace)

    def _type(self, text: str) -> None:
        self._remember()
        at = 0
        while at < len(text):
            at += self._newline(text, at) if text[at] == "\n" else self._key_or_typo(text, at)

    def _key_or_typo(self, text: str, at: int) -> int:
        if text[at].isalpha() and text[at].isascii() and self.chance.random() < self.rhythm.chosen.typo:
            self._typo(text, at)
        self._key(text[at])
        return 1

    def _typo(self, text: str, at: int) -> None:
        """Type a wrong letter and a few more letters, then delete them."""
        unnoticed = re.match(
            r"[A-Za-z]*", text[at + 1 : at + 1 + self.chance.randint(0, self.rhythm.chosen.noticed_after)]
        )
        wrong = neighbour(text[at], self.chance) + (unnoticed[0] if unnoticed else "")
        for letter in wrong:
            self._key(letter)
        self.pace = "line"
        for _ in wrong:
            self._backspace(1)

    def _key(self, key: str) -> None:
        pace, self.pace = self.pace, "key"
        here = self.here
        if here.writes_over(key):
            at = here.cursor
            here.closers.remove(at)
            self._edit([(at, at + 1, key)], at + 1, "type", pace)
        elif closer := here.closer_for(key):
            at = here.cursor
            self._edit([(at, at, key + closer)], at + 1, "type", pace)
            here.closers.append(at + 1)
        else:
            self._replace_selection(key, "type", pace)

    def _backspace(self, count: int) -> None:
        pace, self.pace = self.pace, "key"
        start, end = self.here.selection
        if start == end:
            start = end - count
        if start < 0:
            raise ValueError("there is no text left of the cursor")
        self._edit([(start, end, "")], start, "delete", pace)

    def _newline(self, text: str, at: int) -> int:
        """Begin the next line of the text. Returns the number of characters of the text that this types."""
        rest = text[at + 1 :]
        wanted = rest[: len(rest) - len(rest.lstrip(" "))]
        over = self.here.next_line_closes(wanted, rest[len(wanted) :])
        if over:
            return self._step_over(over, 1 + len(wanted) + 1)
        self._enter()
        if rest[len(wanted) :][:1] != "\n":
            self._indent(len(wanted))
        return 1 + len(wanted)

    def _step_over(self, to: int, taken: int) -> int:
        """Move the cursor after the closing brace that the next line already has."""
        self._wait("line")
        self.here.closers = [closer for closer in self.here.closers if closer != to - 1]
        self.here.place(to)
        self._report()
        return taken

    def _enter(self) -> None:
        changes, cursor = self.here.enter()
        self._edit(changes, cursor, "type", "key")
        self.pace = "line"

    def _indent(self, wanted: int) -> None:
        """Replace the indentation that Enter inserted by the text's own."""
        unit = self.here.unit
        while (given := self.here.indent_here()) > wanted:
            self._backspace(given - max(wanted, (given - 1) // unit * unit))
        if given < wanted:
            self._replace_selection(" " * (wanted - given), "type", "key")
        self.pace = "line"

    def _undo(self) -> None:
        if self.here.before_step is None:
            raise ValueError(f"{self.here.path}: there is nothing to undo")
        text, cursor = self.here.before_step
        self.here.before_step = None
        start, end, new = self.here.to_indices(minimal(self.here.text, self.here.whole(text)))
        self._edit([(start, end, new)], cursor, "undo", "jump")

    def _rename(self, step: steps.RenameStep) -> None:
        self._wait("jump")
        for path in step.paths:
            buffer = self._sheet(path)
            found = list(re.finditer(rf"\b{re.escape(step.old)}\b", buffer.text))
            if not found:
                raise ValueError(f"{path} does not have {step.old}")
            changes = [(match.start(), match.end(), step.new) for match in found]
            before = sum(match.end() <= buffer.cursor for match in found)
            cursor = buffer.cursor + before * (len(step.new) - len(step.old))
            written: tuple[Change, ...] = buffer.change(changes, cursor)
            self.events.append(tape.Edit(self.clock, buffer.doc, written))
        self._report()


# The rhythm of typing: gaps drawn from measured quantiles.

Pace: TypeAlias = Literal["key", "line", "jump"]


class MeasuredGaps(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The measured gaps before a key."""

    source: str
    """The recording that they were measured on."""
    gaps: tuple[tuple[float, float], ...]
    """Quantiles: (share of gaps, the gap in ms below which they are), in rising order."""


class ChosenHabits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters that are chosen, not measured."""

    line_start: tuple[float, float]
    """Part of the measured distribution (shares) for the gap before the first key of a line."""
    jump: tuple[float, float]
    """Part of the measured distribution (shares) for the gap before going elsewhere."""
    typo: float
    """Probability that a letter is wrong."""
    noticed_after: int
    """The most further letters before a typo is noticed."""


class Rhythm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a person types."""

    measured: MeasuredGaps
    chosen: ChosenHabits

    def gap(self, share: float) -> float:
        """The gap in ms below which this share of all gaps is: the inverse distribution function.

        Linear between the measured quantiles; constant below the first and above the last one. For example with the
        quantiles (0.50, 110) and (0.75, 180), the share 0.60 gives 110 + 70 · 0.10 / 0.25 = 138 ms.
        """
        points = self.measured.gaps
        if share <= points[0][0]:
            return points[0][1]
        for (low, below), (high, above) in pairwise(points):
            if share <= high:
                return below + (above - below) * (share - low) / (high - low)
        return points[-1][1]

    def draw(self, chance: random.Random, pace: Pace) -> int:
        """A gap in whole ms; the caller seeds the source of chance."""
        low, high = {"key": (0.0, 1.0), "line": self.chosen.line_start, "jump": self.chosen.jump}[pace]
        return round(self.gap(chance.uniform(low, high)))


@cache
def measured_rhythm() -> Rhythm:
    """The rhythm that comes with the project (`rhythm.toml`)."""
    return msgspec.toml.decode(resources.files("corpora.typing").joinpath("rhythm.toml").read_bytes(), type=Rhythm)
