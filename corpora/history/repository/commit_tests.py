"""How the project of a commit is tested: the result of `detect_tests`, and additions for Python projects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from replay.importers.building.project_tests import detect_tests, requirement_of, strings_in, table_in, toml_of
from replay.tapes.tape import Tests

_IMPORT = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_TEST_FILE = re.compile(r"(^|/)(conftest|test_\w+|\w+_test)\.py$")
_TEST_LIST = re.compile(r"(^|/)(requirements[/-])?(tests?|dev)[^/]*\.(txt|in)$")


def commit_tests_of(files: Mapping[str, str]) -> Tests | None:
    """The tests of a project with these files (path → text); None if the files do not show how it is tested.

    A Python project with packages in `src` gets that folder on its path. Of the packages in its groups and in its requirement
    files for tests, those are required that a test imports.
    """
    tests = detect_tests(_without_strays(files))
    if tests is None or tests.toolchain != "python":
        return tests
    root = PurePosixPath(tests.cwd)
    settings = toml_of(files.get(str(root / "pyproject.toml"), ""))
    source = any(path.startswith(f"{root / 'src'}/") and path.endswith(".py") for path in files)
    pytest = table_in(table_in(table_in(settings, "tool"), "pytest"), "ini_options")
    requires = dict.fromkeys([*tests.requires, *_imported(files, settings, tests.requires)])
    command = f"PYTHONPATH=src {tests.command}" if source and not pytest.get("pythonpath") else tests.command
    return msgspec.structs.replace(tests, command=command, requires=tuple(requires))


def _without_strays(files: Mapping[str, str]) -> dict[str, str]:
    """The files without stray Python tests: where a project has a folder of tests, others only have such a name."""
    named = {path for path in files if _TEST_FILE.search(path)}
    inside = {path for path in named if not {"test", "tests"}.isdisjoint(PurePosixPath(path).parts[:-1])}
    strays = named - inside if inside else set()
    return {path: text for path, text in files.items() if path not in strays}


def _imported(files: Mapping[str, str], settings: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[str]:
    """Requirements that the project lists for its tests and that a test imports by name; never the project itself."""
    texts = [text for path, text in files.items() if _TEST_FILE.search(path)]
    names = {canonicalize_name(name) for text in texts for name in _IMPORT.findall(text)}
    have = {canonicalize_name(Requirement(item).name) for item in known}
    have.add(canonicalize_name(str(table_in(settings, "project").get("name", ""))))
    for item in _listed(files, settings):
        requirement = requirement_of(item)
        if requirement and canonicalize_name(requirement.name) in names - have:
            yield str(requirement)


def _listed(files: Mapping[str, str], settings: Mapping[str, Any]) -> Iterator[str]:
    for groups in (
        table_in(table_in(settings, "project"), "optional-dependencies"),
        table_in(settings, "dependency-groups"),
    ):
        for name in groups:
            yield from strings_in(groups, name)
    for path in sorted(files, reverse=True):
        if _TEST_LIST.search(path):
            yield from (line.partition(" #")[0].strip() for line in files[path].splitlines())
