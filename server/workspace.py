"""Files of the workspace that are not open: what git would track, read off the event loop, bounded, and kept until they change.

Only an editor's session has this (`context.workspace`). A replay has none, for the project on disk may hold what its developer
wrote later. Of the documents that are open, the one that is being completed among them, the file on disk is never given.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from pathspec import GitIgnoreSpec

from server.context import Snippet
from server.context.chunks import chunks
from syntax.languages import language_of

MOST_FILES = 400
MOST_ENTRIES = 20_000
"""Folder entries looked at in one walk."""
LARGEST_BYTES = 65_536
STALE_S = 5.0
_IGNORE_FILES = (".gitignore", ".ghosttapeignore")
_NEVER = re.compile(
    r"\.(git|hg|svn|ghosttape|ssh|aws)|node_modules|__pycache__|(secret|credential)s?([._-].*)?", re.IGNORECASE
)
_Rule: TypeAlias = tuple[str, str, GitIgnoreSpec]
"""The name of the list, the folder that it is in, and what it says."""


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    real: str
    kind: str
    stamp: tuple[int, int]
    snippet: Snippet


@dataclass(slots=True)
class Workspace:
    """The files below one folder. `refresh` looks at the disk; `near` gives what the last look found."""

    root: Path
    clock: Callable[[], float] = time.monotonic
    _files: tuple[_File, ...] = ()
    _looked: float | None = None
    _looking: asyncio.Task[None] | None = field(default=None, repr=False)

    def refresh(self) -> None:
        """Begin to look at the disk again, in a thread, if the last look is some seconds old; returns at once."""
        if self._looking is not None and not self._looking.done():
            return
        if self._looked is None or self.clock() - self._looked > STALE_S:
            self._looked = self.clock()
            self._looking = asyncio.create_task(self._look())

    async def settled(self) -> None:
        """Wait until the look under way is over."""
        if self._looking is not None:
            await self._looking

    def near(self, uri: str, open_uris: Collection[str]) -> tuple[Snippet, ...]:
        """The files of the same kind as a document, without those that are open, in the order of their paths."""
        shut = {os.path.realpath(_file_of(each)) for each in (uri, *open_uris)}
        kind = _kind(uri)
        return tuple(file.snippet for file in self._files if file.kind == kind and file.real not in shut)

    def close(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self) -> None:
        self._files = await asyncio.to_thread(_read_all, self.root, self._files)


def workspace_of(folders: Sequence[str]) -> Workspace | None:
    """The workspace of an editor that named its folders (URIs): the first that is a folder on this disk."""
    paths = (Path(_file_of(folder)) for folder in folders if urlsplit(folder).scheme == "file")
    return next((Workspace(path) for path in paths if path.is_absolute() and path.is_dir()), None)


def _file_of(uri: str) -> str:
    return unquote(urlsplit(uri).path)


def _kind(path: str) -> str:
    """What a file has in common with those that can be of use to it: its language, with all kinds of JavaScript as one."""
    language = language_of(unquote(path))
    if language is None:
        return ""
    return "script" if language.id.startswith(("javascript", "typescript")) else language.id


def _read_all(root: Path, known: Sequence[_File]) -> tuple[_File, ...]:
    """The files that count, in the order of their paths; what has not changed is not read again."""
    before = {file.path: file for file in known}
    found = sorted(_walk(root), key=lambda entry: entry[0])
    read = (_read(root, path, stamp, before.get(path)) for path, stamp in found)
    return tuple(file for file in read if file is not None)


def _read(root: Path, path: str, stamp: tuple[int, int], known: _File | None) -> _File | None:
    if known is not None and known.stamp == stamp:
        return known
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    snippet = Snippet(Path(path).relative_to(root).as_posix(), text)
    chunks(snippet.path, snippet.text)  # parsed here, so that no request has to
    return _File(path, os.path.realpath(path), _kind(path), stamp, snippet)


def _walk(root: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """Path and stamp of the source files below a folder, those near its root first, until there are enough."""
    entries = files = 0
    waiting: deque[tuple[str, tuple[_Rule, ...]]] = deque([(str(root), tuple(_rules_above(root)))])
    while waiting:
        folder, rules = waiting.popleft()
        rules = (*rules, *_rules(folder))
        for entry in _listed(folder):
            entries += 1
            if entries > MOST_ENTRIES or files >= MOST_FILES:
                return
            if entry.is_symlink() or _NEVER.fullmatch(entry.name) or _is_ignored(entry, rules):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, rules))
            elif (stamp := _stamp(entry)) is not None:
                files += 1
                yield entry.path, stamp


def _listed(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _stamp(entry: os.DirEntry[str]) -> tuple[int, int] | None:
    """When a source file was written (ns) and its size (bytes); None for what is no source file or too large."""
    if language_of(entry.name) is None:
        return None
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if 0 < status.st_size <= LARGEST_BYTES else None


def _rules_above(root: Path) -> Iterator[_Rule]:
    """The lists of the folders above, as far up as the repository goes; the outermost first."""
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    for folder in reversed(root.parents):
        if folder.is_relative_to(top):
            yield from _rules(str(folder))


def _rules(folder: str) -> Iterator[_Rule]:
    for name in (".git/info/exclude", *_IGNORE_FILES):
        try:
            lines = Path(folder, name).read_text("utf-8", "replace").splitlines()
            yield name.replace(".git/info/exclude", ".gitignore"), folder, GitIgnoreSpec.from_lines(lines)
        except (OSError, ValueError):
            continue


def _is_ignored(entry: os.DirEntry[str], rules: Sequence[_Rule]) -> bool:
    """Whether git, or the person with a list of ours, leaves an entry out: the nearest list that says anything decides."""
    return any(_says(entry, [rule for rule in rules if rule[0] == name]) for name in _IGNORE_FILES)


def _says(entry: os.DirEntry[str], rules: Sequence[_Rule]) -> bool:
    slash = "/" if entry.is_dir(follow_symlinks=False) else ""
    for _, folder, spec in reversed(rules):
        included = spec.check_file(os.path.relpath(entry.path, folder) + slash).include
        if included is not None:
            return included
    return False
