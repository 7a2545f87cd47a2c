"""How the project of a commit is tested: what `detect` finds, and what a Python project with a `src` folder needs besides."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from replay.importers.detect import detect
from replay.tape import Tests

_IMPORT = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_TEST_FILE = re.compile(r"(^|/)(conftest|test_\w+|\w+_test)\.py$")
_TEST_LIST = re.compile(r"(^|/)(requirements[/-])?(tests?|dev)[^/]*\.(txt|in)$")


def how_tested(files: Mapping[str, str]) -> Tests | None:
    """Say how a project with these files (path → text) is tested; None if they do not tell.

    A Python project that keeps its packages in `src` finds them there. Of the packages that it lists for its tests (groups and requirement
    files of that name), those are required that a test imports.
    """
    tests = detect(_without_strays(files))
    if tests is None or tests.toolchain != "python":
        return tests
    root = PurePosixPath(tests.cwd)
    settings = _settings(files.get(str(root / "pyproject.toml"), ""))
    source = any(path.startswith(f"{root / 'src'}/") and path.endswith(".py") for path in files)
    told = settings.get("tool", {}).get("pytest", {}).get("ini_options", {}).get("pythonpath")
    requires = dict.fromkeys([*tests.requires, *_imported(files, settings, tests.requires)])
    command = f"PYTHONPATH=src {tests.command}" if source and not told else tests.command
    return msgspec.structs.replace(tests, command=command, requires=tuple(requires))


def _without_strays(files: Mapping[str, str]) -> dict[str, str]:
    """The files without those that are only called like Python tests, where the project has a folder of tests."""
    named = {path for path in files if _TEST_FILE.search(path)}
    inside = {path for path in named if not {"test", "tests"}.isdisjoint(PurePosixPath(path).parts[:-1])}
    strays = named - inside if inside else set()
    return {path: text for path, text in files.items() if path not in strays}


def _imported(files: Mapping[str, str], settings: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[str]:
    """What the project lists for its tests, and its tests import by that very name; never the project itself."""
    texts = [text for path, text in files.items() if _TEST_FILE.search(path)]
    names = {canonicalize_name(name) for text in texts for name in _IMPORT.findall(text)}
    have = {canonicalize_name(Requirement(item).name) for item in known}
    have.add(canonicalize_name(settings.get("project", {}).get("name", "")))
    for item in _listed(files, settings):
        requirement = _plain(item)
        if requirement and canonicalize_name(requirement.name) in names - have:
            yield str(requirement)


def _listed(files: Mapping[str, str], settings: Mapping[str, Any]) -> Iterator[str]:
    project = settings.get("project", {})
    for groups in (project.get("optional-dependencies", {}), settings.get("dependency-groups", {})):
        yield from (item for group in groups.values() for item in group if isinstance(item, str))
    for path in sorted(files, reverse=True):
        if _TEST_LIST.search(path):
            yield from (line.partition(" #")[0].strip() for line in files[path].splitlines())


def _settings(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _plain(item: str) -> Requirement | None:
    try:
        requirement = Requirement(item)
    except InvalidRequirement:
        return None
    return None if requirement.url else requirement
