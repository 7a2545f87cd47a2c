"""The interpreters of Python on this machine: the one that runs ghosttape, and those that are installed beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from runners.errors import ToolchainMissing
from runners.toolchains.outside_usr import home

OLDEST = (3, 7)
"""The oldest series whose tests ghosttape can follow: what stands beside the tests needs it."""
_NAME = re.compile(r"python(3\.\d{1,2})")
_ASK = """
import json, sys
series = "python%d.%d" % sys.version_info[:2]
print(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3], "build": sys.version, "prefix": sys.base_prefix,
    "program": getattr(sys, "_base_executable", "") or sys.base_prefix + "/bin/" + series,
    "library": series + getattr(sys, "abiflags", ""), "platlibdir": getattr(sys, "platlibdir", "lib"),
    "implementation": sys.implementation.name,
}))
"""


class Interpreter(msgspec.Struct, frozen=True):
    """An interpreter as it describes itself, outside of any virtual environment."""

    version: str
    """Three numbers. Example: `3.9.18`."""
    build: str
    """What tells builds of the same version apart (`sys.version`)."""
    prefix: str
    """The folder that it is installed in."""
    program: str
    """The file that starts it."""
    library: str
    """The name of its own folder below `lib`. Example: `python3.9`."""
    platlibdir: str = "lib"
    implementation: str = "cpython"

    @property
    def series(self) -> str:
        """The first two numbers. Example: `3.9`."""
        return series_of(self.version)


def series_of(version: str) -> str:
    """The first two numbers of a version. Example: `3.9.18` gives `3.9`."""
    return ".".join(version.split(".")[:2])


def own_interpreter() -> Interpreter:
    """The interpreter that runs ghosttape."""
    numbers = ".".join(map(str, sys.version_info[:3]))
    library = f"python{series_of(numbers)}{sys.abiflags}"
    return Interpreter(numbers, sys.version, sys.base_prefix, sys.executable, library, sys.platlibdir)


@dataclass(frozen=True, slots=True)
class Installed:
    """Where interpreters of each series lie, the places of which names are sure first; none of them was started yet."""

    programs: Mapping[str, tuple[Path, ...]]
    """Series → files that bear its name. Example: `3.9` → `~/.pyenv/versions/3.9.18/bin/python3.9`."""

    @property
    def series(self) -> list[str]:
        """The series, the newest first; none that is older than `OLDEST`."""
        known = (tuple(map(int, name.split("."))) for name in self.programs)
        return [".".join(map(str, numbers)) for numbers in sorted(known, reverse=True) if numbers >= OLDEST]

    def interpreter(self, series: str) -> Interpreter | None:
        """The first of a series that answers; the one that runs ghosttape if it is of that series; None if none does."""
        if (own := own_interpreter()).series == series:
            return own
        answers = (_described(str(program)) for program in self.programs.get(series, ()))
        return next((each for each in answers if each is not None and each.series == series), None)


def installed(environ: Mapping[str, str] = os.environ) -> Installed:
    """Look where pyenv and uv put interpreters, then on PATH. Folders of PATH that are not absolute do not count.

    No program counts that a repository may have brought: those in the current folder, in a working tree of git, or in `node_modules/.bin`.
    """
    found: dict[str, dict[Path, None]] = {}
    is_brought = _is_brought(_roots(environ))
    for program in _programs(environ):
        named = _NAME.fullmatch(program.name)
        if named and os.access(program, os.X_OK) and not is_brought(program):
            found.setdefault(named[1], {})[program] = None
    return Installed({series: tuple(programs) for series, programs in found.items()})


def _roots(environ: Mapping[str, str]) -> tuple[Path, Path]:
    """The folders of pyenv and of uv."""
    data = Path(environ.get("XDG_DATA_HOME") or home() / ".local/share")
    return (
        Path(environ.get("PYENV_ROOT") or home() / ".pyenv"),
        Path(environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv/python"),
    )


def _programs(environ: Mapping[str, str]) -> Iterator[Path]:
    pyenv, uv = _roots(environ)
    for folder in (pyenv / "versions", uv):
        yield from sorted(folder.glob("*/bin/python3.*"), key=_newest_first)
    for name in environ.get("PATH", "").split(os.pathsep):
        if Path(name).is_absolute():
            yield from sorted(Path(name).glob("python3.*"))


def _is_brought(roots: Iterable[Path]) -> Callable[[Path], bool]:
    """Whether a repository may have brought a program, by where it lies, and by where it leads as a link.

    The home, and what it lies in, are the user's own, also if they are a working tree; so are the `roots` of installers: pyenv is a clone itself.
    """
    homes = {above for place in (home(), home().resolve()) for above in (place, *place.parents)}
    own = homes | {place for root in roots for place in (root, root.resolve())}
    here = {Path(os.path.realpath(os.curdir))} - homes

    def lies_in_repository(place: Path) -> bool:
        is_tree = any(above in here or (above not in own and (above / ".git").exists()) for above in place.parents)
        return is_tree or (place.parent.name, place.parent.parent.name) == (".bin", "node_modules")

    return lambda program: any(map(lies_in_repository, (program, program.parent.resolve() / "_", program.resolve())))


def _newest_first(program: Path) -> list[int]:
    """Of several installations of one series the newest counts. Example: 3.9.18 comes before 3.9.2."""
    return [-int(number) for number in re.findall(r"\d+", program.parent.parent.name)]


@cache
def _described(program: str) -> Interpreter | None:
    """What an interpreter says of itself; None if it does not answer, or is another implementation of Python."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [program, "-I", "-c", _ASK], capture_output=True, check=True, timeout=60, cwd="/", env=env
        )
        found = msgspec.json.decode(done.stdout, type=Interpreter)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
        return None
    return found if found.implementation == "cpython" else None


def interpreter_of(series: str) -> Interpreter:
    """The interpreter of a series that is installed here; the one that runs ghosttape for an empty text.

    Raises `ToolchainMissing` if there is none; says how to get one.
    """
    if not series:
        return own_interpreter()
    if tuple(map(int, series.split("."))) < OLDEST:
        raise ToolchainMissing(
            f"Python {series} is too old: ghosttape follows tests of Python {'.'.join(map(str, OLDEST))} and later"
        )
    if (found := installed().interpreter(series)) is None:
        raise ToolchainMissing(
            f"Python {series} is not installed here: get it with `uv python install {series}` or `pyenv install {series}`"
        )
    return found
