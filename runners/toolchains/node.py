from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from runners.errors import RequirementRefused, ToolchainMissing
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.layer_store import install, layer_folder
from runners.toolchains.protocol import SHOWN, Layer, Unsupported

MODULES = "/node_modules"
_FORMAT = 1
# Copies of a project are tested side by side: more workers in each would only get in each other's way.
# vitest reads VITEST_MAX_WORKERS from version 4 on, and the others before.
_ONE_WORKER = {f"VITEST_{end}_{kind}": "1" for end in ("MIN", "MAX") for kind in ("FORKS", "THREADS")} | {
    "VITEST_MAX_WORKERS": "1"
}
_ASK = "JSON.stringify([process.execPath, ...process.report.getReport().sharedObjects])"
_UNSUPPORTED_FILE = "unsupported.json"
_UNSUPPORTED = re.compile(
    r"package: '([^']+)',\s+required: \{[^}]*\bnode: '([^']+)'[^}]*\},\s+current: \{\s*node: 'v?([^']+)'"
)
_PART = r"[a-z0-9_~][a-z0-9._~-]*"
_REQUIREMENT = re.compile(rf"((?:@{_PART}/)?{_PART})(?:@([\w.+^~<>=|* -]+))?")


@dataclass(frozen=True, slots=True)
class Node:
    """The machine's node with a `node_modules` at the root of the sandbox, where node looks last from any folder."""

    name: str = "node"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Install the packages without their scripts, or find them in the cache."""
        packages = dict(sorted(checked_requirement(name) for name in requires))
        node, npm = _programs()
        binary, *libraries = await asyncio.to_thread(_loaded, node)

        async def build(folder: Path) -> None:
            progress(f"node: installing {', '.join(packages)}" if packages else "node: getting ready")
            await _install(packages, folder, npm)

        folder = await layer_folder(cache, self.name, [_FORMAT, str(binary.parent.parent), packages], build)
        program = binary if binary.name == "node" else node
        env = {"PATH": f"{MODULES}/.bin:{program.parent}:{ENVIRONMENT['PATH']}", **_ONE_WORKER}
        own = {program: binary, binary: binary, **{library: library.resolve() for library in libraries}}
        mounts = (Mount(source, str(path)) for path, source in own.items() if not str(path).startswith(SHOWN))
        return Layer((Mount(folder / "node_modules", MODULES), *mounts), env, _kept_unsupported(folder))


def _programs() -> tuple[Path, str]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise ToolchainMissing("node and npm must both be on PATH: install Node.js 20 or later")
    return Path(node).absolute(), npm


def _loaded(node: Path) -> list[Path]:
    """Return the files that node consists of: its binary (what is on PATH may be a link or a script), its libraries.

    The folder around them is not asked for: it may be someone's home.
    """
    env = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    try:
        done = subprocess.run([str(node), "-p", _ASK], capture_output=True, check=True, timeout=60, env=env)
        files = msgspec.json.decode(done.stdout, type=list[str])
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        raise ToolchainMissing(f"{node} does not report which files it loads: install Node.js 20 or later") from error
    return [Path(os.path.normpath(file)) for file in files if file.startswith("/")]


def checked_requirement(name: str) -> tuple[str, str]:
    """The name and the range of a requirement of npm. Raises `RequirementRefused` if it is none."""
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
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-progress", "--loglevel=warn"]
    said = await install([npm, "install", *flags], folder, dict(os.environ))
    (folder / _UNSUPPORTED_FILE).write_bytes(msgspec.json.encode(unsupported_in(said)))


def unsupported_in(said: str) -> tuple[Unsupported, ...]:
    """The packages of which npm warns (EBADENGINE) that they are for other versions of node."""
    text = re.sub(r"^npm warn EBADENGINE", "", said, flags=re.MULTILINE | re.IGNORECASE)
    return tuple(Unsupported(*found) for found in _UNSUPPORTED.findall(text))


def _kept_unsupported(folder: Path) -> tuple[Unsupported, ...]:
    """What npm warned of when a layer was installed; nothing for those that an older version of ghosttape installed."""
    file = folder / _UNSUPPORTED_FILE
    return msgspec.json.decode(file.read_bytes(), type=tuple[Unsupported, ...]) if file.exists() else ()
