"""The commands that may run the tests of a Python project."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from runners.environments.manifests import Files
from runners.environments.python.automation import UNKNOWN, tox_environments
from runners.environments.python.layout import pytest_options

PYTEST = "python -m pytest -q -p no:cacheprovider"
_MEASURES = re.compile(
    r"--cov\b|--cov[-=]|--cov-|--junit|--html|--durations|-n\b|--numprocesses|--verbose|-v+$|-q$|--color|--basetemp"
)
_VALUED = frozenset({"-n", "--cov", "--cov-report", "--cov-config", "--durations", "--basetemp", "--junitxml", "-k", "-m", "-p", "-c", "--ignore", "--deselect", "-o", "-W"})  # fmt: skip
SHUFFLERS = frozenset({"pytest-randomly", "pytest-random-order", "pytest-reverse"})
"""Plugins that change the order of tests as soon as they are installed, or whose only use that is."""
_PYTHON = re.compile(r"^python[\d.]*$")


def tox_commands(files: Files, root: PurePosixPath) -> Iterator[tuple[str, str]]:
    """Commands of tox for its tests, each with where it stands: pytest with its arguments, or any Python program."""
    for each in tox_environments(files, root):
        if each.use == "test":
            for line in each.commands:
                if command := _plain(line):
                    yield command, each.source


def _plain(line: str) -> str:
    """A command of tox as it can run here: without measuring coverage; empty where it runs no test."""
    try:
        words = [word for word in shlex.split(line) if UNKNOWN not in word]
    except ValueError:
        return ""
    if words[:2] == ["coverage", "run"]:
        words = ["python", *_after_options(words[2:])]
    if words and _PYTHON.match(words[0]) and words[1:2] != ["-m"]:
        return shlex.join(words) if any(word.endswith(".py") and "test" in word for word in words[1:3]) else ""
    if words[:1] == ["pytest"] or words[:1] == ["py.test"]:
        words = ["python", "-m", "pytest", *words[1:]]
    if words[1:3] == ["-m", "pytest"]:
        return " ".join([PYTEST, shlex.join(_test_words(words[3:]))]).strip()
    return shlex.join(words) if words[1:3] in (["-m", "unittest"], ["-m", "django"]) else ""


def _after_options(words: list[str]) -> list[str]:
    """The words of `coverage run` from the program on."""
    for index, word in enumerate(words):
        if word == "-m" or not word.startswith("-"):
            return words[index:]
    return []


def _test_words(words: list[str]) -> list[str]:
    """Which tests are meant, and how they are chosen; not what is measured or printed."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if _MEASURES.match(word):
            if word in _VALUED:
                next(rest, "")
        else:
            kept.append(word)
            if word in _VALUED:
                kept.append(next(rest, ""))
    return kept


def needed_plugins(files: Files, root: PurePosixPath) -> dict[str, str]:
    """Package → why, for each plugin that the settings of pytest need."""
    options = pytest_options(files, root)
    said = options.get("addopts", "")
    words = " ".join(map(str, said)) if isinstance(said, list) else str(said)
    found = {
        package: f"addopts has {flag}"
        for flag, package in _PLUGIN_FLAGS.items()
        if re.search(rf"(^|\s){flag}\b", words)
    }
    return found | {
        package: f"pytest's settings have {name}" for name, package in _PLUGIN_SETTINGS.items() if name in options
    }


_PLUGIN_FLAGS = {
    "--cov": "pytest-cov",
    "-n": "pytest-xdist",
    "--numprocesses": "pytest-xdist",
    "--benchmark": "pytest-benchmark",
    "--timeout": "pytest-timeout",
    "--reruns": "pytest-rerunfailures",
    "--mypy": "pytest-mypy",
    "--asyncio-mode": "pytest-asyncio",
    "--randomly": "pytest-randomly",
    "--random-order": "pytest-random-order",
    "--reverse": "pytest-reverse",
    "--snapshot": "syrupy",
}
_PLUGIN_SETTINGS = {"asyncio_mode": "pytest-asyncio", "timeout": "pytest-timeout", "DJANGO_SETTINGS_MODULE": "pytest-django", "env": "pytest-env", "mypy_paths": "pytest-mypy"}  # fmt: skip
