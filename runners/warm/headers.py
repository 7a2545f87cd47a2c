"""C++ headers compiled ahead: for each block of includes that programs begin with, exactly these headers.

The block stands first in the program, so nothing is visible in it that was not; its own includes find everything defined.
They stay in the cache folder for later runs, until a header of theirs changes. A compiler itself refuses what another one has made.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from runners.files import remove_tree, write_all
from runners.limits.processes import in_thread
from runners.protocol import Job, Mount, Sandbox
from runners.temporary import TemporaryFolder
from runners.toolchains import Layer

FOLDER = "/headers"
_WORTH = 3
_KEPT = 24
_BUILD_S = 120.0
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<((?:[\w+-]+[./])*[\w+-]+)>[ \t]*(?://.*)?")
_NOTHING = re.compile(r"[ \t]*(?://.*)?")
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
    for line in text.splitlines():
        if line.endswith("\\"):  # goes on in the next one
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

    @property
    def mount(self) -> Mount:
        """Show the folder to the sandboxes that compile."""
        return Mount(self.folder, FOLDER)

    async def option(self, text: str, command: str, build: tuple[Sandbox, Layer, TemporaryFolder]) -> str:
        """Return the option for a compiler that begins with the program's headers, "" if they are not worth it (yet).

        `command` is the one that compiles the program. The third time that a block comes it is compiled, in a sandbox.
        """
        wanted, flags = block(text), _flags(command)
        if not wanted:
            return ""
        key = hashlib.sha256(f"{flags}\n{wanted}".encode()).hexdigest()[:24]
        place = self.folder / key
        self.seen[key] += 1
        if not await self._is_there(place) and self.seen[key] == _WORTH:
            await self._build(place, f"{flags} -x c++-header -MD -MF {_FILES} {_ALL} -o {_MADE}", wanted, build)
        if not await self._is_there(place) or not (place / _MADE).exists():  # not: what cannot be compiled
            return ""
        with suppress(OSError):  # another process may remove it
            os.utime(place)
        return f"-include {FOLDER}/{key}/{_ALL}"

    async def _is_there(self, place: Path) -> bool:
        """Return whether it was made, of headers as they are now."""
        if place.name not in self._current and await in_thread(_is_current, place):
            self._current.add(place.name)
        return place.name in self._current

    async def _build(
        self, place: Path, command: str, wanted: str, build: tuple[Sandbox, Layer, TemporaryFolder]
    ) -> None:
        sandbox, layer, _ = build
        folder = self.folder / f".{place.name}-{secrets.token_hex(4)}"
        folder.mkdir()
        try:
            write_all(folder, {_ALL: wanted})
            job = Job(folder, command, env=layer.env, mounts=layer.mounts)
            await sandbox.run(replace(job, limits=replace(job.limits, wall_s=_BUILD_S)))
            await in_thread(_note_states, folder)
            await in_thread(remove_tree, place)  # of headers that have changed
            with suppress(OSError):  # another process was sooner
                folder.rename(place)
        finally:
            await in_thread(remove_tree, folder)
        await in_thread(self._remove_old)

    def _remove_old(self) -> None:
        with suppress(OSError):  # another process may do the same
            made = [path for path in self.folder.iterdir() if not path.name.startswith(".")]
            for old in sorted(made, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
                remove_tree(old)


def _flags(command: str) -> str:
    """Return the compiler and its options, without what it compiles and links: headers serve these options alone."""
    compiler, *words = shlex.split(command)
    own = [word for word in words[: words.index("-o")] if word.startswith("-") and not word.startswith(("-l", "-Wl,"))]
    return shlex.join((compiler, *own))


def _note_states(folder: Path) -> None:
    (folder / _STATES).write_text("".join(_states(folder)))


def _is_current(place: Path) -> bool:
    """Return whether the headers that it was made of are what they were then."""
    try:
        return (place / _STATES).read_text() == "".join(_states(place))
    except OSError:
        return False


def _states(place: Path) -> Iterator[str]:
    """Yield a line of size and time of each header that the compiler has read; nothing if it read none."""
    names = (place / _FILES).read_text().replace("\\\n", " ").split()[1:] if (place / _FILES).exists() else []
    for name in names:
        if name.startswith("/"):
            about = Path(name).stat()
            yield f"{name} {about.st_size} {about.st_mtime_ns}\n"
