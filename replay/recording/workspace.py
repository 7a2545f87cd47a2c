"""The project of a recording: its folder, its repository and commit, its tests."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlsplit

from replay.importers.building.project_tests import detect_tests
from replay.recording import git
from replay.recording.secrets.credentials import spans
from replay.recording.secrets.exclusion import Exclusion, path_of
from replay.tapes.tape import Embedded, Git, Tests, Workspace

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
