"""Keeps standard input and output for the protocol alone. Import nothing heavy here: this must run before libraries that print."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO

_log = logging.getLogger("ghosttape.server")


class StandardOutput:
    """Standard output as pygls writes to it. Writes after `close`, or after a write that failed, are dropped.

    The first write that fails is logged. The server itself ends when its input ends.
    """

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._is_open = True

    def write(self, data: bytes) -> None:
        """Write and flush."""
        if self._is_open:
            try:
                self._stdout.write(data)
                self._stdout.flush()
            except (OSError, ValueError) as error:  # nobody reads any more, or the stream was closed
                self._is_open = False
                _log.warning("the client does not read any more: %s", error)

    def close(self) -> None:
        """Close the stream."""
        self._is_open = False
        try:
            self._stdout.close()
        except OSError as error:  # closing tries once more to write what could not be written
            _log.info("the last output is lost: %s", error)


def claim_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take file descriptors 0 and 1 for the protocol, and put /dev/null and standard error in their places.

    What prints afterwards, in Python, in C or in a child process, prints to standard error.
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout
