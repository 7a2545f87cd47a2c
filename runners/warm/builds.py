"""What compilers made, kept as long as a run lasts: a text that is tested again is not compiled again.

Only what compiles is kept: a compiler that fails may have been failed by the machine. A text that can tell where or when it is compiled, or that
takes in files of its sandbox, is compiled each time.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

_BYTES = 64 << 20
_TELLS = re.compile(
    r"__(?:TIME|DATE|TIMESTAMP|COUNTER|INCLUDE_LEVEL|BASE_FILE|has_include)|##|%:%:|\?\?/|asm|incbin|#\s*embed|/(?:proc|sys|dev|tmp|built|headers|project)\b"
)
"""Words of a text that may mean something else the next time; where names are put together (`##`), nothing is known of them."""


def is_fixed(text: str) -> bool:
    """Return whether what a compiler makes of a text depends on nothing but the text and the compiler's own files."""
    return not _TELLS.search(re.sub(r"\\\s*\n", "", text))


@dataclass(frozen=True, slots=True)
class Build:
    """What a compiler made: its exit status, what it printed on either stream, the files that it wrote, by path, and how long it took."""

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
        """Return what was made from this before, if it is still there; that took no time now."""
        if (build := self._kept.pop(key, None)) is not None:
            self._kept[key] = build  # the last one again
        return build

    def put(self, key: Hashable, build: Build) -> None:
        """Keep a build, unless it failed or would leave little room for others."""
        if build.status or build.size > self.most // 4:
            return
        self._drop(key)
        self._kept[key] = build
        self._size += build.size
        while self._size > self.most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        if (old := self._kept.pop(key, None)) is not None:
            self._size -= old.size
