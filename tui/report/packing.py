"""Data in a page: compressed, and unpacked by the browser when they are looked at."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

CHUNK = 300_000
"""The bytes of JSON from which on a chunk is closed: unpacking one takes a browser a few milliseconds."""


def packed(value: Any) -> str:
    """Return a value as JSON, compressed by gzip, in base64: no character of it means anything in HTML. Equal values give equal texts."""
    return _closed(msgspec.json.encode(value))


def chunked(values: Iterable[Any], size: int = CHUNK) -> Iterator[tuple[int, str]]:
    """Put values into chunks, each a packed list: give how many a chunk holds, and its text."""
    found: list[bytes] = []
    held = 0
    for value in values:
        found.append(msgspec.json.encode(value))
        held += len(found[-1])
        if held >= size:
            yield len(found), _of(found)
            found, held = [], 0
    if found:
        yield len(found), _of(found)


def _of(found: Sequence[bytes]) -> str:
    return _closed(b"[" + b",".join(found) + b"]")


def _closed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
