"""Files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tui.errors import ConfigurationError


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that is there under its name only when all of it is written; the folder that it is in is made.

    Raises:
        ConfigurationError: there can be no file of this name.

    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = part.open("wb")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
