"""What compilers made, kept as long as a run lasts: a text that is tested several times, or asked for by several, is compiled once.

Only what is certain is kept: that a text compiles, to what, and that it does not, with what its compiler says. It depends on nothing but the
compiler's command and the files.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Build:
    """What a compiler made: its exit status, what it printed on either stream, and the files that it wrote, by path."""

    status: int
    stdout: str = ""
    stderr: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    took_s: float = 0.0

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return len(self.stdout) + len(self.stderr) + sum(map(len, self.files.values()))


@dataclass(slots=True)
class Builds:
    """Builds by what they were made from; the longest unused go when there are more than 64 MiB of them."""

    most: int = _BYTES
    _kept: dict[Hashable, Build] = field(default_factory=dict)
    _size: int = 0

    def get(self, key: Hashable) -> Build | None:
        """Return what was made from this before, if it is still there."""
        if (build := self._kept.pop(key, None)) is not None:
            self._kept[key] = build  # the last one again
        return build

    def put(self, key: Hashable, build: Build) -> None:
        """Keep a build."""
        self._drop(key)
        self._kept[key] = build
        self._size += build.size
        while self._size > self.most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        if (old := self._kept.pop(key, None)) is not None:
            self._size -= old.size
