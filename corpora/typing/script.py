"""Scripts: the steps of a session, which the typist carries out key by key."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import msgspec

from corpora.errors import CorpusError
from replay.tapes.tape import Tests


def _tag(name: str) -> str:
    """The name of a kind of step in a script: `open` for `OpenStep`."""
    return name.removesuffix("Step").lower()


class _Step(msgspec.Struct, frozen=True, tag_field="do", tag=_tag, forbid_unknown_fields=True):
    pass


class OpenStep(_Step, frozen=True):
    """Open a file of the project; a new file is empty."""

    path: str
    language: str


class FocusStep(_Step, frozen=True):
    """Go to the editor of an open document; the cursor is where it was left."""

    path: str


class GotoStep(_Step, frozen=True):
    """Move the cursor before or after a text that the document has exactly once; with neither, to the end."""

    before: str = ""
    after: str = ""


class MarkStep(_Step, frozen=True):
    """Select a text that the document has exactly once; the next typed or pasted text replaces it."""

    text: str


class TypeStep(_Step, frozen=True):
    """Type a text. It is given as the final text: the editor closes brackets and indents lines."""

    text: str


class BackspaceStep(_Step, frozen=True):
    """Delete to the left, key by key."""

    count: int


class PasteStep(_Step, frozen=True):
    """Paste a text at the cursor."""

    text: str


class RenameStep(_Step, frozen=True):
    """Rename a symbol in several documents at once."""

    old: str
    new: str
    paths: tuple[str, ...]


class UndoStep(_Step, frozen=True):
    """Undo the last step that changed the document."""


class SaveStep(_Step, frozen=True):
    """Save the document."""


class CloseStep(_Step, frozen=True):
    """Close the document."""


class PauseStep(_Step, frozen=True):
    """Let this many ms pass."""

    ms: int


class RunStep(_Step, frozen=True):
    """Run the tests, which takes `ms`."""

    passed: int
    failed: int
    exit: int
    ms: int = 1500


ScriptStep: TypeAlias = (
    OpenStep
    | FocusStep
    | GotoStep
    | MarkStep
    | TypeStep
    | BackspaceStep
    | PasteStep
    | RenameStep
    | UndoStep
    | SaveStep
    | CloseStep
    | PauseStep
    | RunStep
)


class TypingScript(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A session to type."""

    id: str
    """The name of the tape."""
    folder: str
    """The folder of the project, beside the tape."""
    seed: int
    """The seed of gaps and typos."""
    created: str
    """When the session begins (ISO 8601)."""
    tests: Tests
    """How the project is tested."""
    steps: tuple[ScriptStep, ...]
    files: dict[str, str] = {}
    """Path → text of the project's files that the steps open, with their own line ends."""


def read_script(path: Path, demo: Path) -> TypingScript:
    """Read a script (TOML) and the files that it opens from its folder in `demo`.

    Raises:
        CorpusError: the file cannot be read, or is not a script.

    """
    try:
        script = msgspec.toml.decode(path.read_bytes(), type=TypingScript)
    except (OSError, msgspec.DecodeError) as error:
        raise CorpusError(f"{path}: is not a script: {error}") from error
    opened = {step.path: demo / script.folder / step.path for step in script.steps if isinstance(step, OpenStep)}
    files = {name: _text(file) for name, file in opened.items() if file.exists()}
    return msgspec.structs.replace(script, files=files)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")
