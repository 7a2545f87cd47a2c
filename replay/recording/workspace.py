"""What a recording says of the project that it was made in: its folder, its repository and commit, its tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from replay.importers.detect import detect
from replay.recording.credentials import spans
from replay.recording.exclusion import Exclusion, is_never, path_of
from replay.tape import Embedded, Git, Tests, Workspace

_GIT_S = 10
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
    """The folder that paths on the tape start from, the workspace's folders in it, and what is known of them."""

    base: Path
    folders: tuple[Path, ...]
    workspace: Workspace

    def exclusion(self) -> Exclusion:
        """Which of its documents are recorded."""
        return Exclusion(self.base, self.folders)

    def tests(self) -> Tests | None:
        """How it is tested, as its own files say.

        Nothing if they do not say, if they are too many to look at, or if the command holds what looks like a credential.
        """
        files: dict[str, str] = {}
        for path in self._files():
            if len(files) >= _FILES:
                return None
            files[path.relative_to(self.base).as_posix()] = _text(path)
        found = detect(files)
        return None if found is None or spans(f"{found.setup}\n{found.command}", "tests.sh") else found

    def _files(self) -> Iterator[Path]:
        for path in _tracked(self.base) if isinstance(self.workspace, Git) else _below(self.base):
            if path.suffix in _TELLING and not is_never(path.relative_to(self.base)):
                yield path


def project_of(uris: Sequence[str]) -> Project | None:
    """The project of a workspace, by the URIs of its folders; None if none of them is a folder of this machine.

    The work tree of a git repository is told by URL and commit if all folders are in it, and the URL is one that others can
    use and holds no credential. Paths then start from its top, else from the folder, or the one above all folders.
    """
    paths = [path for uri in uris if (path := path_of(uri)) is not None and path.is_dir()]
    folders = tuple(path.resolve() for path in paths)
    if not folders:
        return None
    above = Path(os.path.commonpath(folders))
    top = _git(above, "rev-parse", "--show-toplevel")
    commit, url = _git(above, "rev-parse", "HEAD"), cleaned(_git(above, "config", "--get", "remote.origin.url"))
    if top and commit and url:
        return Project(Path(top).resolve(), folders, Git(url, commit))
    return Project(above, folders, Embedded())


def cleaned(url: str) -> str:
    """The URL of a repository without user and password; empty if it is a local path or may hold a credential.

    The user of ssh (`git@`) is no secret and stays.
    """
    parts = urlsplit(url)
    if parts.scheme in {"http", "https", "git", "ssh"} and parts.hostname:
        user = f"{parts.username}@" if parts.scheme == "ssh" and parts.username else ""
        host = parts.netloc.rpartition("@")[2]
        clean = f"{parts.scheme}://{user}{host}{parts.path}"
    elif "://" not in url and ":" in url and "/" not in url.partition(":")[0] and "@" in url.partition(":")[0]:
        clean = url  # git@host:path
    else:
        return ""
    return "" if spans(clean, "url.txt") else clean


def _git(folder: Path, *words: str) -> str:
    with suppress(OSError, subprocess.SubprocessError, UnicodeDecodeError):
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *words],  # nothing of the repository's is run
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_GIT_S,
        )
        return done.stdout.strip() if done.returncode == 0 else ""
    return ""


def _tracked(base: Path) -> Iterator[Path]:
    return (base / name for name in _git(base, "ls-files", "-z").split("\0") if name)


def _below(base: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(base):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        yield from (Path(folder, name) for name in sorted(files))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace") if path.stat().st_size <= _BYTES else ""
    except OSError:
        return ""
