from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import RequirementRefused, ToolchainMissing
from runners.protocol import Mount
from runners.toolchains.protocol import SHOWN, Layer
from runners.toolchains.store import install, layer_folder
from runners.witness import FILES

DRIVER = "/drive-cpp"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Cpp:
    """The machine's g++, and the object that stands around a program's main (`runners/witness/drive.cpp`)."""

    name: str = "cpp"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Compile the driver, or find it in the cache; raise `RequirementRefused` if anything is required."""
        if requires:
            raise RequirementRefused(f"the toolchain 'cpp' installs nothing, but {requires[0]!r} is required")
        compiler, source = _compiler(), FILES / "drive.cpp"
        version = await asyncio.to_thread(_version, compiler)

        async def build(folder: Path) -> None:
            progress("cpp: getting ready")
            (folder / "objects").mkdir()
            command = [str(compiler), "-std=c++17", "-O1", "-c", str(source), "-o", str(folder / "objects" / "drive.o")]
            await install(command, folder, dict(os.environ))

        text = await asyncio.to_thread(source.read_text)
        folder = await layer_folder(cache, self.name, [_FORMAT, version, text], build)
        return Layer((Mount(folder / "objects", DRIVER),), {"DRIVE_CPP": DRIVER})


def _compiler() -> Path:
    """Return g++ as every sandbox shows it."""
    path = shutil.which("g++")
    if path is None or not path.startswith(SHOWN):
        raise ToolchainMissing("g++ is not in /usr: install the distribution's package (on Debian: g++)")
    return Path(path)


def _version(compiler: Path) -> str:
    return subprocess.run([compiler, "--version"], capture_output=True, check=True, timeout=60, text=True).stdout
