"""Reads the files of a workspace that are not recorded, for one purpose: their values must not get onto the tape.

What is read stays in memory, and is neither logged nor written.
"""

from __future__ import annotations

import math
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from replay.recording.secrets.exclusion import Exclusion, is_never
from replay.recording.secrets.secret_rules import Secrecy, file_values, judge_value
from replay.recording.secrets.word_lists import FILES_OF_TOOLS, FOLDERS_OF_TOOLS

MOST_FILES = 2_000
"""Excluded files that are read; those that usually have keys come first."""
MOST_ENTRIES = 50_000
"""Files and folders of the workspace that are looked at, the ones near its top first."""
MOST_BYTES = 1 << 20
"""Bytes that are read of a file."""
MOST_READ = 32 << 20
"""Characters that are read of all files."""
SLICE_S = 0.3
"""Seconds of one look after which files that do not usually have keys wait for the next one."""
_SOURCES, _SOURCE_BYTES = 1_000, 8 << 20
_LISTS = frozenset({".gitignore", ".ghosttapeignore", "exclude"})
_TICK_NS = 2_000_000_000
"""The coarsest step of the clocks of file systems."""
Stamp: TypeAlias = tuple[int, int, int]
"""When a file or folder changed last (ns), its size (bytes), and its number on the disk."""
_UNSURE: Stamp = (0, -2, 0)


@dataclass(slots=True)
class _Seen:
    """What the last look at the disk found."""

    roots: list[Path] = field(default_factory=list)
    folders: dict[Path, Stamp] = field(default_factory=dict)
    excluded: list[Path] = field(default_factory=list)
    recorded: list[Path] = field(default_factory=list)
    lists: dict[Path, Stamp] = field(default_factory=dict)
    is_cut_off: bool = False


class WorkspaceSecrets:
    """Gives the secret values in the excluded files of a workspace, and new ones as the files change.

    Links that lead out of the workspace are not followed, unless their name is of a file that usually has keys; no linked folder is entered.
    """

    def __init__(self, exclusion: Exclusion, clock: Callable[[], float] = time.monotonic, every_s: float = 1.0) -> None:
        self._exclusion, self._clock, self._every_s = exclusion, clock, every_s
        self._seen: _Seen | None = None
        self._read: dict[Path, Stamp] = {}
        self._sizes: dict[Path, int] = {}
        self._is_cut_off = False
        self._in_round: set[Path] = set()
        self.has_unread = False
        """Whether files were found that are not read yet. It ends when each of them was read once, also where one changes all the time."""
        self._given: set[str] = set()
        self._due = 0.0

    @property
    def is_cut_off(self) -> bool:
        """Whether the workspace has more files, or longer ones, than are read."""
        return self._is_cut_off or (self._seen is not None and self._seen.is_cut_off)

    def new_values(self, *, at_once: bool = False, for_s: float = SLICE_S) -> list[str]:
        """The secret values in files that are new or changed since the last call; at most once in `every_s`, unless `at_once`.

        Files that usually have keys are read first, and all of them; others until `for_s` seconds have passed: the next calls
        read the rest, and no file again before that.
        """
        began = self._clock()
        if began < self._due and not at_once:
            return []
        if self._seen is None or self._has_changed(self._seen):
            self._seen = self._look()
        found = self._secrets(self._texts(self._seen.excluded, self._clock() + for_s))
        found = [value for value in found if value not in self._given]
        self._given.update(found)
        self._due = self._clock() + (
            self._every_s if self.has_unread else max(self._every_s, 10 * (self._clock() - began))
        )
        return found

    def rest(self, seconds: float) -> None:
        """Take into account that covering new values took this long: the next look waits ten times as long."""
        self._due = max(self._due, self._clock() + 10 * seconds)

    def values_of(self, text: str, path: str) -> list[str]:
        """The secret values in a text that stands in the editor, as in a file with this path."""
        return self._secrets([(Path(path), text[:MOST_BYTES])])

    def _has_changed(self, seen: _Seen) -> bool:
        return seen.roots != self._exclusion.folders or any(
            _stamp(path) != stamp for path, stamp in (*seen.folders.items(), *seen.lists.items())
        )

    def _look(self) -> _Seen:
        seen = _Seen([*self._exclusion.folders])
        files = []
        for path in islice(self._walk(seen), MOST_ENTRIES):
            files.append(path)
            if path.name in _LISTS:
                seen.lists[path] = _lasting(_stamp(path))
        seen.is_cut_off = len(files) >= MOST_ENTRIES
        excluded = self._exclusion.left_out(files)
        seen.excluded = sorted(excluded, key=_rank)[:MOST_FILES]
        seen.recorded = [path for path in files if path not in excluded]
        seen.is_cut_off |= len(excluded) > MOST_FILES
        return seen

    def _walk(self, seen: _Seen) -> Iterator[Path]:
        """The files of the workspace that it may read, those near the top first."""
        waiting = list(self._exclusion.folders)
        for folder in waiting:
            if folder in seen.folders:
                continue
            seen.folders[folder] = _lasting(_stamp(folder))
            for entry in _entries(folder):
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not _is_of_tool(path):
                        waiting.append(path)
                    yield from (
                        found for found in _of_tool(path, seen.lists) if self._may_read(found, found.is_symlink())
                    )
                elif ".tape.jsonl" not in path.name and entry.is_file() and self._may_read(path, entry.is_symlink()):
                    yield path

    def _may_read(self, path: Path, is_link: bool) -> bool:
        if not is_link or is_never(Path(path.name)):
            return True
        with suppress(OSError, RuntimeError):
            target = path.resolve()
            return any(target.is_relative_to(folder) for folder in self._exclusion.folders)
        return False

    def _texts(self, paths: Iterable[Path], until: float) -> Iterator[tuple[Path, str]]:
        """The texts of new and changed files. What is not read, for lack of time or room, is new again at the next look."""
        room = MOST_READ - sum(self._sizes.values())
        for path in paths:
            stamp, has_keys = _stamp(path), is_never(Path(path.name))
            if self._read.get(path) == stamp or (path in self._in_round and not has_keys and until < math.inf):
                continue
            if self._clock() > until and not has_keys:
                self.has_unread = True
                return
            self._in_round.add(path)
            before = self._sizes.get(path, 0)
            if min(stamp[1], MOST_BYTES) > room + before:
                self._is_cut_off = True
                continue
            text = _text(path, MOST_BYTES)
            self._is_cut_off |= bool(text) and stamp[1] > MOST_BYTES
            self._read[path], self._sizes[path] = _lasting(stamp), len(text)
            room += before - len(text)
            yield path, text
        self.has_unread = False
        self._in_round.clear()

    def _secrets(self, texts: Iterable[tuple[Path, str]]) -> list[str]:
        found: dict[str, Secrecy] = {}
        for path, text in texts:
            in_key_file = is_never(Path(*path.parts[1:]))
            for value in dict.fromkeys(file_values(text, str(path))):
                secrecy = judge_value(value, in_key_file=in_key_file)
                if secrecy != "plain" and found.get(value.text) != "secret":
                    found[value.text] = secrecy
        unsure = {text for text, secrecy in found.items() if secrecy != "secret"}
        words = words_of(unsure, self._seen.recorded) if unsure and self._seen else set()
        return [text for text in found if text not in words]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)
    return []


def _is_of_tool(folder: Path) -> bool:
    return folder.name in FOLDERS_OF_TOOLS or (folder / "pyvenv.cfg").exists()


def _of_tool(folder: Path, watched: dict[Path, Stamp]) -> Iterator[Path]:
    """The files in a folder of a tool that the keys of a person get into.

    What shows that more of them have come is put into `watched`: the folder that a pattern lists, or the one file that it names.
    """
    name = "venv" if (folder / "pyvenv.cfg").exists() else folder.name
    for pattern in FILES_OF_TOOLS.get(name, ()):
        files = sorted(path for path in folder.glob(pattern) if path.is_file())
        listed = folder / pattern.partition("*")[0]
        if "*" in pattern or not files:
            watched[listed] = _lasting(_stamp(listed))
        yield from files


def _rank(path: Path) -> tuple[bool, int, int, Path]:
    """The order in which files are read: those that usually have keys, those near the top, small ones."""
    return (not is_never(Path(path.name)), len(path.parts), _stamp(path)[1], path)


def words_of(candidates: Iterable[str], paths: Iterable[Path]) -> set[str]:
    """Which of these texts the files have as a word: not as a part of one, and not as a whole string in quotes."""
    rest, found, room = set(candidates), set[str](), _SOURCE_BYTES
    for path in islice(paths, _SOURCES):
        if not rest or room <= 0:
            break
        text = _text(path, min(MOST_BYTES, room))
        room -= len(text)
        found |= {word for word in rest if word in text and _is_word(word, text)}
        rest -= found
    return found


def _is_word(word: str, text: str) -> bool:
    places = re.finditer(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", text)
    return any(
        text[place.start() - 1 : place.start()] not in {'"', "'", "`"}
        or text[place.end() : place.end() + 1] not in {'"', "'", "`"}
        for place in places
    )


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return (0, -1, 0)
    return (found.st_mtime_ns, found.st_size if stat.S_ISREG(found.st_mode) else 0, found.st_ino)


def _lasting(stamp: Stamp) -> Stamp:
    """A stamp to compare with later ones; of a change just now one that equals none, for another change may get the same time."""
    return stamp if abs(time.time_ns() - stamp[0]) > _TICK_NS else _UNSURE


def _text(path: Path, most: int) -> str:
    """The beginning of a text file; empty if it is binary or cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(file, "rb") as stream:
        try:
            content = stream.read(most) if stat.S_ISREG(os.fstat(file).st_mode) else b""
        except OSError:
            return ""
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return content.decode("utf-16", "replace")
    return "" if b"\0" in content else content.decode("utf-8-sig", "replace")
