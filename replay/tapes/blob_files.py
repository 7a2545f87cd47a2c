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
LARGEST = 4 << 20
"""The bytes of a file that are read at most."""


def read(tape: Tape, beside: BesideTexts) -> OtherFiles:
    """Read what a tape names.

    Raises:
        ProjectError: a file is not there, too large, or has another content.

    """
    return OtherFiles(dict(_contents(tape, beside)), beside.links, frozenset(beside.executable))


def _contents(tape: Tape, beside: BesideTexts) -> Iterator[tuple[str, bytes]]:
    folder = Path(tape.source).parent / FOLDER
    for path, digest in beside.blobs.items():
        try:
            content = _content(folder / digest)
        except OSError as error:
            raise ProjectError(
                f"{tape.source}: {path} of its project cannot be read from {folder / digest} ({error.strerror}): keep the folder {FOLDER} beside the tape"
            ) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise ProjectError(f"{folder / digest}: it is not {path} of {tape.source}: its content has changed")
        yield path, content


def _content(file: Path) -> bytes:
    """The content of a regular file; what is too long is cut off, and is another content then."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as opened:
        return opened.read(LARGEST + 1)[:LARGEST]


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
