"""Texts that were fetched, kept in a file, so that a command that was stopped does not fetch them again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec


class _Line(msgspec.Struct, frozen=True):
    key: str
    text: str | None


@dataclass(slots=True)
class KeptTexts:
    """Key → text, or None where there is none. A line that was cut off when its writer was killed is fetched again."""

    file: Path
    _known: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lines = self.file.read_bytes().split(b"\n") if self.file.is_file() else []
        for line in lines:
            try:
                found = msgspec.json.decode(line, type=_Line)
            except msgspec.DecodeError:
                continue  # cut off, or blank
            self._known[found.key] = found.text
        if lines and lines[-1]:
            self._append(b"")

    async def get(self, key: str, fetch: Callable[[], Awaitable[str | None]]) -> str | None:
        """The text of a key; fetched and kept where it is not known yet.

        Raises:
            OSError: it cannot be kept.

        """
        if key not in self._known:
            self._known[key] = await fetch()
            self._append(msgspec.json.encode(_Line(key, self._known[key])))
        return self._known[key]

    def _append(self, line: bytes) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("ab") as file:
            file.write(line + b"\n")
