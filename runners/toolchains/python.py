from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from runners.errors import RequirementRefused, ToolchainMissing
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.interpreters import Interpreter, interpreter_of
from runners.toolchains.layer_store import install, layer_folder
from runners.toolchains.outside_usr import homes, is_shared, is_shown
from runners.toolchains.protocol import Layer
from runners.witness import FILES

VENV = "/venv"
_FORMAT = 2
_WITNESS = FILES / "ghosttape_witness.py"
_LIBRARY = re.compile(r"^\s*(?:\S+ => )?(/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter in a virtual environment of the project's own; wheels only."""

    series: str = ""
    """The first two numbers of its version, as `3.9`; empty: the interpreter that runs ghosttape."""

    @property
    def name(self) -> str:
        """The name by which it is chosen. Examples: `python`, `python3.9`."""
        return f"python{self.series}"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Make the environment and install wheels, or find both in the cache."""
        names = sorted(checked_requirement(name) for name in requires)
        interpreter = await asyncio.to_thread(interpreter_of, self.series)

        async def build(folder: Path) -> None:
            progress(f"{self.name}: installing {', '.join(names)}" if names else f"{self.name}: getting ready")
            await _install(interpreter.program, names, folder)

        witness = await asyncio.to_thread(_WITNESS.read_text)
        content = [_FORMAT, interpreter.build, interpreter.prefix, names, witness]
        folder = await layer_folder(cache, "python", content, build)
        shown = await asyncio.to_thread(_shown, interpreter, homes())
        return Layer(
            (Mount(folder / "venv", VENV), *shown),
            {"PATH": f"{VENV}/bin:{ENVIRONMENT['PATH']}", "VIRTUAL_ENV": VENV},
        )


def _shown(interpreter: Interpreter, homes: Collection[Path]) -> list[Mount]:
    """Return where the interpreter is installed, under both names if one is a link; sandboxes show /usr anyway.

    A folder that holds more than an interpreter (one with the home in it, or its `.local`) is shown in parts.
    """
    prefixes = sorted({Path(interpreter.prefix), Path(interpreter.prefix).resolve()})
    whole = ([prefix] if not is_shared(prefix, homes) else _parts(interpreter, prefix) for prefix in prefixes)
    paths = [path for parts in whole for path in parts]
    return [Mount(path.resolve(), str(path)) for path in paths if not is_shown(path)]


def _parts(interpreter: Interpreter, prefix: Path) -> list[Path]:
    """Return only what the interpreter needs of a folder, and the libraries that it loads from anywhere."""
    version = interpreter.library
    programs = [path for name in ("python", "python3", version) if (path := prefix / "bin" / name).is_file()]
    folders = [path for name in sorted({"lib", interpreter.platlibdir}) if (path := prefix / name / version).is_dir()]
    modules = [module for folder in folders for module in sorted((folder / "lib-dynload").glob("*.so"))]
    return [*programs, *folders, *_libraries([*programs, *modules])]


def _libraries(files: Sequence[Path]) -> list[Path]:
    try:
        done = subprocess.run(["ldd", *map(str, files)], capture_output=True, check=False, timeout=60, text=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainMissing("ldd, which tells the libraries of Python, cannot be run: install libc-bin") from error
    return sorted({Path(os.path.normpath(found)) for found in _LIBRARY.findall(done.stdout)})


def checked_requirement(name: str) -> str:
    """A requirement as pip reads it. Raises `RequirementRefused` if it is no name with versions, or names an address."""
    try:
        requirement = Requirement(name)
    except InvalidRequirement as error:
        raise RequirementRefused(f"{name!r} is not a package name with versions (PEP 508): {error}") from error
    if requirement.url:
        raise RequirementRefused(f"{name!r} names an address: only names from the package index are installed")
    return str(requirement)


async def _install(program: str, names: list[str], folder: Path) -> None:
    """Make the environment and install wheels: in one run of pip, so that no installed code is ever started here."""
    venv, empty = folder / "venv", folder / "empty"
    empty.mkdir()
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    await install([program, "-I", "-m", "venv", str(venv)], empty, env)
    if names:
        pip = [str(venv / "bin" / "python"), "-I", "-m", "pip", "install", "--only-binary", ":all:"]
        quiet = ["--no-input", "--disable-pip-version-check", "--no-warn-script-location", "--progress-bar", "off"]
        await install([*pip, *quiet, "--", *names], empty, env)
    _add_witness(venv)
    for script in (venv / "bin").iterdir():
        _free_of_folder(script, str(venv))


def _add_witness(venv: Path) -> None:
    """Put our plugin beside the packages: pytest finds it by its entry point, each interpreter by the `.pth` file."""
    site = next((venv / "lib").glob("python*/site-packages"))
    shutil.copy(_WITNESS, site)
    (site / f"{_WITNESS.stem}.pth").write_text(f"import {_WITNESS.stem}\n")
    about = site / f"{_WITNESS.stem}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {_WITNESS.stem}\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[pytest11]\n{_WITNESS.stem} = {_WITNESS.stem}\n")


def _free_of_folder(script: Path, venv: str) -> None:
    """Let a script find its interpreter on PATH: the folder it was installed in will have another name."""
    if script.is_symlink() or not script.is_file() or not script.read_bytes().startswith(b"#!"):
        return
    python = rf'"?{re.escape(venv)}/bin/python[\d.]*"?'
    text = re.sub(rf"\A#!{python}", "#!/usr/bin/env python", script.read_text())
    script.write_text(re.sub(rf"\A(#!/bin/sh\n'''exec' ){python}", r"\1python", text))
