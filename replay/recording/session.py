"""A recording in progress. It has its own thread, so that neither a slow disk nor a long text delays a completion.

The server's thread only puts editor events with their times into a queue. The recording's thread does everything else.
"""

from __future__ import annotations

import logging
import math
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlsplit

from replay.errors import ReplayError
from replay.importers.building.project_tests import detect_tests
from replay.recording import git
from replay.recording.errors import RecordingStopped
from replay.recording.journal import Journal, check_folder
from replay.recording.pipeline import RecordingPipeline
from replay.recording.secrets.credentials import spans
from replay.recording.secrets.exclusion import Exclusion, path_of
from replay.recording.secrets.redaction import Redactor
from replay.recording.secrets.workspace_secrets import SLICE_S, WorkspaceSecrets
from replay.tapes.tape import Embedded, Git, Header, Tests, Workspace
from server import api_keys
from server.lsp.editor_events import (
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
        redactor.know_values(api_keys.known())
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


# The project of a recording: its folder, its repository and commit, its tests.

_FILES, _BYTES = 2_000, 200_000
_SUFFIXES = {
    ".py",
    ".js",
    ".cjs",
    ".mjs",
    ".ts",
    ".cts",
    ".mts",
    ".jsx",
    ".tsx",
    ".json",
    ".toml",
    ".cfg",
    ".ini",
    ".txt",
}


@dataclass(frozen=True, slots=True)
class RecordedProject:
    """The project that is open in the editor."""

    base: Path
    """The folder that paths on the tape are relative to."""
    folders: tuple[Path, ...]
    """The folders of the workspace, in `base` or in one of `names`."""
    workspace: Workspace
    """What the header of the tape says about it."""
    names: Mapping[Path, str] = field(default_factory=dict)
    """Folder → prefix of its paths on the tape; only for several folders that no repository contains, and for folders that were added."""

    def exclusion(self) -> Exclusion:
        """The rule which of its documents are recorded."""
        return Exclusion(self.base, self.folders, self.names)

    def with_folders(self, uris: Sequence[str]) -> RecordedProject:
        """The same project in a workspace with other folders. Paths in a new one outside of the known ones begin with its name."""
        folders, names = _folders(uris), dict(self.names)
        has_base = isinstance(self.workspace, Git) or self.base in self.folders
        for folder in folders:
            if not any(folder.is_relative_to(known) for known in (*names, *[self.base] * has_base)):
                names[folder] = _free_name(folder, {*names.values(), *_listed(self.base)})
        return replace(self, folders=folders, names=names)

    def tests(self) -> Tests | None:
        """How it is tested, according to those of its tracked files that may be recorded.

        None if they do not say it, if they are too many, or if the command has what looks like a credential. Also None
        without a repository: then the tape has only the documents that were opened, and no test could run.
        """
        if not isinstance(self.workspace, Git):
            return None
        paths = list(islice((path for path in _tracked(self.base) if path.suffix in _SUFFIXES), _FILES))
        if len(paths) >= _FILES:
            return None
        found = detect_tests({name: _text(path) for path, name in self.exclusion().allowed(paths).items()})
        return None if found is None or spans(f"{found.setup}\n{found.command}", "tests.sh") else found


class OpenProject:
    """The project of a session while its folders come and go, and the rule which documents are recorded."""

    def __init__(self, project: RecordedProject) -> None:
        self._project, self.exclusion = project, project.exclusion()

    def change_folders(self, uris: Sequence[str]) -> None:
        """Go by other folders from now on. Documents that are open stay as they are."""
        self._project = self._project.with_folders(uris)
        self.exclusion.use(self._project.folders, self._project.names)


def project_of(uris: Sequence[str]) -> RecordedProject | None:
    """The project of a workspace, by the URIs of its folders; None if none of them is a folder of this machine.

    A git work tree that contains all folders is recorded as URL and commit, if others can use the URL and it has no
    credential. Then paths are relative to the top of the work tree; else to the folder, or begin with the folder's name if
    there are several.
    """
    folders = _folders(uris)
    if not folders:
        return None
    above = Path(os.path.commonpath(folders))
    top = git.ask(above, "rev-parse", "--show-toplevel").removesuffix("\n")
    commit = git.ask(above, "rev-parse", "HEAD").strip()
    url = cleaned(git.ask(above, "config", "--get", "remote.origin.url").strip())
    if top and commit and url:
        return RecordedProject(Path(top).resolve(), folders, Git(url, commit))
    return RecordedProject(above, folders, Embedded(), {} if above in folders else _names(folders))


def _folders(uris: Sequence[str]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folder for uri in uris if (folder := _folder(uri)) is not None))


def _folder(uri: str) -> Path | None:
    with suppress(OSError, RuntimeError, ValueError):
        path = path_of(uri)
        return path.resolve() if path is not None and path.is_dir() else None
    return None


def _names(folders: Sequence[Path]) -> dict[Path, str]:
    """A prefix for each folder that is in no other folder: its name, with a number if another has the same, and a slash."""
    names: dict[Path, str] = {}
    for folder in folders:
        if not any(folder != other and folder.is_relative_to(other) for other in folders):
            names[folder] = _free_name(folder, names.values())
    return names


def _free_name(folder: Path, taken: Collection[str]) -> str:
    wanted = (f"{folder.name}{f'-{number}' if number > 1 else ''}/" for number in count(1))
    return next(name for name in wanted if name not in taken)


def _listed(folder: Path) -> list[str]:
    """The entries of a folder, each with a slash."""
    with suppress(OSError):
        return [f"{entry.name}/" for entry in folder.iterdir()]
    return []


def cleaned(url: str) -> str:
    """The URL of a repository without user and password; empty if it is a local path or may hold a credential.

    The user of ssh (`git@`) is no secret and stays.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme in {"http", "https", "git", "ssh"} and parts.hostname:
        user = f"{parts.username}@" if parts.scheme == "ssh" and parts.username else ""
        host = parts.netloc.rpartition("@")[2]
        clean = f"{parts.scheme}://{user}{host}{parts.path}"
    elif "://" not in url and ":" in url and "/" not in url.partition(":")[0] and "@" in url.partition(":")[0]:
        clean = url  # git@host:path
    else:
        return ""
    return "" if spans(clean, "url.txt") else clean


def _tracked(base: Path) -> Iterator[Path]:
    return (base / name for name in git.ask(base, "ls-files", "-z").split("\0") if name)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace") if path.stat().st_size <= _BYTES else ""
    except OSError:
        return ""
