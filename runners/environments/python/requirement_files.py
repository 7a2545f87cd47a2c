"""Requirement files of pip: `requirements*.txt` wherever they lie, with the files and constraints that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from runners.environments.manifests import Files, at, lines_of
from runners.environments.python.declared import Declared, Use, requirement_of, use_of

_NAME = re.compile(r"(^|[-_.])(reqs?|requirements?)([-_.]|$)", re.IGNORECASE)
_ENDING = re.compile(r"\.(txt|in|pip)$")
_NESTED = re.compile(r"(?:-r|--requirement|-c|--constraint)[= ]?\s*(\S+)")
_OTHER = re.compile(r"doc|lint|typ(e|ing)|mypy|style|build|release|publish|bench", re.IGNORECASE)
_DEVELOPS = re.compile(r"test|dev|ci", re.IGNORECASE)


def of_requirement_files(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """All requirement files of the project: those at its root, and in folders of such a name or of tests."""
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        if _is_requirement_file(path, root):
            name = str(PurePosixPath(path).relative_to(root))
            yield from of_requirement_file(files, path, _use(name), name)


def of_requirement_file(files: Files, path: str, use: Use, source: str) -> Iterator[Declared]:
    """One requirement file with those that it names. Options, addresses and folders are left out."""
    limits = dict(_constraints(files, path, set()))
    for item in _items(files, path, set()):
        if requirement := requirement_of(item):
            limit = limits.get(canonicalize_name(requirement.name), "")
            if limit and not requirement.specifier:
                requirement = requirement_of(f"{requirement.name}{limit}") or requirement
            yield Declared(str(requirement), use, source)


def _is_requirement_file(path: str, root: PurePosixPath) -> bool:
    own = PurePosixPath(path)
    if not own.is_relative_to(root) or not _ENDING.search(own.name):
        return False
    parts = own.relative_to(root).parts
    if len(parts) == 1:
        return bool(_NAME.search(own.stem))
    folder = parts[-2].lower()
    return len(parts) <= 3 and (folder in {"requirements", "reqs", "requirement"} or (bool(_NAME.search(own.stem)) and folder.startswith("test")))  # fmt: skip


def _use(name: str) -> Use:
    if _OTHER.search(name):
        return "other"
    return "test" if _DEVELOPS.search(name) or use_of(name) == "test" else "run"


def _items(files: Files, path: str, seen: set[str]) -> Iterator[str]:
    """The lines of a file and of those that it names, each file once."""
    seen.add(path)
    for line in lines_of(files.get(path, "")):
        if nested := _NESTED.match(line):
            other = _beside(path, nested[1])
            if line.startswith(("-r", "--req")) and other not in seen:
                yield from _items(files, other, seen)
        elif not line.startswith("-"):
            yield line


def _constraints(files: Files, path: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    seen.add(path)
    for line in lines_of(files.get(path, "")):
        nested = _NESTED.match(line)
        if nested is None or (other := _beside(path, nested[1])) in seen:
            continue
        yield from _constraints(files, other, seen)
        if line.startswith(("-c", "--con")):
            for item in _items(files, other, set()):
                if requirement := requirement_of(item):
                    yield canonicalize_name(requirement.name), str(requirement.specifier)


def _beside(path: str, named: str) -> str:
    """The path of a file that another names; `..` goes up."""
    parts: list[str] = []
    for part in PurePosixPath(at(PurePosixPath(path).parent, named)).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return "/".join(parts)
