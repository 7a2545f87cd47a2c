"""JUnit files that a project's test run leaves behind: the tests that passed and failed, by name.

The run wrote them, so nothing in them is trusted: they must be plain files inside the project, made by this very run,
and no larger than `SIZE`; entities and document types are refused. Whatever else lies there may hide them, and do no more.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

SIZE = 16 << 20
TOTAL = 64 << 20
"""The bytes of all files together."""

FILES = 2_000
ENTRIES = 200_000
"""So many entries of folders are looked at: more than a project may have, each of them counting as a block."""

_MAVEN = re.compile(r"\b(?:mvn|mvnw)\b")
_GRADLE = re.compile(r"\b(?:gradle|gradlew)\b")
_FOLDER = re.compile(r"--reports-dir[= ]([\w./-]+)")  # JUnit's console
_NAMED = re.compile(r"--(?:junit-?xml|output-junit|junitfile|outputFile)[= ]([\w./-]+)")

_UNREADABLE = (ParseError, DefusedXmlException, OSError, ValueError, LookupError, RecursionError, MemoryError)
"""What reading a file that anybody may have written can end with; an encoding that Python does not know is a LookupError."""


@dataclass(frozen=True, slots=True)
class JUnitReport:
    """The names of tests, a name that is there twice being numbered."""

    passed: frozenset[str]
    failed: frozenset[str]


def places(command: str) -> tuple[str, ...]:
    """Return where the command will leave JUnit files, as patterns relative to its folder; none if it is not known to."""
    maven = ("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")
    return (
        *(maven if _MAVEN.search(command) else ()),
        *(("**/build/test-results/**/*.xml",) if _GRADLE.search(command) else ()),
        *(f"{name}/TEST-*.xml" for name in _FOLDER.findall(command) if _is_inside(name)),
        *(name for name in _NAMED.findall(command) if _is_inside(name) and PurePosixPath(name).name),
    )


def _is_inside(name: str) -> bool:
    return ".." not in name and not name.startswith("/")


def clear(folder: Path, patterns: Iterable[str]) -> None:
    """Remove what lies there before the run, so that what is found after it was made by it. Raises `OSError`."""
    for file in _found(folder, folder, patterns):
        os.unlink(file)  # noqa: PTH108 - names as the folder has them


def read(folder: Path, patterns: Iterable[str], project: Path | None = None) -> JUnitReport | None:
    """Return what the files tell together; None if there is none, or one of them cannot be read.

    `folder` must lie in `project` (None: it is the project itself), whatever the run has made of it.
    """
    cases, left = _Cases(), TOTAL
    try:
        files = _found(folder, project or folder, patterns)
        for file in files:
            text = _text(file, min(SIZE, left))
            left -= len(text)
            parser = DefusedXMLParser(target=cases)
            parser.feed(text)
            parser.close()
    except _UNREADABLE:
        return None
    return JUnitReport(frozenset(cases.passed), frozenset(cases.failed)) if files else None


@dataclass(slots=True)
class _Cases:
    """Takes elements as they are read, and keeps the names of tests alone: a tree of small elements is a hundred times the file."""

    passed: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    _seen: dict[str, int] = field(default_factory=dict)
    _depth: int = 0
    _open: list[tuple[int, str, set[str]]] = field(default_factory=list)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        self._depth += 1
        if tag == "testcase":
            name = f"{attributes.get('classname', '')} {attributes.get('name', '')}".strip()
            self._open.append((self._depth, name, {tag}))
        elif self._open and self._depth == self._open[-1][0] + 1 and tag in {"failure", "error", "skipped"}:
            self._open[-1][2].add(tag)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        if tag == "testcase":
            self._count(*self._open.pop()[1:])
        self._depth -= 1

    def _count(self, name: str, about: set[str]) -> None:
        number = self._seen[name] = self._seen.get(name, 0) + 1
        if "skipped" not in about or about & {"failure", "error"}:
            into = self.failed if about & {"failure", "error"} else self.passed
            into.add(name if number == 1 else f"{name} #{number}")

    def close(self) -> None:
        """Take the end of a file."""


def _found(folder: Path, project: Path, patterns: Iterable[str]) -> list[str]:
    """Return the plain files that lie in the project itself, whatever links have been put into it. Raises `OSError`."""
    inside = Path(os.path.realpath(project))
    found = set[str]()
    for pattern in patterns:
        head, rest = _split(pattern)
        place = os.path.realpath(folder / head)  # which a loop of links does not upset, as it does Path.resolve
        if Path(place).is_relative_to(inside):
            named = _pattern(rest)
            found.update(file for file in _files(place, deep="**" in rest) if named.fullmatch(file, len(place) + 1))
    return sorted(found)[:FILES]


def _split(pattern: str) -> tuple[str, tuple[str, ...]]:
    """Return the folder in which a pattern begins to vary, and the rest of it, at least a name."""
    parts = PurePosixPath(pattern).parts
    first = next((index for index, part in enumerate(parts) if "*" in part), len(parts) - 1)
    return "/".join(parts[:first]), parts[first:]


def _pattern(parts: tuple[str, ...]) -> re.Pattern[str]:
    folders = ("(?:[^/]+/)*" if part == "**" else f"{re.escape(part)}/" for part in parts[:-1])
    return re.compile("".join(folders) + re.escape(parts[-1]).replace(r"\*", "[^/]*"))


def _files(place: str, *, deep: bool) -> Iterator[str]:
    """Yield the plain files in a folder, where no link leads; what is closed to us hides what is in it. Raises `OSError`.

    One folder after the other, with no path and no stack that grows: `Path.glob` breaks on deep folders.
    """
    folders, left = [place], ENTRIES
    while folders:
        for entry in _entries(folders.pop()):
            left -= 1
            if left < 0:
                raise OSError(f"more than {ENTRIES} files in {place}")
            if entry.is_file(follow_symlinks=False):
                yield entry.path
            elif deep and entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _text(file: str, most: int) -> bytes:
    """Return the bytes of a file. Raises `OSError` if it is no plain file, or too large."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as reader:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            raise OSError(f"{file} is not a JUnit file")
        return reader.read(most)
