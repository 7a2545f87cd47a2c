"""JUnit files that a project's test run leaves behind: the tests that passed and failed, by name.

The run wrote them, so nothing in them is trusted: they must be plain files inside the project, made by this very run,
and no larger than `SIZE`; entities and document types are refused. Whatever else lies there may hide them, and do no more.

Runners write files that are not well-formed: with control characters that a test printed, in another encoding than the declared one, or
cut off where the runner crashed. These are read as far as possible, and `JUnitReport.damage` says what is wrong.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from runners.verdicts.shown_text import first_line
from runners.verdicts.test_counts import TestCounts

SIZE = 16 << 20
TOTAL = 64 << 20
"""The bytes of all files together."""

FILES = 2_000
ENTRIES = 200_000
"""So many entries of folders are looked at: more than a project may have, each of them counting as a block."""

_MAVEN = re.compile(r"\b(?:mvn|mvnw)\b")
_GRADLE = re.compile(r"\b(?:gradle|gradlew)\b")
_FOLDER = re.compile(r"--reports-dir[= ]([\w./-]+)")  # JUnit's console
_NAMED = re.compile(
    r"--(?:junit-?xml|output-junit|junitfile|outputFile(?:\.junit)?|test-reporter-destination)[= ]([\w./-]+)"
)

_ENCODING = re.compile(
    rb"""\A[^>]{0,200}?\bencoding=["'](us-ascii|iso-8859-\d+|windows-125\d|cp\d{3,4}|shift_jis|euc-\w\w|gb\w+|big5|koi8-\w)["']""",
    re.IGNORECASE,
)
_DECLARATION = re.compile(r"<\?xml\b[^>]{0,200}\?>|<!DOCTYPE\b[^\[\]<>]{0,2000}>")
"""A declaration of XML, or of a document type without entities of its own."""
_NO_CHARACTER = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_NOT_XML = re.compile(
    rf"{_NO_CHARACTER}|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bce-f]|1[0-9a-f]));", re.IGNORECASE
)
"""Characters that XML 1.0 does not allow, and references to control characters."""
_AMPERSAND = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
"""An ampersand that begins no reference."""
_NOT_RUN = frozenset({"notrun", "disabled", "skipped", "suppressed", "ignored"})
"""What ctest, GoogleTest and others write as the `status` or `result` of a test that they did not run."""
_FAILURES = frozenset({"failure", "error"})


@dataclass(frozen=True, slots=True)
class JUnitReport:
    """The names of tests, a name that is there twice being numbered."""

    passed: frozenset[str]
    failed: frozenset[str]
    damage: str = ""
    """What is wrong with the first file that could not be read to its end, or at all; empty if there is none."""

    @property
    def counts(self) -> TestCounts | None:
        """How many passed and failed; None if the files are damaged and name no test."""
        if self.damage and not (self.passed or self.failed):
            return None
        return TestCounts("JUnit files", len(self.passed), len(self.failed))


def places(command: str) -> tuple[str, ...]:
    """Return where the command will leave JUnit files, as patterns relative to its folder; none if it is not known to."""
    maven = ("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")
    return (
        *(maven if _MAVEN.search(command) else ()),
        *(("**/build/test-results/**/*.xml",) if _GRADLE.search(command) else ()),
        *(f"{name}/TEST-*.xml" for name in _FOLDER.findall(command) if _is_inside(name)),
        *(name for name in _NAMED.findall(command) if _is_inside(name) and _may_be_xml(PurePosixPath(name))),
    )


def _is_inside(name: str) -> bool:
    return ".." not in name and not name.startswith("/")


def _may_be_xml(path: PurePosixPath) -> bool:
    """Return whether it is no folder, and not what another reporter writes: some options take the file of any reporter."""
    return bool(path.name) and path.suffix in {"", ".xml", ".junit"}


def clear(folder: Path, patterns: Iterable[str]) -> None:
    """Remove what lies there before the run, so that what is found after it was made by it. Raises `OSError`."""
    for file in _found(folder, folder, patterns):
        os.unlink(file)  # noqa: PTH108 - names as the folder has them


def read(folder: Path, patterns: Iterable[str], project: Path | None = None) -> JUnitReport | None:
    """Return what the files say together, each as far as it can be read; None if there is no file.

    `folder` must lie in `project` (None: it is the project itself), whatever the run has made of it.
    """
    try:
        files = _found(folder, project or folder, patterns)
    except OSError:
        return None
    cases, damage, left = list[_Case](), list[str](), TOTAL
    for file in files:
        try:
            text = _bytes(file, min(SIZE, left))
        except OSError as error:
            damage.append(f"{Path(file).name}: {error.strerror or error}")
            continue
        left -= len(text)
        found, fault = _cases(text)
        cases += found
        damage += [f"{Path(file).name}: {fault}"] if fault else []
    names = {True: set[str](), False: set[str]()}
    seen = Counter[str]()
    for name, passed in cases:
        seen[name] += 1
        names[passed].add(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return (
        JUnitReport(frozenset(names[True]), frozenset(names[False]), first_line("".join(damage[:1]))) if files else None
    )


def _cases(text: bytes) -> tuple[list[_Case], str]:
    """Return the tests of a file, and what is wrong with it."""
    try:
        cases, fault = _parsed(text)
        if not fault:
            return cases, ""
        more, cut = _parsed(f"<file>{_mended(text)}</file>".encode())
    except (DefusedXmlException, RecursionError, MemoryError) as error:
        return [], f"refused: {type(error).__name__}"
    if len(more) < len(cases):
        return cases, f"{fault}; read up to the fault"
    read = "read up to the fault" if cut else "read without what is not allowed in XML"
    return more, f"{fault}; {read}"


def _parsed(text: bytes) -> tuple[list[_Case], str]:
    """Return the tests up to a fault, and the fault. Raises `DefusedXmlException` for what is never read."""
    cases = _Cases()
    parser = DefusedXMLParser(target=cases)
    try:
        parser.feed(text)
        parser.close()
    except (ParseError, ValueError, LookupError) as error:
        if isinstance(error, DefusedXmlException):
            raise
        return cases.until_now(), str(error)
    return cases.found, ""


def _mended(text: bytes) -> str:
    """Return a file as text without declarations, and without what is not allowed in XML.

    An encoding that its bytes rule out is not believed: .NET and PowerShell declare UTF-16 and write UTF-8.
    """
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoded = text.decode("utf-16", "replace")
    elif text[:2] in {b"<\0", b"\0<"}:
        decoded = text.decode("utf-16-le" if text[0] else "utf-16-be", "replace")
    else:
        declared = _ENCODING.match(text)
        try:
            decoded = text.decode(declared[1].decode() if declared else "utf-8", "replace")
        except LookupError:
            decoded = text.decode("utf-8", "replace")
    return _AMPERSAND.sub("&amp;", _NOT_XML.sub("", _DECLARATION.sub("", decoded)))


_Case: TypeAlias = tuple[str, bool]
"""The name of a test, and whether it passed."""


@dataclass(slots=True)
class _Cases:
    """Takes elements as they are read, and keeps the names of tests alone: a tree of small elements is a hundred times the file."""

    found: list[_Case] = field(default_factory=list)
    _depth: int = 0
    _open: list[tuple[int, str, set[str]]] = field(default_factory=list)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element. What says that a test is still to be written is a skip, whatever else its runner writes."""
        self._depth += 1
        tag = tag.rpartition("}")[2]
        if tag == "testcase":
            name = f"{attributes.get('classname', '')} {attributes.get('name', '')}".strip()
            left_out = {attributes.get("status", "").lower(), attributes.get("result", "").lower()} & _NOT_RUN
            self._open.append((self._depth, name, {"skipped"} if left_out else set()))
        elif self._open and self._depth == self._open[-1][0] + 1 and tag in {"failure", "error", "skipped"}:
            self._open[-1][2].add("todo" if attributes.get("type") == "todo" else tag)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        if tag.rpartition("}")[2] == "testcase":
            _, name, about = self._open.pop()
            if "todo" not in about and (about & _FAILURES or "skipped" not in about):
                self.found.append((name, not about & _FAILURES))
        self._depth -= 1

    def until_now(self) -> list[_Case]:
        """Return the tests of a file that ends here: one that has failed by now has failed, one that is not over has not passed."""
        return self.found + [
            (name, False) for _, name, about in self._open if about & _FAILURES and "todo" not in about
        ]

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


def _bytes(file: str, most: int) -> bytes:
    """Return the bytes of a file. Raises `OSError` if it is no plain file, or too large."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as reader:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise OSError("not a plain file")
        if about.st_size > most:
            raise OSError(f"larger than {SIZE >> 20} MiB, or than {TOTAL >> 20} MiB with the files before it")
        return reader.read(most)
