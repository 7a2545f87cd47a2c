from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from runners.errors import RequirementRefused, ToolchainMissing
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.protocol import Layer
from runners.toolchains.store import install, layer_folder

MODULES = "/node_modules"
_FORMAT = 1
# Copies of a project are tested side by side: more workers in each would only get in each other's way.
_ONE_WORKER = {f"VITEST_{end}_{kind}": "1" for end in ("MIN", "MAX") for kind in ("FORKS", "THREADS")}
_PART = r"[a-z0-9_~][a-z0-9._~-]*"
_REQUIREMENT = re.compile(rf"((?:@{_PART}/)?{_PART})(?:@([\w.+^~<>=|* -]+))?")


@dataclass(frozen=True, slots=True)
class Node:
    """The machine's node with a `node_modules` at the root of the sandbox, where node looks last from any folder."""

    name: str = "node"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Install the packages without their scripts, or find them in the cache."""
        packages = dict(sorted(_checked(name) for name in requires))
        prefix, npm = _programs()

        async def build(folder: Path) -> None:
            progress(f"node: installing {', '.join(packages) or 'nothing'}")
            await _install(packages, folder, npm)

        folder = await layer_folder(cache, self.name, [_FORMAT, str(prefix), packages], build)
        own = () if prefix.is_relative_to("/usr") else (Mount(prefix, str(prefix)),)
        env = {"PATH": f"{MODULES}/.bin:{prefix}/bin:{ENVIRONMENT['PATH']}", **_ONE_WORKER}
        return Layer((Mount(folder / "node_modules", MODULES), *own), env)


def _programs() -> tuple[Path, str]:
    """Return the folder that node is installed in, and npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise ToolchainMissing("node and npm must both be on PATH: install Node.js 20 or later")
    return Path(node).resolve().parent.parent, npm


def _checked(name: str) -> tuple[str, str]:
    if not (found := _REQUIREMENT.fullmatch(name)):
        raise RequirementRefused(
            f"{name!r} is not a package name with a range (name@^1.2): no addresses, paths or aliases"
        )
    return found[1], found[2] or "*"


async def _install(packages: dict[str, str], folder: Path, npm: str) -> None:
    """Install without the packages' scripts, so that none of their code runs here."""
    (folder / "node_modules").mkdir()
    manifest = {"name": "layer", "version": "1.0.0", "private": True, "dependencies": packages}
    (folder / "package.json").write_bytes(msgspec.json.encode(manifest))
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress"]
    await install([npm, "install", *flags], folder, dict(os.environ))
