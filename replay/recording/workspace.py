"""What a recording says of the project that it was made in: its folder, its repository and commit, its tests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlsplit

from replay.importers.detect import detect
from replay.recording import git
from replay.recording.credentials import spans
from replay.recording.exclusion import Exclusion, path_of
from replay.tape import Embedded, Git, Tests, Workspace

_FILES, _BYTES = 2_000, 200_000
_TELLING = {
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
class Project:
    """The folder that paths on the tape start from, the workspace's folders in it, and what is known of them.

    `names` has what the paths in a folder begin with, where there are several that are in no repository together.
    """

    base: Path
    folders: tuple[Path, ...]
    workspace: Workspace
    names: Mapping[Path, str] = field(default_factory=dict)

    def exclusion(self) -> Exclusion:
        """Which of its documents are recorded."""
        return Exclusion(self.base, self.folders, self.names)

    def tests(self) -> Tests | None:
        """How it is tested, as those of its tracked files say that could be recorded.

        Nothing if they do not say, if they are too many to look at, or if the command holds what looks like a credential;
        and nothing without a repository: then the tape has only the documents that were opened, and no test would run.
        """
        if not isinstance(self.workspace, Git):
            return None
        paths = list(islice((path for path in _tracked(self.base) if path.suffix in _TELLING), _FILES))
        if len(paths) >= _FILES:
            return None
        found = detect({name: _text(path) for path, name in self.exclusion().allowed(paths).items()})
        return None if found is None or spans(f"{found.setup}\n{found.command}", "tests.sh") else found


def project_of(uris: Sequence[str]) -> Project | None:
    """The project of a workspace, by the URIs of its folders; None if none of them is a folder of this machine.

    The work tree of a git repository is told by URL and commit if all folders are in it, and the URL is one that others can
    use and holds no credential. Paths then start from its top, else from the folder; with several, from the folders' names.
    """
    folders = tuple(dict.fromkeys(folder for uri in uris if (folder := _folder(uri)) is not None))
    if not folders:
        return None
    above = Path(os.path.commonpath(folders))
    top = git.ask(above, "rev-parse", "--show-toplevel").removesuffix("\n")
    commit = git.ask(above, "rev-parse", "HEAD").strip()
    url = cleaned(git.ask(above, "config", "--get", "remote.origin.url").strip())
    if top and commit and url:
        return Project(Path(top).resolve(), folders, Git(url, commit))
    return Project(above, folders, Embedded(), {} if above in folders else _names(folders))


def _folder(uri: str) -> Path | None:
    with suppress(OSError, RuntimeError, ValueError):
        path = path_of(uri)
        return path.resolve() if path is not None and path.is_dir() else None
    return None


def _names(folders: Sequence[Path]) -> dict[Path, str]:
    """A name for each folder that is in no other, with a slash: its own, with a number if another has it too."""
    names: dict[Path, str] = {}
    for folder in folders:
        if not any(folder != other and folder.is_relative_to(other) for other in folders):
            wanted = (f"{folder.name}{f'-{number}' if number > 1 else ''}/" for number in count(1))
            names[folder] = next(name for name in wanted if name not in names.values())
    return names


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
