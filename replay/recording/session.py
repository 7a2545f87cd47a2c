"""A recording under way: a thread of its own, so that neither a slow disk nor a long text ever holds a completion up.

The server's thread only puts what happens, with its time, into a queue. Everything else is done here.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from replay.errors import ReplayError
from replay.recording.errors import RecordingStopped
from replay.recording.intake import Intake
from replay.recording.journal import Journal
from replay.recording.redaction import Redactor
from replay.recording.workspace import Project, project_of
from replay.tape import Header
from server.happenings import Closed, Ended, Greeted, Happening, Saved

FLUSH_S = 0.5
"""The longest that an event waits before it is written; less than a second, with what writing takes."""
_MOST_WAITING = 20_000
_GOODBYE_S = 5.0
_log = logging.getLogger("ghosttape.recording")


class Session:
    """Records one session of a server into a folder. Call it with each happening; after `Ended` all is written.

    `tell` is called from the recording's thread with a message for the person: once if the recording cannot go on, and once
    if a document is too long for it.
    """

    def __init__(
        self,
        folder: Path,
        greeted: Greeted,
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self._greeted, self._tell, self._clock = folder, greeted, tell, clock
        self.created = datetime.now(UTC)
        self._began = clock()
        self._queue: queue.SimpleQueue[tuple[float, Happening]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ghosttape recording", daemon=True)
        self._thread.start()

    def __call__(self, happening: Happening) -> None:
        """Take note of something that happened; returns at once, but for `Ended`, which waits until all is written."""
        if not self._thread.is_alive():
            return
        self._queue.put((self._clock(), happening))
        if isinstance(happening, Ended):
            self._thread.join(_GOODBYE_S)

    def _run(self) -> None:
        try:
            self._record()
        except ReplayError as error:
            self._stopped(str(error))
        except Exception as error:  # noqa: BLE001 - the top of a thread: whatever it is, the editor goes on
            _log.exception("the recording failed")
            self._stopped(f"an error in the recorder: {type(error).__name__}")

    def _stopped(self, reason: str) -> None:
        _log.warning("recording stopped: %s", reason)
        self._warned(f"ghosttape has stopped recording this session. {reason}")

    def _warned(self, message: str) -> None:
        with suppress(RuntimeError):  # the server is gone already
            self._tell(message)

    def _record(self) -> None:
        project = project_of(self._greeted.folders)
        if project is None:
            raise RecordingStopped("No folder is open, and only files in the folders of a workspace are recorded.")
        redactor = Redactor()
        intake = Intake(project.exclusion(), redactor, self._warned)
        with Journal(self.folder, self._header(project), redactor) as journal:
            while self._follow(intake, redactor, journal):
                pass

    def _header(self, project: Project) -> Header:
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

    def _follow(self, intake: Intake, redactor: Redactor, journal: Journal) -> bool:
        """Take in what happens until it is time to write, and write; whether there is more to come."""
        happening: Happening | None = None
        due = None if redactor.is_idle else self._clock() + FLUSH_S
        while not isinstance(happening, Saved | Closed | Ended) and (due is None or self._clock() < due):
            try:
                stamp, happening = self._queue.get(timeout=None if due is None else max(0.0, due - self._clock()))
            except queue.Empty:
                break
            intake.take(round((stamp - self._began) * 1000, 3), happening)
            due = stamp + FLUSH_S if due is None else due
            if self._queue.qsize() > _MOST_WAITING:
                raise RecordingStopped("The disk is too slow for it.")
        journal.flush(last=isinstance(happening, Closed | Ended))
        return not isinstance(happening, Ended)
