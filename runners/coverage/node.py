"""Coverage of node's test runners by files of tests (mocha's by tests): each function of the project begins with a probe.

Only the copy of the recording run has probes. V8's own coverage, which c8 reads, refers to the text that node was given. vitest and jest
give node a transpiled text, so a wrong source map would make the verdict wrong. A probe passes every transpiler, and reports exactly that
its function was called. An inner function reports the number of its outermost function, because a test may call a function that another
test made. A generator or async function also reports its end.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from runners.coverage.function_spans import SCRIPTS, Body, Function, functions
from runners.coverage.line_coverage import Coverage, unpacked
from runners.project import Project
from runners.verdicts import Result
from syntax.languages import language_of

_LARGEST = 1 << 20
_NOT_OURS = {"node_modules", ".git"}
_UNSEEN = -1


@dataclass(frozen=True, slots=True)
class Probed:
    """An outermost function with probes: its file, from the project's root, and the first and last line of its body.

    `leaks` is explained in `runners.coverage.function_spans.Function`.
    """

    path: str
    first: int
    last: int
    leaks: bool = False


async def record_coverage(project: Project, notify: Callable[[str], None]) -> tuple[Result, Coverage | None]:
    """Test a finished project with probes in its functions; if its tests do not pass with probes, test it without."""
    base = project.workspace.folder / "base"
    changed, probed = await asyncio.to_thread(with_probes, base)
    result, said = await project.run_witnessed(changed, {"GHOSTTAPE_COVERAGE": "new"})
    coverage = read(said, probed, result.tests or frozenset())
    if result.verdict_class != "passed":
        result, coverage = await project.run({}), None
    if coverage is None:
        notify(
            "no coverage here (nothing names these tests, or they notice that they are watched): every graft runs all tests"
        )
    return result, coverage


def with_probes(folder: Path) -> tuple[dict[str, str], list[Probed]]:
    """Return the folder's scripts with probes in each function, and the outermost functions by their probes' number.

    Anything but a readable plain file has no probes, and so no coverage.
    """
    changed, probed = dict[str, str](), list[Probed]()
    for path, text in _scripts(folder):
        found = functions(path, text)
        if found:
            changed[path] = _with_probes(path, text, found, len(probed))
            probed += [Probed(path, _line(text, one.body.start), _line(text, one.body.end), one.leaks) for one in found]
    return changed, probed


def _scripts(folder: Path) -> Iterator[tuple[str, str]]:
    for file in _files(folder):
        language = language_of(file.name)
        text = _text(file) if language is not None and language.id in SCRIPTS else None
        if text is not None:
            yield file.relative_to(folder).as_posix(), text


def _files(folder: Path) -> Iterator[Path]:
    """Yield all entries below a folder. Links to folders are not followed; the walk is iterative, so deep folders are no problem."""
    todo = [folder]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:  # a folder without the right to read it
            continue
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
            elif entry.name not in _NOT_OURS:
                todo.append(Path(entry.path))


def _text(file: Path) -> str | None:
    """Return the text of a readable plain file; None for anything else that a set-up can leave (pipes, links, unreadable files)."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):  # opening some devices has effects
            return None
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as opened:
            about = os.fstat(handle)
            fits = stat.S_ISREG(about.st_mode) and about.st_size <= _LARGEST
            return opened.read(_LARGEST).decode() if fits else None
    except (OSError, UnicodeDecodeError):
        return None


def _line(text: str, index: int) -> int:
    return text.count("\n", 0, index) + 1


def _with_probes(path: str, text: str, found: list[Function], number: int) -> str:
    """Insert a call at the beginning of each body, and at the end of generators and async functions; no line moves.

    The number in TypeScript is a type error on purpose. Where types are checked, a file that never executes a graft can fail because of
    it, so tests with a type check must not pass with probes.
    """
    language = language_of(path)
    mistake = " satisfies string" if language is not None and language.id.startswith("typescript") else ""
    parts, reached = list[str](), 0
    for at, probe in _insertions(text, found, number, mistake):
        parts += (text[reached:at], probe)
        reached = at
    return "".join((*parts, text[reached:]))


def _insertions(text: str, found: list[Function], number: int, mistake: str) -> Iterator[tuple[int, str]]:
    """The insertions into a text with their positions, in order; at one end, those of inner bodies come first."""
    open_ = list[tuple[int, str]]()
    for one, function in enumerate(found, number):
        for body in sorted((function.body, *function.inner), key=lambda body: body.start):
            while open_ and open_[-1][0] <= body.code:
                yield open_.pop()
            head, at, tail = _probe(text, body, f"globalThis.process.__ghosttape_touch__({one}{mistake}")
            yield body.code, head
            open_.append((at, tail))
    yield from reversed(open_)


def _probe(text: str, body: Body, call: str) -> tuple[str, int, str]:
    """The text before a body's code and the text behind it, each with its position."""
    if text[body.start] != "{":
        return (f"({call}, 1), {call}, -1, ", body.end, "))") if body.pauses else (f"({call}), ", body.end, ")")
    if body.pauses:
        return f";{call}, 1);try{{", body.end - 1, f"}}finally{{{call}, -1)}}"
    return f";{call});", body.end - 1, ""


def read(said: list[str], probed: list[Probed], tests: frozenset[str]) -> Coverage | None:
    """Return the calls of each test that the witnesses reported; None if the report is incomplete.

    `tests` are the names of the tests that passed. A function that is called for no test or for all counts as touched by all.
    """
    text = unpacked(said)
    try:
        called = None if text is None else msgspec.json.decode(text, type=dict[str, list[int]])
    except msgspec.DecodeError:
        return None
    if called is None or any(not _UNSEEN <= number < len(probed) for own in called.values() for number in own):
        return None
    return _coverage(called, probed, tests)


def _coverage(called: Mapping[str, list[int]], probed: list[Probed], tests: frozenset[str]) -> Coverage | None:
    """Return the coverage by test. A test is named by its file or by its own name; "" stands for all tests.

    Test files share no objects, but tests of one file do: a function that leaks may be executed by any test known by name.
    """
    owned = {key: _named(key, tests) for key in called}
    seen = frozenset().union(*(owned[key] for key, numbers in called.items() if _UNSEEN not in numbers))
    started = [owned[key] for key, numbers in called.items() if _UNSEEN in numbers]
    unseen = (tests - seen).union(*started)
    if unseen == tests or not all(started):  # a test without a name cannot be selected in each run
        return None
    by_name = any(key in tests for key in called)
    touched = dict[int, frozenset[str] | None]()
    for key, numbers in called.items():
        for number in set(numbers) - {_UNSEEN}:
            who = None if by_name and probed[number].leaks else owned[key] or None
            touched[number] = _both(touched.get(number, frozenset()), who)
    return Coverage(_lines(touched, probed, tests - unseen), unseen)


def _named(key: str, tests: frozenset[str]) -> frozenset[str]:
    if not key:
        return frozenset()
    return frozenset({key}) if key in tests else frozenset(name for name in tests if name.startswith(f"{key} "))


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or other is None else one | other


def _lines(
    touched: Mapping[int, frozenset[str] | None], probed: list[Probed], seen: frozenset[str]
) -> dict[str, dict[int, frozenset[str] | None]]:
    """Return the tests that touch each line of the called functions; a line of several functions has the tests of all of them."""
    lines = dict[str, dict[int, frozenset[str] | None]]()
    for number, names in touched.items():
        one = probed[number]
        own = lines.setdefault(one.path, {})
        some = None if names is None or names >= seen else names
        own.update((line, _both(own.get(line, frozenset()), some)) for line in range(one.first, one.last + 1))
    return lines
