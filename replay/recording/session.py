"""A recording in progress. It has its own thread, so that neither a slow disk nor a long text delays a completion.

The server's thread only puts editor events with their times into a queue. The recording's thread does everything else.
"""

from __future__ import annotations

import logging
import math
import queue
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from replay.errors import ReplayError
from replay.recording.errors import RecordingStopped
from replay.recording.journal import Journal, check_folder
from replay.recording.pipeline import RecordingPipeline
from replay.recording.secrets.redaction import Redactor
from replay.recording.secrets.workspace_secrets import SLICE_S, WorkspaceSecrets
from replay.recording.workspace import OpenProject, RecordedProject, project_of
from replay.tapes.tape import Header
from server import keys
from server.lsp.events import (
    ClientInitialized,
    ClientLeft,
    DocumentClosed,
    DocumentSaved,
    EditorEvent,
    FoldersChanged,
)

FLUSH_S = 0.5
"""Seconds that an event waits at most before it is written; with the writing it is less than a second."""
_LOOK_S = 5.0
"""Seconds between two looks for new secrets on the disk while nothing happens in the editor."""
_NEXT_LOOK_S = 1.0
"""The same while some files were not read yet."""
_MOST_WAITING = 20_000
_GOODBYE_S = 60.0
"""Seconds that a server waits at its end for the recording. The VS Code extension waits a little longer (`finishing.ts`)."""
_TOO_MANY_FILES = (
    "ghosttape records this session, but the workspace has more files, or longer ones, than it searches for secrets. A secret of "
    "what it does not search is only left out if it looks like one."
)
_UNFINISHED = (
    "ghosttape ended before it had finished the recording of this session in %s: its end is missing. What was typed is written only "
    "when all excluded files have been read for values that must not be on a tape."
)
_log = logging.getLogger("ghosttape.recording")


class RecordingSession:
    """Records one session of a server into a folder. Call it with each editor event; `ClientLeft` is the last. Then call `finish`.

    `warn` is called from the recording's thread with a message for the person: once if the recording cannot go on, and once
    if a document is too long to be recorded.
    """

    def __init__(
        self,
        folder: Path,
        greeted: ClientInitialized,
        warn: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self._greeted, self._warn, self._clock = folder, greeted, warn, clock
        self.created = datetime.now(UTC)
        self._began = clock()
        self._has_warned = False
        self._patient_until = 0.0
        self._queue: queue.SimpleQueue[tuple[float, EditorEvent]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ghosttape recording", daemon=True)
        self._thread.start()

    def __call__(self, editor_event: EditorEvent) -> None:
        """Record an editor event. Returns at once."""
        if self._thread.is_alive():
            self._queue.put((self._clock(), editor_event))

    def finish(self) -> None:
        """Wait, after `ClientLeft`, until everything is written; not for ever, and then say that the end of the tape is missing."""
        self._patient_until = self._patient_until or self._clock() + _GOODBYE_S
        self._thread.join(max(0.0, self._patient_until - self._clock()))
        if self._thread.is_alive():
            _log.warning(_UNFINISHED, self.folder)
            self._warned(_UNFINISHED % self.folder)

    def _run(self) -> None:
        try:
            self._record()
        except ReplayError as error:
            self._stopped(str(error))
        except Exception as error:  # noqa: BLE001 - the top of a thread: the log and the person get it, and the editor goes on
            _log.exception("the recording failed")
            self._stopped(f"an error in the recorder: {type(error).__name__}")

    def _stopped(self, reason: str) -> None:
        _log.warning("recording stopped: %s", reason)
        self._warned(f"ghosttape has stopped recording this session. {reason}")

    def _warned(self, message: str) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._warn(message)

    def _record(self) -> None:
        project = project_of(self._greeted.folders)
        if project is None:
            raise RecordingStopped("No folder is open, and only files in the folders of a workspace are recorded.")
        check_folder(self.folder)
        opened, redactor = OpenProject(project), Redactor()
        secrets = WorkspaceSecrets(opened.exclusion)
        redactor.know_values(keys.known())
        tells_shown = self._greeted.record is not None and self._greeted.record.tells_shown
        pipeline = RecordingPipeline(
            opened.exclusion, redactor, self._warned, secrets.values_of, tells_shown=tells_shown
        )
        _know_secrets(secrets, redactor, SLICE_S)
        with Journal(self.folder, self._header(project), redactor) as journal:
            parts = _Parts(opened, secrets, pipeline, redactor, journal, self._clock)
            self._warn_of_rest(secrets)
            while self._follow(parts):
                self._warn_of_rest(secrets)

    def _warn_of_rest(self, secrets: WorkspaceSecrets) -> None:
        """Say once that not all is searched for secrets."""
        if secrets.is_cut_off and not self._has_warned:
            self._has_warned = True
            self._warned(_TOO_MANY_FILES)

    def _header(self, project: RecordedProject) -> Header:
        stamp = self.created.strftime("%Y-%m-%dT%H-%M-%S")
        return Header(
            tape=1,
            id=f"{stamp}-{secrets.token_hex(4)}",
            editor=self._greeted.client,
            origin="recorded",
            workspace=project.workspace,
            tests=project.tests(),
            created=self.created.isoformat(timespec="milliseconds"),
        )

    def _follow(self, parts: _Parts) -> bool:
        """Take editor events until it is time to write, then write; false after the last event."""
        editor_event: EditorEvent | None = None
        due = None if parts.redactor.is_idle else self._clock() + FLUSH_S
        while not isinstance(editor_event, DocumentSaved | DocumentClosed | ClientLeft) and (
            due is None or self._clock() < due
        ):
            try:
                idle = _NEXT_LOOK_S if parts.secrets.has_unread else _LOOK_S
                wait = idle if due is None else max(0.0, due - self._clock())
                stamp, editor_event = self._queue.get(timeout=wait)
            except queue.Empty:
                break
            parts.take(round((stamp - self._began) * 1000, 3), editor_event)
            due = stamp + FLUSH_S if due is None else due
            if self._queue.qsize() > _MOST_WAITING:
                raise RecordingStopped("The disk is too slow for the recording.")
        parts.write(editor_event)
        return not isinstance(editor_event, ClientLeft)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a recording consists of."""

    project: OpenProject
    secrets: WorkspaceSecrets
    pipeline: RecordingPipeline
    redactor: Redactor
    journal: Journal
    clock: Callable[[], float]

    def take(self, t: float, editor_event: EditorEvent) -> None:
        if isinstance(editor_event, FoldersChanged):
            self.project.change_folders(editor_event.folders)
            _know_secrets(self.secrets, self.redactor, SLICE_S, at_once=True)
        self.pipeline.take(t, editor_event)

    def write(self, after: EditorEvent | None) -> None:
        """Write what happened, up to an event, without the secrets that are known by now."""
        is_last = isinstance(after, ClientLeft)
        _know_secrets(self.secrets, self.redactor, math.inf if is_last else SLICE_S, at_once=is_last)
        began = self.clock()
        self.journal.flush(last=isinstance(after, DocumentClosed | ClientLeft))
        self.secrets.rest(self.clock() - began)


def _know_secrets(secrets: WorkspaceSecrets, redactor: Redactor, for_s: float, *, at_once: bool = False) -> None:
    """Look for new values on the disk. While files are unread, nothing is written that may have their values."""
    redactor.know_values(secrets.new_values(at_once=at_once, for_s=for_s))
    redactor.holds_back = secrets.has_unread
