from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import ToolchainMissing
from runners.protocol import Mount
from runners.toolchains.layer_store import install, layer_folder
from runners.toolchains.outside_usr import own_folder, path_variable, program_files
from runners.toolchains.protocol import Layer, refuse_requirements
from runners.witness import FILES

DRIVER = "/drive-java"
_FORMAT = 1
# What a build tool consists of, and nothing else of its folder: its settings may hold passwords.
_BUILD_TOOLS = {"mvn": ("bin/m2.conf", "boot", "lib"), "gradle": ("lib/gradle-*.jar", "lib/plugins")}
_DEBIAN_MAVEN = ("/etc/maven/m2.conf", "/etc/maven/logging")


@dataclass(frozen=True, slots=True)
class Java:
    """The machine's JDK, Maven and Gradle, and the class that starts a program's main (`runners/witness/Drive.java`)."""

    name: str = "java"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Compile the driver, or find it in the cache; raise `RequirementRefused` if anything is required."""
        refuse_requirements(self.name, requires)
        home = _home()
        own = own_folder(home, "javac")
        source = FILES / "Drive.java"

        async def build(folder: Path) -> None:
            progress("java: getting ready")
            command = [str(home / "bin" / "javac"), "-g", "-d", str(folder / "classes"), str(source)]
            await install(command, folder, dict(os.environ))

        text = await asyncio.to_thread(source.read_text)
        folder = await layer_folder(cache, self.name, [_FORMAT, str(home), text], build)
        tools = [program_files(name, *parts) for name, parts in _BUILD_TOOLS.items()]
        path = path_variable(home / "bin", *(mounts[0].source.parent for mounts in tools if mounts))
        shown = (Mount(folder / "classes", DRIVER), *own, *(mount for mounts in tools for mount in mounts), *_debian())
        return Layer(shown, {"JAVA_HOME": str(home), "PATH": path, "DRIVE_JAVA": DRIVER})


def _home() -> Path:
    """Return the folder of the JDK whose `javac` is on PATH, behind all links."""
    if (javac := shutil.which("javac")) is None:
        raise ToolchainMissing("javac is not on PATH: install a JDK, 17 or later (on Debian: default-jdk-headless)")
    home = Path(javac).resolve().parent.parent
    if not (home / "bin" / "java").exists():
        raise ToolchainMissing(f"there is no java beside {javac}: put the JDK's own folder bin on PATH")
    return home


def _debian() -> tuple[Mount, ...]:
    """Return what Debian's Maven, which lies in /usr, keeps outside of it; it does not start without."""
    return tuple(Mount(Path(path), path) for path in _DEBIAN_MAVEN if Path(path).exists())
