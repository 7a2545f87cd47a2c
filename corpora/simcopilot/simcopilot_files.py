"""SimCopilot's files: `example_code/tasks_path.json` names the programs, `LANGUAGE_tasks_checkpoints.json` their gaps, `PROGRAM.json` their test cases."""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from corpora.errors import DataError

FOLDERS: Mapping[str, str] = MappingProxyType({"python": "Python", "java": "Java"})
"""LSP identifier → its folder."""
EXTENSIONS: Mapping[str, str] = MappingProxyType({"python": ".py", "java": ".java"})
CATEGORIES = ("infilling", "completion")
_TAB = " " * 4


class Checkpoints(msgspec.Struct, frozen=True):
    """The gaps of one program: pairs of their first and last line, from 1. Members beyond these say nothing here."""

    name: str = msgspec.field(name="Task_Name")
    output_to_check: Literal["final_output", "all_output"]
    infilling: tuple[tuple[int, int], ...] = msgspec.field(name="checkpoint_LN_infilling")
    completion: tuple[tuple[int, int], ...] = msgspec.field(name="checkpoint_LN_Completion")

    def gaps(self, category: str) -> tuple[tuple[int, int], ...]:
        """The gaps of a category."""
        return self.infilling if category == "infilling" else self.completion


@dataclass(frozen=True, slots=True)
class OutputCase:
    """What is appended to a program, and what it then writes."""

    appended: str
    expected: str


@dataclass(frozen=True, slots=True)
class TestedFile:
    """A program with its gaps and its test cases."""

    language: str
    path: Path
    """The program; other files of its folder are data and libraries that it uses."""
    lines: tuple[str, ...]
    checkpoints: Checkpoints
    cases: tuple[OutputCase, ...]

    @property
    def name(self) -> str:
        """The name by which the files of the benchmark call it."""
        return self.checkpoints.name


def tested_files(data: Path, language: str) -> Iterator[TestedFile]:
    """Each program in a language, in the order of its checkpoints.

    Raises:
        DataError: a file is not there or malformed, or a gap lies outside of its program.

    """
    file = data / FOLDERS[language] / f"{FOLDERS[language]}_tasks_checkpoints.json"
    paths = _decoded(data / "tasks_path.json", dict[str, dict[str, str]]).get(FOLDERS[language], {})
    for checkpoints in _decoded(file, tuple[Checkpoints, ...]):
        if checkpoints.name not in paths:
            raise DataError(file, 0, f"tasks_path.json does not say where {checkpoints.name!r} is")
        yield _tested(data, language, file, checkpoints, paths[checkpoints.name])


def _tested(data: Path, language: str, file: Path, checkpoints: Checkpoints, path: str) -> TestedFile:
    stem = data / path.removeprefix("./").removeprefix("example_code/")
    program = stem.with_name(stem.name + EXTENSIONS[language])
    lines = _lines(program)
    for category in CATEGORIES:
        for first, last in checkpoints.gaps(category):
            if not 1 <= first <= last <= len(lines):
                raise DataError(file, 0, f"{checkpoints.name} has {len(lines)} lines, and no lines {first} to {last}")
    return TestedFile(language, program, lines, checkpoints, _cases(stem.with_name(f"{stem.name}.json")))


def _lines(program: Path) -> tuple[str, ...]:
    """The lines of a program, each tab four spaces, as its script splits it (`text_split_and_color.split_code`)."""
    try:
        return tuple(program.read_text(encoding="utf-8").replace("\t", _TAB).split("\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(program, error) from error


def _cases(file: Path) -> tuple[OutputCase, ...]:
    """`test_case1` with `expected_output1`, and so on until one is missing."""
    known: dict[str, str] = _decoded(file, dict[str, str])
    found: list[OutputCase] = []
    while (code := known.get(f"test_case{len(found) + 1}")) is not None:
        expected = known.get(f"expected_output{len(found) + 1}")
        if expected is None:
            break
        try:
            decoded(expected)
        except UnicodeDecodeError as error:
            raise DataError(file, 0, f"expected_output{len(found) + 1} cannot be read: {error.reason}") from error
        found.append(OutputCase(code, expected))
    if not found:
        raise DataError(file, 0, "has no test_case1 with an expected_output1")
    return tuple(found)


def _decoded(file: Path, kind: Any) -> Any:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except OSError as error:
        raise _unreadable(file, error) from error
    except msgspec.DecodeError as error:
        raise DataError(file, 0, f"is no file of SimCopilot: {error}") from error


def _unreadable(file: Path, error: OSError | UnicodeDecodeError) -> DataError:
    why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
    return DataError(file, 0, f"cannot be read ({why}): name the folder of SimCopilot with --data")


# Whether a program wrote what was expected, by the rules of SimCopilot's script
# (`eval_code.execute_and_compare`).

_REFUSED = ("Error", "Timeout")
"""An output that begins so counts as the message of a program that failed."""


def decoded(expected: str) -> str:
    r"""Return an expected output as the script reads it: backslashes begin escapes, and each byte of its UTF-8 is a character.

    Example: `"a\\n"` is `"a\n"`, and `"é"` is `"Ã©"`, so that no output with it is ever equal; only its last line may still be.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a backslash that begins no escape stays
        return codecs.decode(expected.encode(), "unicode_escape")


def difference(actual: str, expected: str, *, whole: bool) -> str:
    """Say how an output differs from a decoded expected one; empty if it passes.

    With `whole` all words are compared, else only the last line that is not blank, without white space at its ends.
    """
    actual = actual.replace("\r\n", "\n").replace("\r", "\n")
    if actual.startswith(_REFUSED):
        return f"its output begins with {actual[:7]!r}, which counts as a failure"
    return _first_word(actual, expected) if whole else _last_lines(actual, expected)


def _last_lines(actual: str, expected: str) -> str:
    found, wanted = _last_line(actual), _last_line(expected)
    return "" if found == wanted else f"its last line is {found!r}, not {wanted!r}"


def _last_line(text: str) -> str:
    return text.strip().split("\n")[-1].strip()


def _first_word(actual: str, expected: str) -> str:
    pairs = zip_longest(actual.split(), expected.split(), fillvalue="")
    for number, (found, wanted) in enumerate(pairs, 1):
        if found != wanted:
            return f"word {number} of its output is {found!r}, not {wanted!r}"
    return ""
