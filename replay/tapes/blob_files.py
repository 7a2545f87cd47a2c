"""Files of an embedded project that are no text: each lies beside the tape, in the folder `blobs`, under the SHA-256 of its content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET, UnsetType

from replay.errors import ProjectError
from replay.tapes.placing import workshop
from replay.tapes.tape import BesideTexts, Tape
from runners.other_files import OtherFiles

FOLDER = "blobs"
BLOB_LIMIT, BLOBS_LIMIT = 4 << 20, 32 << 20
"""The bytes of a file that is no text, and of all of them, that are laid out for tests. A content counts once for each path that has it."""


def read(tape: Tape, beside: BesideTexts) -> OtherFiles:
    """Read what a tape names.

    Raises:
        ProjectError: a file is not there, too large, or has another content; or all of them together are too large.

    """
    return OtherFiles(dict(_contents(tape, beside)), beside.links, frozenset(beside.executable))


def _contents(tape: Tape, beside: BesideTexts) -> Iterator[tuple[str, bytes]]:
    """Path → content; a content that several paths have is read once."""
    known: dict[str, bytes] = {}
    room = BLOBS_LIMIT
    for path, digest in beside.blobs.items():
        if digest not in known:
            known[digest] = _checked(tape, path, digest)
        if (room := room - len(known[digest])) < 0:
            raise ProjectError(
                f"{tape.source}: the files of its project that are no text have over {BLOBS_LIMIT >> 20} MiB together: leave some out of `beside`"
            )
        yield path, known[digest]


def _checked(tape: Tape, path: str, digest: str) -> bytes:
    """The content that a tape names for a path."""
    file = Path(tape.source).parent / FOLDER / digest
    try:
        content = _content(file)
    except OSError as error:
        raise ProjectError(
            f"{tape.source}: {path} of its project cannot be read from {file} ({error.strerror}): keep the folder {FOLDER} beside the tape"
        ) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise ProjectError(f"{file}: it is not {path} of {tape.source}: its content has changed")
    return content


def _content(file: Path) -> bytes:
    """The content of a regular file; what is too long is cut off, and is another content then."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as opened:
        return opened.read(BLOB_LIMIT)


def named(others: OtherFiles) -> BesideTexts | UnsetType:
    """What a tape says of these; unset where there is nothing."""
    blobs = {path: hashlib.sha256(content).hexdigest() for path, content in sorted(others.blobs.items())}
    links = dict(sorted(others.links.items()))
    return BesideTexts(blobs, links, tuple(sorted(others.executable))) if others.digest else UNSET


def write(others: OtherFiles, folder: Path) -> None:
    """Write the contents for a tape that lies in this folder. Raises OSError."""
    for content in others.blobs.values():
        target = folder / FOLDER / hashlib.sha256(content).hexdigest()
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            with workshop(target.parent, ".ghosttape-blob-") as made:
                (made / target.name).write_bytes(content)
                (made / target.name).replace(target)
