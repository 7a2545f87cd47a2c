"""The events of crowd-code 2.0: what was seen (observations) and what was done (actions).

Lines of an observation count from 1, those of a selection from 0; offsets and lengths are UTF-16 code units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeAlias

import msgspec

from replay.tapes.tape import Count


class _Form(msgspec.Struct, frozen=True, rename="camel"):
    pass


class ChunkEvent(_Form, frozen=True):
    """One event of a chunk; it has the members that belong to its `type`."""

    sequence: int
    timestamp: float
    type: str
    action: dict[str, Any] = {}
    observation: dict[str, Any] = {}
    snapshot_id: str = ""


class Diff(_Form, frozen=True):
    """A change: the replaced range, and the new text."""

    range_offset: Count
    range_length: Count
    text: str


class EditAction(_Form, frozen=True):
    """The person, or an assistant in the active window, changed a document."""

    file: str
    diff: Diff
    reason: str | None = None


class EditorPosition(_Form, frozen=True):
    """A line and a UTF-16 character, both from 0."""

    line: Count
    character: Count


class SelectionAction(_Form, frozen=True):
    """The cursor moved without an edit."""

    file: str
    selection_start: EditorPosition
    selection_end: EditorPosition


class TabSwitch(_Form, frozen=True):
    """A document's editor became the active one."""

    file: str


class TerminalCommand(_Form, frozen=True):
    """A command line was started."""

    command: str


class FileChange(_Form, frozen=True):
    """A file changed on disk, but not by the person's edits: `diff` is a unified patch."""

    file: str
    source: str
    change_type: str
    diff: str | None = None


class Viewport(_Form, frozen=True):
    """The visible lines of a document."""

    file: str
    start_line: Annotated[int, msgspec.Meta(ge=1)]
    content: str


class Terminal(_Form, frozen=True):
    """The last lines of a terminal."""

    viewport: tuple[str, ...] = ()


class Observation(_Form, frozen=True):
    """What is on the screen."""

    viewport: Viewport | None = None
    active_terminal: Terminal | None = None


ChunkContent: TypeAlias = EditAction | SelectionAction | TabSwitch | TerminalCommand | FileChange | Observation | None
_ACTIONS: Mapping[str, type[msgspec.Struct]] = {
    "edit": EditAction,
    "selection": SelectionAction,
    "tab_switch": TabSwitch,
    "terminal_command": TerminalCommand,
    "file_change": FileChange,
}


def content_of_event(event: ChunkEvent) -> Any:
    """The content of an event, an `ChunkContent`; None if its kind is unknown.

    Raises msgspec.ValidationError if an event of a known kind lacks a member.
    """
    if event.type == "observation":
        return msgspec.convert(event.observation, Observation)
    form = _ACTIONS.get(str(event.action.get("kind"))) if event.type == "action" else None
    return None if form is None else msgspec.convert(event.action, form)


def files_in(events: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The names of files inside the workspace in actions."""
    for event in events:
        action = event.get("action")
        file = action.get("file") if isinstance(action, dict) else None
        if isinstance(file, str) and file[:1] not in {"/", ""} and file[1:2] != ":":
            yield file
