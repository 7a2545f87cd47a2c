"""The files of the workspace that are not open: those that git does not ignore, up to a number, read in a thread and again after a change.

Only an editor's session uses them (`context.workspace`). A replay does not, because the project on disk may contain code that its
developer wrote later. The file on disk of an open document is never used.
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
"""The name of the ignore file, its folder, and its patterns."""


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    real: str
    kind: str
    stamp: tuple[int, int]
    snippet: Snippet


@dataclass(slots=True)
class WorkspaceFiles:
    """The files below one or several folders. `refresh` reads the disk; `near` returns what the last `refresh` found.

    With `others`, further folders, paths begin with the name of their folder, and each folder gives its share of `MOST_FILES`.
    """

    root: Path
    others: tuple[Path, ...] = ()
    clock: Callable[[], float] = time.monotonic
    _files: tuple[_File, ...] = ()
    _looked: float | None = None
    _looking: asyncio.Task[None] | None = field(default=None, repr=False)

    def refresh(self) -> None:
        """Start to read the disk again in a thread, if the last read is older than `STALE_S`; return at once."""
        if self._looking is not None and not self._looking.done():
            return
        if self._looked is None or self.clock() - self._looked > STALE_S:
            self._looked = self.clock()
            self._looking = asyncio.create_task(self._look())

    async def settled(self) -> None:
        """Wait until the read is done."""
        if self._looking is not None:
            await self._looking

    def near(self, uri: str, open_uris: Collection[str]) -> tuple[Snippet, ...]:
        """The files of the same kind as a document, without the open ones, sorted by path."""
        shut = {os.path.realpath(_file_of(each)) for each in (uri, *open_uris)}
        kind = _kind(uri)
        return tuple(file.snippet for file in self._files if file.kind == kind and file.real not in shut)

    def close(self) -> None:
        """Stop reading."""
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self) -> None:
        self._files = await asyncio.to_thread(_read_all, (self.root, *self.others), self._files)


def workspace_of(folders: Sequence[str]) -> WorkspaceFiles | None:
    """Those of an editor's folders (URIs) that exist on this disk, without the ones that are in another; None if there are none."""
    paths = (Path(_file_of(folder)) for folder in folders if urlsplit(folder).scheme == "file")
    roots = list(dict.fromkeys(path for path in paths if path.is_absolute() and path.is_dir()))
    tops = [path for path in roots if not any(path != other and path.is_relative_to(other) for other in roots)]
    return WorkspaceFiles(tops[0], tuple(tops[1:])) if tops else None


def _file_of(uri: str) -> str:
    return unquote(urlsplit(uri).path)


def _kind(path: str) -> str:
    """The language of a file; all kinds of JavaScript and TypeScript are one kind."""
    language = language_of(unquote(path))
    if language is None:
        return ""
    return "script" if language.id.startswith(("javascript", "typescript")) else language.id


def _read_all(roots: Sequence[Path], known: Sequence[_File]) -> tuple[_File, ...]:
    """The source files, sorted by path; unchanged files are not read again."""
    before = {file.path: file for file in known}
    found = sorted((path, stamp, root) for root in roots for path, stamp in _walk(root, len(roots)))
    bases = {root: root if len(roots) == 1 else root.parent for root in roots}
    read = (_read(bases[root], path, stamp, before.get(path)) for path, stamp, root in found)
    return tuple(file for file in read if file is not None)


def _read(base: Path, path: str, stamp: tuple[int, int], known: _File | None) -> _File | None:
    if known is not None and known.stamp == stamp:
        return known
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    snippet = Snippet(Path(path).relative_to(base).as_posix(), text)
    chunks(snippet.path, snippet.text)  # parsed here, so that no request has to
    return _File(path, os.path.realpath(path), _kind(path), stamp, snippet)


def _walk(root: Path, shares: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The path and stamp of the source files below a folder, those near its root first, up to its share of `MOST_FILES`."""
    entries = files = 0
    waiting: deque[tuple[str, tuple[_Rule, ...]]] = deque([(str(root), tuple(_rules_above(root)))])
    while waiting:
        folder, rules = waiting.popleft()
        rules = (*rules, *_rules(folder))
        for entry in _listed(folder):
            entries += 1
            if entries > MOST_ENTRIES // shares or files >= MOST_FILES // shares:
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
    """The time of change (ns) and the size (bytes) of a source file; None if it is not a source file or too large."""
    if language_of(entry.name) is None:
        return None
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if 0 < status.st_size <= LARGEST_BYTES else None


def _rules_above(root: Path) -> Iterator[_Rule]:
    """The ignore files of the folders above, up to the root of the repository, the outermost first."""
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
    """Whether `.gitignore` or `.ghosttapeignore` excludes an entry; the nearest file that matches decides."""
    return any(_says(entry, [rule for rule in rules if rule[0] == name]) for name in _IGNORE_FILES)


def _says(entry: os.DirEntry[str], rules: Sequence[_Rule]) -> bool:
    slash = "/" if entry.is_dir(follow_symlinks=False) else ""
    for _, folder, spec in reversed(rules):
        included = spec.check_file(os.path.relpath(entry.path, folder) + slash).include
        if included is not None:
            return included
    return False
