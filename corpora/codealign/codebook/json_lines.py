"""Files of JSON lines, one value a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from corpora.errors import DataError

Value = TypeVar("Value")


def read_lines(file: Path, type_: type[Value], what: str) -> Iterator[tuple[int, Value]]:
    """The values of a file with the numbers of their lines, from 1. A last line without its end was being written when its process died, and is left out if it is none.

    Raises:
        DataError: the file cannot be read, or a line is no such value.

    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(file, 0, f"cannot be read: {error}") from error
    whole, _, torn = text.rpartition("\n")
    for number, line in enumerate([*whole.split("\n"), torn], 1):
        if line.strip():
            try:
                yield number, msgspec.json.decode(line, type=type_)
            except (msgspec.DecodeError, msgspec.ValidationError) as error:
                if line is torn:
                    return
                raise DataError(file, number, f"is no {what}: {error}") from error
