"""Import of crowd-code 2.0: chunks of observations and actions (docs/importers.md says what is kept).

The recorder never writes a whole document. The text of a document comes from a snapshot of the workspace, from the patch that
created the file, or from the lines that were visible, starting with the first. So a document may be known up to some line
only. The known part grows when more lines become visible. Edits behind it shift what comes after them, but are not applied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from os.path import commonpath
from pathlib import Path
from typing import Any

import msgspec

from replay.importers.building.language_ids import language_id
from replay.importers.building.paths import path_on_tape
from replay.importers.building.tape_builder import ImportedTape, TapeBuilder, changes_between
from replay.importers.building.test_runs import TestWatch
from replay.importers.crowd import chunk_events as form
from replay.importers.crowd.chunk_files import ChunkedRecording, read_recording
from replay.importers.errors import RecordingError, locate
from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.tape import Reason
from syntax.text import Change, length, offset_at

FORMAT = "crowd-code@2"
_REASONS: dict[str | None, Reason] = {"undo": "undo", "redo": "redo"}


def import_chunks(path: Path) -> ImportedTape:
    """Read a recording (a folder of chunks, or one chunk) and replay it once.

    Raises:
        RecordingError: a chunk is malformed or missing, or an event of it cannot have happened.

    """
    importing = _Import(path, read_recording(path))
    importing.run()
    return importing.finish()


def chunks_name(path: Path) -> str:
    """The name of the tape: the name of the recording's folder, or of its file without the endings of the format."""
    name = path.absolute().name
    for ending in (".tar.gz", ".tgz", ".gz", ".json"):
        name = name.removesuffix(ending)
    return (
        name if path.is_dir() or not name.startswith(("chunk_", "source")) else f"{path.absolute().parent.name}-{name}"
    )


class _Import:
    def __init__(self, path: Path, recording: ChunkedRecording) -> None:
        self.path, self.recording = path, recording
        self.builder = TapeBuilder(str(path), FORMAT)
        self.watch = TestWatch()
        self.whole: dict[str, bool] = {}  # document on the tape → whether its end is known
        self.stored: dict[str, str] = {}  # file that is not on the tape → its text
        self.raw: dict[int, Any] = {}  # sequence number → event of the chunk, as it was recorded
        self.terminal: Any = None
        self.active = ""

    def run(self) -> None:
        """Play all events."""
        last = -1
        for file, chunk in self.recording.chunks:
            events = [self._event(file, number, raw) for number, raw in enumerate(chunk.events)]
            self.raw = {event.sequence: raw for event, raw in zip(events, chunk.events, strict=True)}
            for number, group in _grouped(events):
                if group[0].sequence <= last:
                    raise RecordingError(file, number, f"has sequence {group[0].sequence} after {last}", "event")
                last = group[-1].sequence
                self._take(file, number, group)

    def finish(self) -> ImportedTape:
        """The tape; the files of the last snapshot that no event opens are the rest of its project."""
        first = self.recording.first
        created_at = datetime.fromtimestamp(first.start_time / 1000, UTC).isoformat(timespec="milliseconds")
        return self.builder.finish(
            chunks_name(self.path),
            editor="vscode",
            created=created_at,
            carried={"sessionId": first.session_id},
            files={path_on_tape(file): text for file, text in self.stored.items()},
        )

    def _event(self, file: Path, number: int, raw: dict[str, Any]) -> form.ChunkEvent:
        with locate(file, number, "event"):
            return msgspec.convert(raw, form.ChunkEvent)

    def _take(self, file: Path, number: int, group: Sequence[form.ChunkEvent]) -> None:
        with locate(file, number, "event"):
            self._take_group(group)

    def _take_group(self, group: Sequence[form.ChunkEvent]) -> None:
        event = group[0]
        t = event.timestamp - self.recording.first.start_time
        match form.content_of_event(event):
            case form.EditAction():
                self._edit(t, group)
            case form.Observation() as observation:
                self._observe(t, event, observation)
            case form.TabSwitch(file):
                self._switch(t, file, event)
            case form.SelectionAction() as selection:
                self._select(t, selection, event)
            case form.FileChange() as change:
                self._change(t, change, event)
            case form.TerminalCommand(command):
                self.watch.started(command)
                self._carry(t, event)
            case _ if event.type == "workspace_snapshot":
                self._snapshot(t, event)
            case _:
                self._carry(t, event)

    def _carry(self, t: float, event: form.ChunkEvent) -> None:
        self.builder.foreign(t, self.raw[event.sequence])

    def _edit(self, t: float, group: Sequence[form.ChunkEvent]) -> None:
        actions: list[form.EditAction] = [form.content_of_event(event) for event in group]
        file, held = actions[0].file, self._held(actions[0].file)
        changes = (
            ()
            if held is None
            else tuple(_within(action.diff, held, whole=self.whole.get(file, False)) for action in actions)
        )
        if held is None or None in changes:
            self._beyond(t, file, group)
            return
        made = [change for change in changes if change is not None]
        self.builder.edit(t, file, made, _REASONS.get(actions[0].reason) or certain_reason(made))

    def _beyond(self, t: float, file: str, group: Sequence[form.ChunkEvent]) -> None:
        """Carry edits in the unknown part of a document; the known part ends before them."""
        for event in group:
            self._carry(t, event)
        if self.builder.is_open(file):
            self.whole[file] = False

    def _held(self, file: str) -> str | None:
        """The known text of an open document."""
        return self.builder.text(file) if self.builder.is_open(file) else None

    def _open(self, t: float, file: str, known: Known) -> None:
        self.builder.open(t, file, language_id(file, known.text), known.text)
        self.whole[file] = known.whole
        self.stored.pop(file, None)

    def _show(self, t: float, file: str) -> None:
        """Open a document of which some text is known, unless it is open."""
        if self.builder.is_open(file):
            return
        held = self.builder.text(file)
        if held is not None:
            self._open(t, file, Known(held, self.whole.get(file, False)))
        elif file in self.stored:
            self._open(t, file, Known(self.stored[file], whole=True))

    def _switch(self, t: float, file: str, event: form.ChunkEvent) -> None:
        self.active = ""
        self._show(t, file)
        if self.builder.is_open(file):
            self.builder.focus(t, file)
            self.active = file
        else:
            self._carry(t, event)

    def _select(self, t: float, selection: form.SelectionAction, event: form.ChunkEvent) -> None:
        held = self._held(selection.file)
        lines = -1 if held is None else held.count("\n")
        if held is None or selection.selection_end.line > lines:
            self._carry(t, event)
            return
        start, end = (
            offset_at(held, *msgspec.structs.astuple(at)) for at in (selection.selection_start, selection.selection_end)
        )
        self.builder.select(t, selection.file, [(start, end)])

    def _observe(self, t: float, event: form.ChunkEvent, observation: form.Observation) -> None:
        if observation.viewport is not None and _is_document(observation.viewport.file):
            self._see(t, observation.viewport)
        terminal = event.observation.get("activeTerminal", event.observation.get("activeTerminals"))
        if terminal and terminal != self.terminal:
            self.terminal = terminal
            shown = "\n".join(observation.active_terminal.viewport) if observation.active_terminal else ""
            self.builder.foreign(t, {"activeTerminal": terminal}, self._run(t, shown))

    def _run(self, t: float, shown: str) -> Any:
        """The test run whose summary the terminal shows below the last command line."""
        _, command, output = shown.rpartition(f"$ {self.watch.command}\n")
        return self.watch.printed(t, output) if command else None

    def _see(self, t: float, window: form.Viewport) -> None:
        """Compare a document with its visible lines; where they differ, the visible lines are right."""
        file = window.file
        self._show(t, file)
        held = self._held(file)
        known = None if held is None else Known(held, self.whole.get(file, False))
        now = seen(known, window.start_line - 1, window.content)
        if now is None:
            return
        if known is None:
            self._open(t, file, now)
        elif now == known:
            self.builder.checkpoints += 1
        else:
            self._correct(t, file, known, now)
        if self.active != file:
            self.builder.focus(t, file)
            self.active = file

    def _correct(self, t: float, file: str, known: Known, now: Known) -> None:
        self.builder.edit(t, file, changes_between(known.text, now.text), "external")
        self.whole[file] = now.whole
        self.builder.resynchronised += not now.text.startswith(known.text)

    def _change(self, t: float, change: form.FileChange, event: form.ChunkEvent) -> None:
        file = change.file
        if change.change_type == "create" and self._held(file) is None and (text := created(change.diff)) is not None:
            self._open(t, file, Known(text, whole=True))
            return
        if change.change_type == "delete":
            self.stored.pop(file, None)
            if self.builder.is_open(file):
                self.builder.close(t, file)
                return
        elif change.diff and self._patch(t, change):
            return
        self._carry(t, event)

    def _patch(self, t: float, change: form.FileChange) -> bool:
        """Apply a patch; false if it does not fit the known text."""
        self._show(t, change.file)
        held, patch = self._held(change.file), hunks(change.diff or "")
        if held is None:
            return False
        text = patched(held, patch, whole=self.whole.get(change.file, False))
        if text is None or text == held:
            return False
        reason: Reason = "agent" if change.source == "agent" else "external"
        self.builder.edit(t, change.file, changes_between(held, text), reason)
        return True

    def _snapshot(self, t: float, event: form.ChunkEvent) -> None:
        """Note the text of each file on disk; an open document may differ, because it may be unsaved."""
        self._carry(t, event)
        texts = {path.replace("\\", "/"): text for path, text in self.recording.snapshot(event.snapshot_id).items()}
        root = self._root(list(texts))
        for path, text in texts.items():
            if path.startswith(f"{root}/"):
                self._learn(t, path[len(root) + 1 :], text)

    def _learn(self, t: float, file: str, text: str) -> None:
        held = self.builder.text(file)
        if held is None:
            self.stored[file] = text
        elif not self.whole.get(file, False) and text.startswith(held) and self.builder.is_open(file):
            if text != held:
                self.builder.edit(t, file, changes_between(held, text), "external")
            self.whole[file] = True
        elif text == held:
            self.builder.checkpoints += 1

    def _root(self, paths: Sequence[str]) -> str:
        """The folder of the workspace: the one with most of the files that actions name."""
        roots: Counter[str] = Counter()
        for file in {file for _, chunk in self.recording.chunks for file in form.files_in(chunk.events)}:
            roots.update(path[: -len(file) - 1] for path in paths if path.endswith(f"/{file}"))
        if roots:
            return roots.most_common(1)[0][0]
        return commonpath([path.rpartition("/")[0] or "/" for path in paths]) if paths else ""


def _is_document(file: str) -> bool:
    return bool(file) and not file.startswith("extension-output-") and not file.endswith(".ipynb")


def _within(diff: form.Diff, held: str, *, whole: bool) -> Change | None:
    """A change of the known part of a document, cut off at its end; None if the change is after it."""
    end, size = diff.range_offset + diff.range_length, length(held)
    if end > size and (whole or diff.range_offset > size):
        return None
    return diff.range_offset, min(end, size), diff.text


def _grouped(events: Sequence[form.ChunkEvent]) -> Iterator[tuple[int, list[form.ChunkEvent]]]:
    """Events with their numbers; the edits of one change with several cursors are one group."""
    at = 0
    while at < len(events):
        end = at + 1
        while end < len(events) and _belongs(events[end - 1], events[end]):
            end += 1
        yield at, list(events[at:end])
        at = end


def _belongs(last: form.ChunkEvent, event: form.ChunkEvent) -> bool:
    """Whether an edit belongs to the same change as the last: VS Code sends them from a document's end to its start."""
    one, other = _span(last), _span(event)
    if one is None or other is None or last.timestamp != event.timestamp:
        return False
    return one[0] == other[0] and other[2] <= one[1] and other[1] < one[1]


def _span(event: form.ChunkEvent) -> tuple[str, int, int] | None:
    """Document, start and end of an edit; None for other events (a malformed edit is refused later)."""
    try:
        action = msgspec.convert(event.action, form.EditAction)
    except (msgspec.ValidationError, UnicodeEncodeError):  # a name with half of a surrogate pair
        return None
    start = action.diff.range_offset
    return action.file, start, start + action.diff.range_length


# Unified patches as jsdiff's `createTwoFilesPatch` writes them: lines end at LF alone, a CR belongs to its
# line.

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines, each with its LF, before and after the patch; `at` is their line number, from 0."""

    at: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def hunks(patch: str) -> tuple[Hunk, ...]:
    """The hunks of a patch of one file; other lines are skipped."""
    return tuple(_hunks(patch.split("\n")))


def created(patch: str | None) -> str | None:
    """The text of a file that a patch creates; None if the patch changes an older text."""
    made = hunks(patch or "")
    return None if any(hunk.old for hunk in made) else "".join(line for hunk in made for line in hunk.new)


def patched(text: str, patch: Sequence[Hunk], *, whole: bool = True) -> str | None:
    """The text after a patch, applied exactly at its line numbers; None if it does not fit there.

    If the end of the text is unknown (`whole` is false), hunks after the known part are left out.
    """
    lines = _lines(text)
    for hunk in reversed(patch):
        if not whole and hunk.at + len(hunk.old) > len(lines):
            continue
        if tuple(lines[hunk.at : hunk.at + len(hunk.old)]) != hunk.old:
            return None
        lines[hunk.at : hunk.at + len(hunk.old)] = hunk.new
    return "".join(lines)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [*(part + "\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    number = 0
    while number < len(lines):
        head = _HUNK.match(lines[number])
        number += 1
        if head is None:
            continue
        start, wanted, new_wanted = int(head[1]), int(head[2] or 1), int(head[4] or 1)
        old, new, number = _body(lines, number, wanted, new_wanted)
        yield Hunk(start - 1 if wanted else start, tuple(old), tuple(new))


def _body(lines: Sequence[str], number: int, wanted: int, new_wanted: int) -> tuple[list[str], list[str], int]:
    old: list[str] = []
    new: list[str] = []
    while number < len(lines):
        kind, line = lines[number][:1], lines[number][1:] + "\n"
        if kind == "\\":
            _unended(lines[number - 1][:1], old, new)
        elif len(old) >= wanted and len(new) >= new_wanted:
            break
        else:
            old += [line] if kind in {" ", "-"} else []
            new += [line] if kind in {" ", "+"} else []
        number += 1
    return old, new, number


def _unended(kind: str, old: list[str], new: list[str]) -> None:
    """Remove the LF of the line before: it is the last line of the file, and has none."""
    for lines, kinds in ((old, " -"), (new, " +")):
        if kind in kinds and lines:
            lines[-1] = lines[-1].removesuffix("\n")


# The known part of a document of which only a few lines are visible at a time.

_AHEAD = 200
"""Lines below the window in which its last line is looked for."""


@dataclass(frozen=True, slots=True)
class Known:
    """The beginning of a document's text; `whole` says that it is all of it."""

    text: str
    whole: bool


def seen(known: Known | None, start: int, content: str) -> Known | None:
    """The known part of a document after the lines from `start` (from 0) were visible.

    None if there are unknown lines between the known part and the window. Where the window differs from the known text, the
    window is right: the known text continues after the window's last line. If that line is not found, the rest is
    unknown.
    """
    if known is None:
        return Known(content, whole=False) if start == 0 else None
    end = "\r\n" if "\r\n" in known.text or "\r\n" in content else "\n"
    lines, window = known.text.split(end), content.split(end)
    if start > len(lines):
        return None
    below = lines[start:]
    if below[: len(window)] == window:
        return known
    rest = _below(below, window)
    text = end.join([*lines[:start], *window, *(rest or ())])
    return Known(text, whole=known.whole and rest is not None)


def _below(lines: Sequence[str], window: Sequence[str]) -> Sequence[str] | None:
    """The known lines after the window; None if the window's last line is not among them."""
    near = lines[: len(window) + _AHEAD]
    for block in SequenceMatcher(None, near, window, autojunk=False).get_matching_blocks():
        if block.size and block.b + block.size == len(window):
            return lines[block.a + block.size :]
    return None
