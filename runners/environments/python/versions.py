"""Which versions of Python a project says that it is for, and which interpreter of this machine that is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from runners.environments.manifests import Files, at, ini_of, string_in, strings_in, table_in, toml_of, until_refused
from runners.environments.python.declared import pep440
from runners.environments.python.source_code import setup_arguments
from runners.toolchains.interpreters import Installed, Interpreter, installed, own_interpreter, series_of

_SERIES = ("2.7", *(f"3.{minor}" for minor in range(41)))
"""Those of which one is named to a person who has none that fits."""
_PATCHES = range(40)
_LONGEST = 1_000
"""Longer texts say nothing: no person writes them, and to expand them may take minutes."""
_DIGITS = 4
"""Those of a series at most."""
_ENVIRONMENT = re.compile(r"(?<![\w.])py(?:thon)?(?![a-zA-Z_])([\d.]*)(?:\{([^{}]*)\})?")
"""An environment of tox that names versions. Examples: `py39`, `py3.9-django`, `py{38,39}`, `py3{9-12}`."""
_RANGE = re.compile(r"(\d{1,3})-(\d{1,3})")
_PINNED = re.compile(r"(?:cpython-)?(3\.\d{1,3})(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class WantedPython:
    """What one place says of the versions that a project is for."""

    said: str
    """In its own words. Example: `>=3.8,<3.11`."""
    source: str
    """The file, and the place in it."""
    alternatives: tuple[SpecifierSet, ...]
    """A version fits if one of them holds it."""
    binding: bool
    """Whether an installer refuses other versions; else it names those with which the project is worked on."""

    def fits(self, version: str) -> bool:
        """Whether a version fits."""
        return any(each.contains(version, prereleases=True) for each in self.alternatives)


@dataclass(frozen=True, slots=True)
class ChosenPython:
    """The interpreter for a project."""

    toolchain: str
    """`python` for the one that runs ghosttape, else with its version, as `python3.9`."""
    version: str
    """Example: `3.9.18`; of a series that is not installed, its first."""
    because: WantedPython | None = None
    """What excludes the one that runs ghosttape; None if it is that one."""


def wanted_pythons(files: Files, root: PurePosixPath) -> Iterator[WantedPython]:
    """All that the files of a project (path → text) say of its versions of Python; what cannot be read says nothing."""
    for said, source in _binding(files, root):
        if alternatives := _specifiers(said):
            yield WantedPython(said, source, alternatives, binding=True)
    for series, source in _worked_on_with(files, root):
        named = list(dict.fromkeys(series))
        alternatives = tuple(SpecifierSet(f"=={name}.*") for name in named)
        if alternatives:
            yield WantedPython(", ".join(named), source, alternatives, binding=False)


def _binding(files: Files, root: PurePosixPath) -> Iterator[tuple[str, str]]:
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    tool = table_in(manifest, "tool")
    yield string_in(table_in(manifest, "project"), "requires-python"), "pyproject.toml [project] requires-python"
    poetry = string_in(table_in(tool, "poetry", "dependencies"), "python")
    yield _joined(poetry), "pyproject.toml [tool.poetry.dependencies] python"
    yield string_in(table_in(tool, "flit", "metadata"), "requires-python"), "pyproject.toml [tool.flit.metadata]"
    options = ini_of(files.get(at(root, "setup.cfg"), "")).get("options", {})
    yield options.get("python_requires", ""), "setup.cfg [options] python_requires"
    given = setup_arguments(files.get(at(root, "setup.py"), ""))
    yield string_in(given, "python_requires"), "setup.py python_requires"


def _joined(poetry: str) -> str:
    """Poetry's words as PEP 440 has them. Example: `~2.7 || ^3.6` gives `>=2.7,<2.8 || >=3.6,<4`."""
    return " || ".join(pep440(part.strip()) for part in re.split(r"\|\|?", poetry))


def _specifiers(said: str) -> tuple[SpecifierSet, ...]:
    if len(said) > _LONGEST:
        return ()
    try:
        return tuple(SpecifierSet(part.strip()) for part in said.split("||") if part.strip())
    except InvalidSpecifier:
        return ()


def _worked_on_with(files: Files, root: PurePosixPath) -> Iterator[tuple[Sequence[str], str]]:
    """The series with which a project is worked on, with the place that names them."""
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    tox = table_in(manifest, "tool", "tox")
    yield _of_tox_ini(ini_of(files.get(at(root, "tox.ini"), ""))), "tox.ini [tox] envlist"
    yield _of_tox_ini(ini_of(string_in(tox, "legacy_tox_ini"))), "pyproject.toml [tool.tox] envlist"
    yield _of_tox_toml(toml_of(files.get(at(root, "tox.toml"), ""))), "tox.toml env_list"
    yield _of_tox_toml(tox), "pyproject.toml [tool.tox] env_list"
    lines = files.get(at(root, ".python-version"), "").split()
    yield [found[1] for line in lines if (found := _PINNED.fullmatch(line))], ".python-version"


def _of_tox_ini(sections: Mapping[str, Mapping[str, str]]) -> list[str]:
    own, base = sections.get("tox", {}), sections.get("testenv", {})
    pinned = base.get("basepython") or base.get("base_python") or ""
    return _of_tox(own.get("envlist") or own.get("env_list") or "", pinned)


def _of_tox_toml(table: Mapping[str, Any]) -> list[str]:
    base = table_in(table, "env_run_base")
    pinned = string_in(base, "base_python") or ",".join(strings_in(base, "base_python"))
    return _of_tox(",".join(strings_in(table, "env_list")), pinned)


def _of_tox(listed: str, pinned: str) -> list[str]:
    """The series that environments name; where all run with the same, that. None where one takes any version (`py`, `py3`)."""
    said = pinned or listed
    names = [
        name
        for found in _ENVIRONMENT.finditer(said if len(said) <= _LONGEST else "")
        for name in _expanded(found[1], found[2])
    ]
    series = [_series(name) for name in names]
    return [name for name in series if name] if all(series) else []


def _expanded(before: str, group: str | None) -> Iterator[str]:
    """The numbers of an environment. Examples: `3` and `8,9` give `38` and `39`; `3` and `9-11` give `39`, `310` and `311`."""
    for item in (group or "").split(","):
        if limits := _RANGE.fullmatch(item.strip()):
            yield from (f"{before}{number}" for number in _range(limits[1], limits[2]))
        else:
            yield before + item.strip().partition("-")[0]


def _range(first: str, last: str) -> Iterator[str]:
    """The numbers of a range of tox. Examples: `9` to `11`; `39` to `311`, which is 39, 310 and 311."""
    major = "3" if len(first) > 1 and first.startswith("3") and last.startswith("3") else ""
    start, end = (int(text.removeprefix(major)) for text in (first, last))
    return (f"{major}{minor}" for minor in range(start, end + 1))


def _series(name: str) -> str:
    """The series of a number. Examples: `39` and `3.9` give `3.9`, `310` gives `3.10`; `3` gives nothing."""
    digits = name.replace(".", "")
    return f"{digits[0]}.{int(digits[1:])}" if 1 < len(digits) <= _DIGITS and digits.isdecimal() else ""


def chosen_python(
    files: Files, root: PurePosixPath, toolchain: str = "", find: Callable[[], Installed] = installed
) -> ChosenPython:
    """The interpreter for a project: the one that runs ghosttape if it fits, else the newest one that is installed and fits.

    Where no version fits all that is said, only what is binding counts. Where none that fits is installed, the series that is nearest
    to the one that runs ghosttape. `toolchain`: what a person asks for (`python`, `python3.9`), whatever the files say.
    """
    own = own_interpreter()
    if toolchain:
        return _asked_for(toolchain, own, find)
    wanted = list(until_refused(wanted_pythons(files, root)))
    binding = [each for each in wanted if each.binding]
    there = find() if _excluding(wanted, own.version) else Installed({})
    for limits in (wanted, binding):
        if (because := _excluding(limits, own.version)) is None:
            return ChosenPython("python", own.version)
        if version := _newest(limits, there):
            return ChosenPython(f"python{series_of(version)}", version, because)
    series = _nearest(binding, own.series)
    return ChosenPython(f"python{series}", f"{series}.0", because) if series else ChosenPython("python", own.version)


def _asked_for(toolchain: str, own: Interpreter, find: Callable[[], Installed]) -> ChosenPython:
    series = toolchain.removeprefix("python")
    there = find().interpreter(series) if series else own
    return ChosenPython(toolchain, there.version if there else f"{series}.0")


def _excluding(wanted: Iterable[WantedPython], version: str) -> WantedPython | None:
    """The first that a version does not fit; None if it fits all."""
    return next((each for each in wanted if not each.fits(version)), None)


def _newest(wanted: Sequence[WantedPython], there: Installed) -> str:
    """The newest installed version that fits all; empty if none does. Only what may fit is started."""
    for series in there.series:
        if _may_fit(wanted, series) and (found := there.interpreter(series)) and not _excluding(wanted, found.version):
            return found.version
    return ""


def _may_fit(wanted: Sequence[WantedPython], series: str) -> bool:
    """Whether some version of a series fits all."""
    return any(_excluding(wanted, f"{series}.{patch}") is None for patch in _PATCHES)


def _nearest(wanted: Sequence[WantedPython], own: str) -> str:
    """Of the series that exist the one that fits all and is nearest to another; empty where they exclude each other."""
    fitting = [series for series in _SERIES if _may_fit(wanted, series)]
    return min(fitting, key=lambda series: abs(_number(series) - _number(own)), default="")


def _number(series: str) -> int:
    """A number that grows with the series. Example: `3.9` gives 309."""
    major, _, minor = series.partition(".")
    return 100 * int(major) + int(minor)
