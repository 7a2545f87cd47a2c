from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import RequirementRefused, ToolchainMissing
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.protocol import SHOWN, Layer
from runners.toolchains.store import install, layer_folder
from runners.witness import FILES

DRIVER = "/drive-java"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Java:
    """The machine's JDK, and the class that starts a program's main (`runners/witness/Drive.java`)."""

    name: str = "java"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Compile the driver, or find it in the cache; raise `RequirementRefused` if anything is required."""
        if requires:
            raise RequirementRefused(f"the toolchain 'java' installs nothing, but {requires[0]!r} is required")
        home = _home()
        source = FILES / "Drive.java"

        async def build(folder: Path) -> None:
            progress("java: getting ready")
            command = [str(home / "bin" / "javac"), "-g", "-d", str(folder / "classes"), str(source)]
            await install(command, folder, dict(os.environ))

        text = await asyncio.to_thread(source.read_text)
        folder = await layer_folder(cache, self.name, [_FORMAT, str(home), text], build)
        own = () if f"{home}/".startswith(SHOWN) else (Mount(home, str(home)),)
        env = {"JAVA_HOME": str(home), "PATH": f"{home}/bin:{ENVIRONMENT['PATH']}", "DRIVE_JAVA": DRIVER}
        return Layer((Mount(folder / "classes", DRIVER), *own), env)


def _home() -> Path:
    """Return the folder of the JDK whose `javac` is on PATH, behind all links."""
    if (javac := shutil.which("javac")) is None:
        raise ToolchainMissing("javac is not on PATH: install a JDK, 17 or later (on Debian: default-jdk-headless)")
    home = Path(javac).resolve().parent.parent
    if not (home / "bin" / "java").exists():
        raise ToolchainMissing(f"there is no java beside {javac}: put the JDK's own folder bin on PATH")
    return home
