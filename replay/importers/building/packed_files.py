"""The content of packed files, up to a limit: a small file may unpack to more than the memory."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from replay.importers.errors import RecordingError, unreadable

LARGEST = 512 * 2**20
"""Bytes that one packed file may unpack to."""
_GZIP = b"\x1f\x8b"


def content_of(path: Path) -> bytes:
    """The content of a file, unpacked if it is gzip.

    Raises:
        RecordingError: it cannot be read, is damaged, or unpacks to more than `LARGEST` bytes.

    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            if not packed:
                return raw.read()
            content = gzip.GzipFile(fileobj=raw).read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error
    if len(content) > LARGEST:
        reason = f"unpacks to more than {LARGEST >> 20} MiB: unpack it yourself if it is a recording all the same"
        raise RecordingError(path, None, reason)
    return content


def members_of(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files in a tar archive (packed with gzip or not), each read once, in their order.

    Raises:
        RecordingError: it cannot be read, is damaged, or unpacks to more than `LARGEST` bytes.

    """
    try:
        with tarfile.open(fileobj=io.BytesIO(content_of(path)), mode="r:") as archive:
            for member in archive:
                if member.isfile() and (file := archive.extractfile(member)):
                    yield PurePosixPath(member.name), file.read()
    except (OSError, tarfile.TarError) as error:
        raise unreadable(path, error) from error
