"""Standard input and output for the protocol alone. Import nothing heavy here: it must run before libraries that print."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


class Outlet:
    """Standard output as pygls writes to it. What comes after the end is for nobody: a question may be answered just then."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout

    def write(self, data: bytes) -> None:
        """Write, and let nothing wait."""
        if not self._stdout.closed:
            self._stdout.write(data)
            self._stdout.flush()

    def close(self) -> None:
        """The client has been told everything."""
        self._stdout.close()


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
