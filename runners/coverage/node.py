"""Coverage of node's test runners by files of tests (mocha's by tests): each function of the project begins with a probe.

The probes are in the recording run's copy alone. V8's own coverage, which c8 reads, speaks of the text that node was given: vitest and
jest give it another one than the project's, and where a source map is wrong, so is the verdict. A probe goes through every
transpiler, and says exactly that its function was called.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from runners.coverage.functions import SCRIPTS, Body, bodies
from runners.coverage.lines import Coverage, unpacked
from runners.project import Project
from runners.verdicts import Result
from syntax.languages import language_of

_LARGEST = 1 << 20
_NOT_OURS = {"node_modules", ".git"}
_UNSEEN = -1
_Function = tuple[str, int, int]
"""A path from the project's root, and the first and last line of a function's body."""


async def recorded(project: Project, told: Callable[[str], None]) -> tuple[Result, Coverage | None]:
    """Test a finished project with probes in its functions; where its tests do not pass with them, without."""
    base = project.workspace.folder / "base"
    changed, functions = await asyncio.to_thread(with_probes, base)
    result, said = await project.heard(changed, {"GHOSTTAPE_COVERAGE": "new"})
    coverage = read(said, functions, result.tests or frozenset())
    if result.klass != "passed":
        result, coverage = await project.run({}), None
    if coverage is None:
        told(
            "no coverage here (nothing names these tests, or they notice that they are watched): every graft runs all tests"
        )
    return result, coverage


def with_probes(folder: Path) -> tuple[dict[str, str], list[_Function]]:
    """Return the folder's scripts with a probe in each outermost function, and these functions by their probe's number."""
    changed, functions = dict[str, str](), list[_Function]()
    for path, text in _scripts(folder):
        found = bodies(path, text)
        if found:
            changed[path] = _probed(path, text, found, len(functions))
            functions += [(path, _line(text, body.start), _line(text, body.end)) for body in found]
    return changed, functions


def _scripts(folder: Path) -> Iterator[tuple[str, str]]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _NOT_OURS)
        for file in (Path(parent, name) for name in sorted(names)):
            language = language_of(file.name)
            if language is None or language.id not in SCRIPTS or file.is_symlink() or file.stat().st_size > _LARGEST:
                continue
            try:
                yield file.relative_to(folder).as_posix(), file.read_bytes().decode()
            except UnicodeDecodeError:
                continue


def _line(text: str, index: int) -> int:
    return text.count("\n", 0, index) + 1


def _probed(path: str, text: str, found: tuple[Body, ...], number: int) -> str:
    """Put a call at the beginning of each body, without moving a line.

    The one in TypeScript is a mistake that every check of types finds: where types are checked, a graft can be noticed by a
    file that never executes it, and the tests must not pass with the probes.
    """
    language = language_of(path)
    mistake = " satisfies string" if language is not None and language.id.startswith("typescript") else ""
    parts, reached = list[str](), 0
    for one, body in enumerate(found, number):
        call = f"globalThis.process.__ghosttape_touch__({one}{mistake})"
        parts.append(text[reached : body.code])
        parts.append(f";{call};" if text[body.start] == "{" else f"({call}, {text[body.start : body.end]})")
        reached = body.code if text[body.start] == "{" else body.end
    return "".join((*parts, text[reached:]))


def read(said: list[str], functions: list[_Function], tests: frozenset[str]) -> Coverage | None:
    """Return what the witnesses said was called for which tests; None if that does not tell all that was.

    `tests` are the names of those that passed. What is called for none of them, or for all, counts as needed by all.
    """
    text = unpacked(said)
    try:
        told = None if text is None else msgspec.json.decode(text, type=dict[str, list[int]])
    except msgspec.DecodeError:
        return None
    if told is None or any(not _UNSEEN <= number < len(functions) for own in told.values() for number in own):
        return None
    return _coverage(told, functions, tests)


def _coverage(told: Mapping[str, list[int]], functions: list[_Function], tests: frozenset[str]) -> Coverage | None:
    """Return the coverage of tests that are told by the file they are in, or by their own name; "" stands for all."""
    owned = {key: _named(key, tests) for key in told}
    seen = frozenset().union(*(owned[key] for key, numbers in told.items() if _UNSEEN not in numbers))
    started = [owned[key] for key, numbers in told.items() if _UNSEEN in numbers]
    unseen = (tests - seen).union(*started)
    if unseen == tests or not all(started):  # what nobody can name cannot be run each time
        return None
    touched = dict[int, frozenset[str] | None]()
    for key, numbers in told.items():
        for number in set(numbers) - {_UNSEEN}:
            touched[number] = _both(touched.get(number, frozenset()), owned[key] or None)
    return Coverage(_lines(touched, functions, tests - unseen), unseen)


def _named(key: str, tests: frozenset[str]) -> frozenset[str]:
    if not key:
        return frozenset()
    return frozenset({key}) if key in tests else frozenset(name for name in tests if name.startswith(f"{key} "))


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or other is None else one | other


def _lines(
    touched: Mapping[int, frozenset[str] | None], functions: list[_Function], seen: frozenset[str]
) -> dict[str, dict[int, frozenset[str] | None]]:
    """Return who touches each line of the functions that were called; a line of several functions is touched by all of theirs."""
    lines = dict[str, dict[int, frozenset[str] | None]]()
    for number, names in touched.items():
        path, first, last = functions[number]
        own = lines.setdefault(path, {})
        some = None if names is None or names >= seen else names
        own.update((line, _both(own.get(line, frozenset()), some)) for line in range(first, last + 1))
    return lines
