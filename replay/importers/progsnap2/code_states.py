"""The code states of a ProgSnap2 dataset: the texts of a subject's files, in the forms Table, Directory and Git."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from replay.importers.progsnap2.tables import Tables
from replay.tapes.git_environment import quiet_environment

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
_GIT = ("git", "--no-optional-locks", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")
_KEPT = 256
"""States that are kept in memory: rows of one subject repeat them."""
_HEAD = 8000
"""Bytes of a file in which a NUL makes it binary, as git sees it."""
_SUFFIXES = {
    "python": "py",
    "java": "java",
    "javascript": "js",
    "typescript": "ts",
    "c++": "cpp",
    "c#": "cs",
    "ruby": "rb",
}


class CodeStates(Protocol):
    """Looks up code states."""

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        """Section → text of a row's state; None if the state does not exist. Binary files are left out.

        Raises ValueError if a part of the state cannot be read, or is outside the dataset.
        """
        ...


def code_states(tables: Tables) -> CodeStates:
    """The code states, in the form that the metadata names, else in the form that the folders show."""
    said = tables.metadata.get("CodeStateRepresentation", "").lower()
    root = tables.folder / "CodeStates"
    if said == "git":
        return _Git(root)
    shown = "directory" if root.is_dir() and not (root / "CodeStates.csv").is_file() else "table"
    return _Directory(root) if (said or shown) == "directory" else _Table(tables)


def default_section(tools: str) -> str:
    """The name of the only file of a state without section names: `main`, with the ending of the tools' language."""
    words = re.findall(r"[a-z+#]+", tools.lower())
    return f"main.{next((_SUFFIXES[word] for word in words if word in _SUFFIXES), 'txt')}"


class _Table:
    def __init__(self, tables: Tables) -> None:
        self.find_states = lru_cache(_KEPT)(tables.states)

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        found = self.find_states(cells["CodeStateID"])
        default = cells.get("CodeStateSection") or default_section(cells.get("ToolInstances", ""))
        texts: dict[str, str] = {}
        for section, code in found:
            if texts.setdefault(section or default, code) != code:
                raise ValueError(f"CodeStates has two texts of state {cells['CodeStateID']!r}, {section or default}")
        return texts or None


class _Directory:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.read = lru_cache(_KEPT)(self._read)

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        state = cells["CodeStateID"]
        found = self.read(state)
        return self.read(f"{cells.get('SubjectID', '')}/{state}") if found is None else found

    def _read(self, name: str) -> dict[str, str] | None:
        folder = self.root / name
        if ".." in Path(name).parts or Path(name).is_absolute() or not folder.is_dir():
            return None
        _require_within(self.root, folder)
        files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
        texts = ((file.relative_to(folder).as_posix(), _text(str(file), file.read_bytes())) for file in files)
        return {section: text for section, text in texts if text is not None}


class _Git:
    """Git repositories; only objects are read, so nothing that a repository configures is run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.read = lru_cache(_KEPT)(self._read)

    def find(self, cells: Mapping[str, str]) -> dict[str, str] | None:
        path, _, commit = cells["CodeStateID"].rpartition("/")
        if not _COMMIT.fullmatch(commit):
            return None
        subject, project = cells.get("SubjectID", ""), cells.get("ProjectID", "")
        places = dict.fromkeys((path, f"{subject}/{project}", subject, project, ""))
        repository = next((found for place in places if (found := _repository(self.root, place))), None)
        return None if repository is None else self.read(repository, commit)

    def _read(self, repository: Path, commit: str) -> dict[str, str] | None:
        if _git(repository, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
            return None
        listed = _output(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
        return dict(_blobs(repository, listed.decode("utf-8", "replace")))


def _repository(root: Path, place: str) -> Path | None:
    folder = root / place
    if ".." in Path(place).parts or Path(place).is_absolute():
        return None
    found = next((found for found in (folder / ".git", folder) if (found / "HEAD").is_file()), None)
    if found is not None:
        _require_within(root, found)
    return found


def _require_within(root: Path, folder: Path) -> None:
    """Refuse a folder that is a link to outside the dataset; `root` is the folder of code states."""
    if not folder.resolve().is_relative_to(root.parent.resolve()):
        raise ValueError(f"{folder} is a link that leads out of the dataset: put the files themselves there")


def _blobs(repository: Path, listed: str) -> Iterator[tuple[str, str]]:
    for line in listed.split("\0"):
        head, _, path = line.partition("\t")
        mode, kind, name = (*head.split(), "", "", "")[:3]
        if kind == "blob" and mode.startswith("100"):
            text = _text(f"{repository}: {path}", _output(repository, "cat-file", "blob", name))
            if text is not None:
                yield path, text


def _output(repository: Path, *arguments: str) -> bytes:
    done = _git(repository, *arguments)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise ValueError(f"{repository}: `git {' '.join(arguments)}` fails: {said}")
    return done.stdout


def _git(repository: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = quiet_environment(os.environ) | {"GIT_CONFIG_NOSYSTEM": "1"}
    command = [*_GIT, f"--git-dir={repository}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False, env=environment)
    except OSError as error:
        raise ValueError(f"git cannot be run ({error.strerror}): install it") from error


def _text(place: str, content: bytes) -> str | None:
    """The text of a file; None if it is binary. `place` names it in errors."""
    if b"\0" in content[:_HEAD]:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place} is not text in UTF-8 ({error.reason} at byte {error.start})") from error
