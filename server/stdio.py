"""Standard input and output for the protocol alone. Import nothing heavy here: it must run before libraries that print."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO

_log = logging.getLogger("ghosttape.server")


class Outlet:
    """Standard output as pygls writes to it. What comes after the end is for nobody: a question may be answered just then.

    The end is also the first write that fails, which is logged; the server itself ends with its input.
    """

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._is_open = True

    def write(self, data: bytes) -> None:
        """Write, and let nothing wait."""
        if self._is_open:
            try:
                self._stdout.write(data)
                self._stdout.flush()
            except (OSError, ValueError) as error:  # no reader any more, or closed by others
                self._lose(error)

    def close(self) -> None:
        """The client has been told everything."""
        self._is_open = False
        try:
            self._stdout.close()
        except OSError as error:  # what could not be written is still held, and is tried once more
            _log.info("what was left to write is lost: %s", error)

    def _lose(self, error: Exception) -> None:
        self._is_open = False
        _log.warning("the client does not hear any more: %s", error)


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Take file descriptors 0 and 1 for the protocol, and leave /dev/null and standard error in their places.

    What prints afterwards, in Python, in C or in a child process, prints to standard error.
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout
