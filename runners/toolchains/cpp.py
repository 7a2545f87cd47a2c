from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import ToolchainMissing
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.layer_store import install, layer_folder
from runners.toolchains.outside_usr import is_shown, own_folder, path_variable, program_files
from runners.toolchains.protocol import Layer, refuse_requirements
from runners.witness import FILES

DRIVER = "/drive-cpp"
_FORMAT = 1
_BUILD_TOOLS: dict[str, tuple[str, ...]] = {
    "cmake": ("bin/ctest", "share/cmake-*"),
    "ninja": (),
    "make": (),
}


@dataclass(frozen=True, slots=True)
class Cpp:
    """The machine's g++, CMake, Ninja and make, and the object that stands around a program's main (`drive.cpp`)."""

    name: str = "cpp"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Compile the driver, or find it in the cache; raise `RequirementRefused` if anything is required."""
        refuse_requirements(self.name, requires)
        compiler, source = _compiler(), FILES / "drive.cpp"
        own = () if is_shown(compiler) else own_folder(compiler.parent.parent, "g++")
        version = await asyncio.to_thread(_version, compiler)

        async def build(folder: Path) -> None:
            progress("cpp: getting ready")
            (folder / "objects").mkdir()
            command = [str(compiler), "-std=c++17", "-O1", "-c", str(source), "-o", str(folder / "objects" / "drive.o")]
            await install(command, folder, dict(os.environ))

        text = await asyncio.to_thread(source.read_text)
        folder = await layer_folder(cache, self.name, [_FORMAT, version, text], build)
        tools = [program_files(name, *parts) for name, parts in _BUILD_TOOLS.items()]
        bins = [compiler.parent] if own else []
        path = path_variable(*bins, *(mounts[0].source.parent for mounts in tools if mounts))
        shown = (Mount(folder / "objects", DRIVER), *own, *(mount for mounts in tools for mount in mounts))
        return Layer(
            shown, {"DRIVE_CPP": DRIVER, **({"PATH": path} if path != ENVIRONMENT["PATH"] else {}), **_libraries(own)}
        )


def _compiler() -> Path:
    """Return g++ as a sandbox will find it: one in /usr as it stands there, any other behind all links."""
    found = shutil.which("g++")
    if found is not None and not is_shown(Path(found)):
        real = Path(found).resolve()
        found = (
            str(real) if real.name == "g++" and not is_shown(real) else shutil.which("g++", path=ENVIRONMENT["PATH"])
        )
    if found is None:
        raise ToolchainMissing(
            "there is no program of the name g++ on PATH: install the distribution's package (on Debian: g++)"
        )
    return Path(found)


def _libraries(own: tuple[Mount, ...]) -> dict[str, str]:
    """Return where what a compiler outside of /usr has built finds that compiler's own libraries."""
    folders = [str(path) for mount in own for name in ("lib64", "lib") if (path := mount.source / name).is_dir()]
    return {"LD_LIBRARY_PATH": ":".join(folders)} if folders else {}


def _version(compiler: Path) -> str:
    return subprocess.run([compiler, "--version"], capture_output=True, check=True, timeout=60, text=True).stdout
