"""Scripts: what a person does, step by step, for the typist to do it key by key."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import msgspec

from corpora.errors import CorpusError
from replay.tape import Tests


class _Step(msgspec.Struct, frozen=True, tag_field="do", tag=str.lower, forbid_unknown_fields=True):
    pass


class Open(_Step, frozen=True):
    """Open a file of the project; one that does not exist yet is empty."""

    path: str
    language: str


class Focus(_Step, frozen=True):
    """Go to the editor of an open document; the cursor is where it was left."""

    path: str


class Goto(_Step, frozen=True):
    """Put the cursor before or after a text that stands once in the document; with neither, at its end."""

    before: str = ""
    after: str = ""


class Mark(_Step, frozen=True):
    """Select a text that stands once in the document; what is typed or pasted next takes its place."""

    text: str


class Type(_Step, frozen=True):
    """Type a text as it is to stand in the end: brackets close and lines indent as editors do it."""

    text: str


class Backspace(_Step, frozen=True):
    """Delete to the left, key by key."""

    count: int


class Paste(_Step, frozen=True):
    """Paste a text at the cursor."""

    text: str


class Rename(_Step, frozen=True):
    """Rename a symbol in several documents at once."""

    old: str
    new: str
    paths: tuple[str, ...]


class Undo(_Step, frozen=True):
    """Take the last typed or pasted step back."""


class Save(_Step, frozen=True):
    """Save the document."""


class Close(_Step, frozen=True):
    """Close the document."""


class Pause(_Step, frozen=True):
    """Think, read, drink: this many ms pass."""

    ms: int


class Run(_Step, frozen=True):
    """Run the tests, and wait `ms` for what came of it."""

    passed: int
    failed: int
    exit: int
    ms: int = 1500


Step: TypeAlias = Open | Focus | Goto | Mark | Type | Backspace | Paste | Rename | Undo | Save | Close | Pause | Run


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A session to be typed: in which folder (beside the tape), how it is tested, with which seed, and its steps.

    `files` are the texts of the folder's files that the steps open; line ends as they are.
    """

    id: str
    folder: str
    seed: int
    created: str
    tests: Tests
    steps: tuple[Step, ...]
    files: dict[str, str] = {}


def read_script(path: Path, demo: Path) -> Script:
    """Read a script (TOML) and what it opens of its folder in `demo`.

    Raises:
        CorpusError: the file cannot be read or does not follow the form of a script.

    """
    try:
        script = msgspec.toml.decode(path.read_bytes(), type=Script)
    except (OSError, msgspec.DecodeError) as error:
        raise CorpusError(f"{path}: is no script: {error}") from error
    opened = {step.path: demo / script.folder / step.path for step in script.steps if isinstance(step, Open)}
    files = {name: _text(file) for name, file in opened.items() if file.exists()}
    return msgspec.structs.replace(script, files=files)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")
