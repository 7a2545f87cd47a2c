"""C++ headers compiled ahead: for each block of includes that programs begin with, exactly these headers.

The block stands first in the program, so nothing is visible in it that was not; its own includes find everything defined.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from runners.files import remove_tree, write_all
from runners.protocol import Job, Mount, Sandbox
from runners.temporary import TemporaryFolder
from runners.toolchains import Layer

FOLDER = "/headers"
_WORTH = 3
_KEPT = 8
_BUILD_S = 120.0
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<((?:[\w+-]+[./])*[\w+-]+)>[ \t]*(?://.*)?")
_NOTHING = re.compile(r"[ \t]*(?://.*)?")


def block(text: str) -> str:
    """Return the includes of the machine's own headers that the program begins with, one a line; comments may stand between."""
    found = []
    for line in text.splitlines():
        if line.endswith("\\"):  # goes on in the next one
            break
        if include := _INCLUDE.fullmatch(line):
            found.append(f"#include <{include[1]}>\n")
        elif not _NOTHING.fullmatch(line):
            break
    return "".join(found)


@dataclass(frozen=True, slots=True)
class Headers:
    """Precompiled headers in a folder that goes with this process: the compiler would not see that a header has changed.

    The least recently used of them go.
    """

    folder: Path
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def mount(self) -> Mount:
        """Show the folder to the sandboxes that compile."""
        return Mount(self.folder, FOLDER)

    async def option(self, text: str, command: str, build: tuple[Sandbox, Layer, TemporaryFolder]) -> str:
        """Return the option for a compiler that begins with the program's headers, "" if they are not worth it (yet).

        `command` is the one that compiles the program. The third time that a block comes it is compiled, in a sandbox.
        """
        wanted, flags = block(text), _flags(command)
        key = hashlib.sha256(f"{flags}\n{wanted}".encode()).hexdigest()[:24]
        self.seen[key] += 1
        place = self.folder / key
        if not wanted or (self.seen[key] < _WORTH and not place.exists()):
            return ""
        if not place.exists() and self.seen[key] == _WORTH:
            await self._build(place, f"{flags} -x c++-header all.hpp -o all.hpp.gch", wanted, build)
        if not (place / "all.hpp.gch").exists():
            return ""
        os.utime(place)
        return f"-include {FOLDER}/{key}/all.hpp"

    async def _build(
        self, place: Path, command: str, wanted: str, build: tuple[Sandbox, Layer, TemporaryFolder]
    ) -> None:
        sandbox, layer, workspace = build
        folder = workspace.folder / f"headers-{place.name}"
        folder.mkdir()
        write_all(folder, {"all.hpp": wanted})
        job = Job(folder, command, env=layer.env, mounts=layer.mounts)
        await sandbox.run(replace(job, limits=replace(job.limits, wall_s=_BUILD_S)))
        folder.rename(place)
        for old in sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_KEPT]:
            remove_tree(old)


def _flags(command: str) -> str:
    """Return the compiler and its options, without what it compiles and links: headers serve these options alone."""
    compiler, *words = shlex.split(command)
    own = [word for word in words[: words.index("-o")] if word.startswith("-") and not word.startswith(("-l", "-Wl,"))]
    return shlex.join((compiler, *own))
