"""JUnit files that a project's test run leaves behind: the tests that passed and failed, by name.

The run wrote them, so nothing in them is trusted: they must be plain files inside the project, made by this very run,
and no larger than `SIZE`; entities and document types are refused.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

SIZE = 16 << 20
FILES = 2_000

_MAVEN = re.compile(r"\b(?:mvn|mvnw)\b")
_GRADLE = re.compile(r"\b(?:gradle|gradlew)\b")
_FOLDER = re.compile(r"--reports-dir[= ]([\w./-]+)")  # JUnit's console
_NAMED = re.compile(r"--(?:junit-?xml|output-junit|junitfile|outputFile)[= ]([\w./-]+)")


@dataclass(frozen=True, slots=True)
class Report:
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
        *(name for name in _NAMED.findall(command) if _is_inside(name)),
    )


def _is_inside(name: str) -> bool:
    return ".." not in name and not name.startswith("/")


def clear(folder: Path, patterns: Iterable[str]) -> None:
    """Remove what lies there before the run, so that what is found after it was made by it."""
    for file in _found(folder, patterns):
        file.unlink()


def read(folder: Path, patterns: Iterable[str]) -> Report | None:
    """Return what the files tell together; None if there is none, or one of them cannot be read."""
    passed: set[str] = set()
    failed: set[str] = set()
    seen: dict[str, int] = {}
    files = _found(folder, patterns)
    try:
        roots = [fromstring(_text(file)) for file in files]
    except (ParseError, DefusedXmlException, OSError, ValueError):
        return None
    for case in (case for root in roots for case in root.iter("testcase")):
        name = f"{case.get('classname', '')} {case.get('name', '')}".strip()
        seen[name] = seen.get(name, 0) + 1
        into = failed if _has(case, "failure", "error") else set() if _has(case, "skipped") else passed
        into.add(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return Report(frozenset(passed), frozenset(failed)) if roots else None


def _found(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the plain files that lie in the folder itself, whatever links have been put into it."""
    inside = folder.resolve()
    files = {
        file for pattern in patterns for file in folder.glob(pattern) if file.parent.resolve().is_relative_to(inside)
    }
    return sorted(file for file in files if stat.S_ISREG(file.lstat().st_mode))[:FILES]


def _text(file: Path) -> bytes:
    """Return the bytes of a file. Raises `OSError` if it is no plain file, or too large."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as reader:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > SIZE:
            raise OSError(f"{file} is not a JUnit file")
        return reader.read(SIZE)


def _has(case: Element, *names: str) -> bool:
    return any(case.find(name) is not None for name in names)
