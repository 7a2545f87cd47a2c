"""C++ headers compiled ahead: for each block of includes that programs begin with, exactly these headers.

The block stands first in the program, so nothing is visible in it that was not; its own includes find everything defined.
They stay in the cache folder for later runs, until a header of theirs changes. A compiler itself refuses what another one has made.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import secrets
import shlex
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from runners.errors import SandboxFailed
from runners.files import remove_tree, write_all
from runners.limits.processes import in_thread
from runners.protocol import Job, Mount, Sandbox
from runners.temporary import TemporaryFolder
from runners.toolchains import Layer

FOLDER = "/headers"
_WORTH = 3
_KEPT = 24
_BUILD_S = 120.0
_FORMAT = 2
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<((?:[\w+-]+[./])*[\w+-]+)>[ \t]*(?://.*)?")
_NOTHING = re.compile(r"[ \t]*(?://.*)?")
_CONTROLS = re.compile(r"[^\t\x20-\x7e\xa0-\u2027\u202a-\U0010ffff]|\?\?/")
"""What may end a line for one reader and not for another, and a backslash by another name."""
_ALL, _MADE, _FILES, _STATES = "all.hpp", "all.hpp.gch", "all.d", "all.states"
_CXX = """
algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath codecvt complex
condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution
filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map
memory memory_resource mutex new numeric optional ostream queue random ratio regex scoped_allocator set shared_mutex sstream stack
stdexcept streambuf string string_view strstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
utility valarray variant vector
"""
_STANDARD = frozenset(_CXX.split())
"""Headers of C++17's own library, which mean the same in any order ([using.headers])."""


def block(text: str) -> str:
    """Return the includes of the machine's own headers that the program begins with, one a line; comments may stand between.

    Where all are of C++'s own library, they stand in the order of their names, each once.
    """
    found = []
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"):
        if line.rstrip().endswith("\\") or _CONTROLS.search(
            line
        ):  # goes on in the next one, for g++ also behind blanks
            break
        if include := _INCLUDE.fullmatch(line):
            found.append(include[1])
        elif not _NOTHING.fullmatch(line):
            break
    if _STANDARD.issuperset(found):
        found = sorted(set(found))
    return "".join(f"#include <{name}>\n" for name in found)


@dataclass(frozen=True, slots=True)
class Headers:
    """Precompiled headers in a folder that may be shared with other processes; the longest unused of them go."""

    folder: Path
    seen: Counter[str] = field(default_factory=Counter)
    _current: set[str] = field(default_factory=set)
    """Those whose headers were found unchanged by this process."""
    _building: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    @property
    def mount(self) -> Mount:
        """Show the folder to the sandboxes that compile."""
        return Mount(self.folder, FOLDER)

    async def option(self, text: str, command: str, build: tuple[Sandbox, Layer, TemporaryFolder]) -> str:
        """Return the option for a compiler that begins with the program's headers, "" if they are not worth it (yet).

        `command` is the one that compiles the program. The third time that a block comes it is compiled, in a sandbox, while others that
        ask for it wait; what cannot be compiled is not tried again by this process.
        """
        wanted, flags = block(text), _flags(command)
        if not wanted:
            return ""
        key = hashlib.sha256(f"{_FORMAT}\n{flags}\n{wanted}".encode()).hexdigest()[:24]
        place = self.folder / key
        self.seen[key] += 1
        if self.seen[key] >= _WORTH and key not in self._building:
            made = self._made(place, f"{flags} -x c++-header -MD -MF {_FILES} {_ALL} -o {_MADE}", wanted, build)
            self._building[key] = asyncio.ensure_future(made)
        if key in self._building:
            await asyncio.shield(self._building[key])
        if not await self._is_there(place):
            return ""
        with suppress(OSError):  # another process may remove it
            os.utime(place)
        return f"-include {FOLDER}/{key}/{_ALL}"

    async def close(self) -> None:
        """Stop what is being compiled."""
        for task in self._building.values():
            task.cancel()
        await asyncio.gather(*self._building.values(), return_exceptions=True)

    async def _is_there(self, place: Path) -> bool:
        """Return whether it was made, of headers as they are now."""
        if place.name not in self._current and await in_thread(_is_current, place):
            self._current.add(place.name)
        return place.name in self._current

    async def _made(
        self, place: Path, command: str, wanted: str, build: tuple[Sandbox, Layer, TemporaryFolder]
    ) -> None:
        """Compile the headers, unless they are there; they get their name once they are whole."""
        if await self._is_there(place):
            return
        sandbox, layer, _ = build
        folder = self.folder / f".{place.name}-{secrets.token_hex(4)}"
        folder.mkdir()
        try:
            write_all(folder, {_ALL: wanted})
            job = Job(folder, command, env=layer.env, mounts=layer.mounts)
            with suppress(SandboxFailed):  # then this process does without
                done = await sandbox.run(replace(job, limits=replace(job.limits, wall_s=_BUILD_S)))
                if done.exit == 0:
                    await in_thread(_settle, folder, place)
        finally:
            await in_thread(remove_tree, folder)
        await in_thread(self._remove_old)

    def _remove_old(self) -> None:
        with suppress(OSError):  # another process may do the same
            found = {path: path.stat().st_mtime for path in self.folder.iterdir()}
            made = sorted((path for path in found if not path.name.startswith(".")), key=found.__getitem__)
            killed = (path for path in found if path.name.startswith(".") and time.time() - found[path] > 2 * _BUILD_S)
            for old in (*made[:-_KEPT], *killed):
                remove_tree(old)


def _flags(command: str) -> str:
    """Return the compiler and its options, without what it compiles and links: headers serve these options alone."""
    compiler, *words = shlex.split(command)
    own = [word for word in words[: words.index("-o")] if word.startswith("-") and not word.startswith(("-l", "-Wl,"))]
    return shlex.join((compiler, *own))


def _settle(folder: Path, place: Path) -> None:
    """Give what was made its name, with the state of what it was made of; the same of headers that have changed goes."""
    (folder / _STATES).write_text("".join(_states(folder)))
    remove_tree(place)
    with suppress(OSError):  # another process was sooner
        folder.rename(place)


def _is_current(place: Path) -> bool:
    """Return whether the headers that it was made of are what they were then."""
    try:
        return (place / _MADE).exists() and (place / _STATES).read_text() == "".join(_states(place))
    except OSError:
        return False


def _states(place: Path) -> Iterator[str]:
    """Yield a line of size and time of each header that the compiler has read; nothing if it read none."""
    names = (place / _FILES).read_text().replace("\\\n", " ").split()[1:] if (place / _FILES).exists() else []
    for name in names:
        if name.startswith("/"):
            about = Path(name).stat()
            yield f"{name} {about.st_size} {about.st_mtime_ns}\n"
