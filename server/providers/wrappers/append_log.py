"""Files of lines to which several processes append, and which a kill may cut off in the middle of a line."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def append_line(path: Path, line: bytes) -> None:
    """Append a line at once; where the last one was cut off, on a line of its own.

    Raises:
        OSError: the file cannot be written, or not the whole line.

    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        whole = _line_end(file) + line + b"\n"
        if os.write(file, whole) < len(
            whole
        ):  # the rest would be a line of its own, if another process writes meanwhile
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)


def _line_end(file: int) -> bytes:
    """A line feed if the last line of the file is incomplete."""
    size = os.fstat(file).st_size
    return b"\n" if size and os.pread(file, 1, size - 1) != b"\n" else b""
