"""The lines of a file, plain or gzip, one at a time in both directions: however long it is, it takes no more memory."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Literal, TypeAlias

from replay.errors import TapeError

LONGEST = 64 * 2**20
"""Bytes of the longest line. What is longer is no tape, and would fill the memory."""
Torn: TypeAlias = Literal["refuse", "drop"]
"""What a reader does with a last line that was cut off in the middle: refuse the file, or do as if it were not there."""
_BLOCK = 2**17


class Lines:
    """An open file: iterate it once for (number from 1, line). `torn` is set when a torn last line was dropped."""

    def __init__(self, path: Path, raw: IO[bytes], *, on_torn: Torn = "refuse") -> None:
        self.path, self.on_torn, self.torn = path, on_torn, False
        self._raw = raw
        self._file = io.BufferedReader(gzip.GzipFile(fileobj=raw), _BLOCK) if _is_packed(path) else raw

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        try:
            for number, line in enumerate(iter(partial(self._file.readline, LONGEST + 1), b""), 1):
                if line[-1] == 0x0A or self._is_whole(number, line):
                    yield number, line
        except (OSError, EOFError, zlib.error) as error:
            raise TapeError(str(self.path), 0, f"cannot be read to its end: {error}") from error

    def bytes_read(self) -> int:
        """How many bytes of the file (compressed, if it is) were read so far."""
        return self._raw.tell()

    def _is_whole(self, number: int, line: bytes) -> bool:
        """Whether a line without an end is only short of that."""
        if len(line) > LONGEST:
            raise TapeError(str(self.path), number, f"is longer than {LONGEST >> 20} MiB, which no line of a tape is")
        if is_json(line):
            return True
        if self.on_torn == "drop" and number > 1:
            self.torn = True
            return False
        raise TapeError(str(self.path), number, _torn_line(number))


def _torn_line(number: int) -> str:
    if number == 1:
        return "the only line is malformed or was cut off: nothing is on this tape, so delete it"
    return (
        "the last line is malformed or was cut off, as when its recorder was killed: delete this line, and the "
        f"{number - 1} before it are a tape (`sed -i '$d' FILE`)"
    )


@contextmanager
def reading(path: Path, on_torn: Torn = "refuse") -> Iterator[Lines]:
    """Open a file (`.gz` is unpacked) for its lines.

    Raises:
        TapeError: it cannot be opened; later, while it is iterated: it is damaged, torn, or has an endless line.

    """
    try:
        raw = path.open("rb")
    except OSError as error:
        raise TapeError(str(path), 0, f"cannot be read: {error.strerror}") from error
    with raw:
        yield Lines(path, raw, on_torn=on_torn)


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file (packed for `.gz`) that takes its place when all went well; otherwise nothing is left of it."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as raw:
            if _is_packed(path):  # without a name and a time, so that equal tapes are equal files
                with io.BufferedWriter(gzip.GzipFile("", "wb", 6, raw, 0), _BLOCK) as packed:
                    yield packed
            else:
                yield raw
        part.replace(path)
    except BaseException:  # an interrupt too: half a file is never left, and the error goes on
        part.unlink(missing_ok=True)
        raise


def is_json(line: bytes) -> bool:
    """Whether a line is a whole JSON value. The beginning of an object never is."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_packed(path: Path) -> bool:
    return path.suffix == ".gz"
