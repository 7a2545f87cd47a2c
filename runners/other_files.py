"""What a project has beside its texts: files that are no text, files that can be executed, and symbolic links."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from runners.files import place_of, write_all

_REFUSED = frozenset({errno.ENAMETOOLONG, errno.EILSEQ})
"""A name or a target that is too long for this file system, or has characters that it refuses."""


@dataclass(frozen=True, slots=True)
class OtherFiles:
    """Paths are relative to the project, with forward slashes."""

    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """Path → content of files that are no UTF-8 text."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Path → target of symbolic links, relative to the folder of the link."""
    executable: frozenset[str] = frozenset()
    """Texts and blobs that can be executed."""

    @property
    def digest(self) -> str:
        """A SHA-256 of all of it, in hexadecimal digits; empty if there is nothing."""
        blobs = sorted((path, hashlib.sha256(content).hexdigest()) for path, content in self.blobs.items())
        whole = (blobs, sorted(self.links.items()), sorted(self.executable))
        return hashlib.sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest() if any(whole) else ""


NOTHING = OtherFiles()


def is_inside(path: str, target: str) -> bool:
    """Say whether a link at a path leads to a place in the project, whatever other links of this kind lie on the way.

    `..` may stand at the beginning only: behind a folder it would lead to the parent of what the folder is a link to.
    """
    parts = PurePosixPath(target).parts
    up = next((number for number, part in enumerate(parts) if part != ".."), len(parts))
    outside = target.startswith("/") or "\0" in target or not parts
    return not outside and ".." not in parts[up:] and up <= len(PurePosixPath(path).parts) - 1


def write_others(folder: Path, others: OtherFiles) -> None:
    """Write them into a folder that has the project's texts. A link that leads out of the project is not made, nor one where a file is, nor one that the file system refuses.

    Raises `PathRefused` if a path does not lie in the project.
    """
    write_all(folder, others.blobs)
    make_executable(folder, others.executable)
    for path, target in others.links.items():
        place = place_of(folder, path)
        if is_inside(path, target) and not os.path.lexists(place):
            _link(place, target)


def _link(place: Path, target: str) -> None:
    """Make a link, unless the file system refuses its name or its target: git keeps targets of any length."""
    try:
        place.symlink_to(target)
    except UnicodeEncodeError:
        return
    except OSError as error:
        if error.errno not in _REFUSED:
            raise


def make_executable(folder: Path, paths: frozenset[str]) -> None:
    """Let files of a folder be executed, as far as they are there. No link is followed."""
    for path in paths:
        file = place_of(folder, path)
        if file.is_file() and not file.is_symlink():
            file.chmod(0o755)
