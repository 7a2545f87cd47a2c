from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from runners.errors import RequirementRefused
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.protocol import Layer
from runners.toolchains.store import install, layer_folder

VENV = "/venv"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Python:
    """The interpreter that runs ghosttape, in a virtual environment of the project's own; wheels only."""

    name: str = "python"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Make the environment and install wheels, or find both in the cache."""
        names = sorted(_checked(name) for name in requires)

        async def build(folder: Path) -> None:
            progress(f"python: installing {', '.join(names) or 'nothing'}")
            await _install(names, folder)

        folder = await layer_folder(cache, self.name, [_FORMAT, sys.version, sys.base_prefix, names], build)
        return Layer(
            (Mount(folder / "venv", VENV), *_interpreter()),
            {"PATH": f"{VENV}/bin:{ENVIRONMENT['PATH']}", "VIRTUAL_ENV": VENV},
        )


def _interpreter() -> list[Mount]:
    """Return where the interpreter is installed, under both names if one is a link; sandboxes show /usr anyway."""
    prefixes = {sys.base_prefix, os.path.realpath(sys.base_prefix)}
    return [Mount(Path(prefix), prefix) for prefix in sorted(prefixes) if not f"{prefix}/".startswith("/usr/")]


def _checked(name: str) -> str:
    try:
        requirement = Requirement(name)
    except InvalidRequirement as error:
        raise RequirementRefused(f"{name!r} is not a package name with versions (PEP 508): {error}") from error
    if requirement.url:
        raise RequirementRefused(f"{name!r} names an address: only names from the package index are installed")
    return str(requirement)


async def _install(names: list[str], folder: Path) -> None:
    """Make the environment and install wheels: in one run of pip, so that no installed code is ever started here."""
    venv, empty = folder / "venv", folder / "empty"
    empty.mkdir()
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    await install([sys.executable, "-I", "-m", "venv", str(venv)], empty, env)
    if names:
        pip = [str(venv / "bin" / "python"), "-I", "-m", "pip", "install", "--only-binary", ":all:"]
        quiet = ["--no-input", "--disable-pip-version-check", "--no-warn-script-location", "--progress-bar", "off"]
        await install([*pip, *quiet, "--", *names], empty, env)
    for script in (venv / "bin").iterdir():
        _free_of_folder(script, str(venv))


def _free_of_folder(script: Path, venv: str) -> None:
    """Let a script find its interpreter on PATH: the folder it was installed in will have another name."""
    if script.is_symlink() or not script.read_bytes().startswith(b"#!"):
        return
    python = rf'"?{re.escape(venv)}/bin/python[\d.]*"?'
    text = re.sub(rf"\A#!{python}", "#!/usr/bin/env python", script.read_text())
    script.write_text(re.sub(rf"\A(#!/bin/sh\n'''exec' ){python}", r"\1python", text))
