"""How one unit test of a repository is run by a shell, as the published scripts want it: by pytest, with the summary in its last line."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

from corpora.errors import DataError
from replay.tapes.tape import Tests

PYTHON = "myenv/bin/python"
"""The interpreter that the published `create_env.sh` makes in each repository."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_QUIET = frozenset({"--quiet", "--no-summary"})
_VALUED = frozenset(
    [
        "-c",
        "--config-file",
        "--rootdir",
        "--confcutdir",
        "--ignore",
        "--ignore-glob",
        "--deselect",
        "--basetemp",
        "--junitxml",
        "--junit-xml",
        "--import-mode",
        "--cov",
        "--cov-config",
        "-p",
        "-k",
        "-m",
        "-n",
        "-o",
        "-W",
    ]
)
"""Options whose value is the next word, which may be a file or folder too."""
_CONTROL = re.compile(r"[;&|<>`$()]")
_HERE = re.compile(r"\$PWD\b")
"""The folder that a command runs in, as ways that rules find name it."""


def unit_test_command(tests: Tests, test: str, folder: str, paths: Collection[str], python: str = PYTHON) -> str:
    """The command that runs one test in a repository at `folder` by the interpreter `python`; `paths` are its files.

    What makes pytest quiet is left out, as the scripts read the line `===== 1 passed in 0.01s`; so are files and folders that the command names, as the test takes
    their place. Example: `PYTHONPATH=src pytest -q tests` gives `cd FOLDER && PYTHONPATH=src myenv/bin/python -m pytest tests/test_a.py::test_b`.

    Raises:
        DataError: the command is no plain call of pytest.

    """
    inside = folder if tests.cwd == "." else posixpath.join(folder, tests.cwd)
    words = _words(_HERE.sub(lambda _: inside, tests.command))
    variables = [word for word in words[: _place(words, tests.command)] if _VARIABLE.match(word)]
    called = pairwise(words[_place(words, tests.command) :])
    options = [word for before, word in called if before in _VALUED or _stays(word, tests.cwd, paths)]
    whole = [*variables, python, "-m", "pytest", *options, test]
    return f"cd {shlex.quote(inside)} && {' '.join(map(_quoted, whole))}"


def _quoted(word: str) -> str:
    name, equals, value = word.partition("=")
    return f"{name}={shlex.quote(value)}" if equals and _VARIABLE.match(word) else shlex.quote(word)


def _words(command: str) -> list[str]:
    try:
        return [] if _CONTROL.search(command) else shlex.split(command)
    except ValueError:
        return []


def _place(words: list[str], command: str) -> int:
    """Where `pytest` stands among the words of a command."""
    found = next((at for at, word in enumerate(words) if posixpath.basename(word) in {"pytest", "py.test"}), None)
    if found is None:
        raise DataError(
            Path("the published layout"),
            0,
            f"its scripts run the tests by pytest, one by one; {command!r} is no plain call of that",
        )
    return found


def _stays(word: str, cwd: str, paths: Collection[str]) -> bool:
    if word in _QUIET or re.fullmatch(r"-q+", word):
        return False
    named = posixpath.normpath(posixpath.join(cwd, word.partition("::")[0]))
    return word.startswith("-") or not any(path == named or path.startswith(f"{named}/") for path in paths)
