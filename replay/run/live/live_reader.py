"""Reading `live.jsonl` of a run while another process writes it, and saying whether that process still lives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from replay.run.events import RunEvent
from replay.run.live.live_stream import FILE

_AT_ONCE = 1 << 20
"""How many bytes are read before the one who reads may draw again."""


@dataclass(slots=True)
class LiveFile:
    """Follows the file of a run's folder. It need not be there yet; a process that continues the run begins a new one."""

    folder: Path
    unreadable: int = 0
    """How many lines could not be understood: another version wrote them."""
    _file: IO[bytes] | None = None
    _rest: bytes = b""
    _decoder: msgspec.json.Decoder[RunEvent] = field(default_factory=lambda: msgspec.json.Decoder(RunEvent))

    @property
    def is_there(self) -> bool:
        """Whether anything could be read so far."""
        return self._file is not None

    def begins_anew(self) -> bool:
        """Open the file if there is one that was not read yet. True: all that was read before belongs to an earlier process."""
        try:
            found = (self.folder / FILE).open("rb")
        except OSError:
            return False
        if self._file is not None and os.path.sameopenfile(found.fileno(), self._file.fileno()):
            found.close()
            return False
        self.close()
        self._file, self._rest, self.unreadable = found, b"", 0
        return True

    def read(self) -> tuple[list[RunEvent], bool]:
        """The events that were written since the last time, and whether there are more to be read at once."""
        if self._file is None:
            return [], False
        data = self._file.read(_AT_ONCE)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return list(self._decoded(lines)), len(data) == _AT_ONCE

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _decoded(self, lines: list[bytes]) -> Iterator[RunEvent]:
        for line in lines:
            try:
                yield self._decoder.decode(line)
            except msgspec.DecodeError:
                self.unreadable += 1


def birth_of(process: int) -> str:
    """When a process began, in clock ticks since the machine started (Linux, /proc); "" where nobody can tell."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def is_alive(process: int, birth: str) -> bool:
    """Whether a process of this number runs that began at that time. A zombie, which only waits to be counted, does not run; nor does a number that none can have."""
    if process <= 0:
        return False
    with suppress(OSError):
        if "State:\tZ" in Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace"):
            return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return not birth or birth_of(process) == birth
