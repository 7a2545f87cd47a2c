"""Files in memory for arguments that must not be on a command line, which other users can read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def words(given: Sequence[str]) -> Iterator[int]:
    """Give an open file with these words, each ended by NUL as bwrap's `--args` wants them."""
    with text("".join(f"{word}\0" for word in given)) as handle:
        yield handle


@contextmanager
def text(given: str) -> Iterator[int]:
    """Give an open file with this text, which exists only in memory."""
    handle = os.memfd_create("ghosttape")
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(os.fsencode(given))
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)
