"""The content of files: unpacked up to a limit, for a small file may unpack to more than the memory; and the encoding of texts."""

from __future__ import annotations

import codecs
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


def is_packed(path: Path) -> bool:
    """Whether a file is gzip."""
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def encoding_of(start: bytes) -> str:
    r"""The encoding of a text whose first character is ASCII, by its first four bytes: UTF-8, or UTF-16 or -32 with or without a byte order mark.

    `b"{\0\n\0"` is UTF-16 in little endian.
    """
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    zeros = [byte == 0 for byte in start[:4]]
    if zeros == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if zeros == [True, False, True, False] else "utf-8-sig"


def in_utf8(content: bytes, errors: str = "strict") -> bytes:
    """A text in UTF-8, without a byte order mark.

    Raises UnicodeDecodeError if it is UTF-16 or UTF-32 and malformed; what is UTF-8 is not looked at.
    """
    encoding = encoding_of(content[:4])
    if encoding == "utf-8-sig":
        return content.removeprefix(codecs.BOM_UTF8)
    return content.decode(encoding, errors).encode("utf-8", "surrogatepass")


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
