"""What a project has beside its texts: files that are no text, files that can be executed, and symbolic links."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from runners.files import place_of, write_all


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
    """Write them into a folder that has the project's texts. A link that leads out of the project is not made, nor one where a file is.

    Raises `PathRefused` if a path does not lie in the project.
    """
    write_all(folder, others.blobs)
    make_executable(folder, others.executable)
    for path, target in others.links.items():
        place = place_of(folder, path)
        if is_inside(path, target) and not place.exists() and not place.is_symlink():
            place.symlink_to(target)


def make_executable(folder: Path, paths: frozenset[str]) -> None:
    """Let files of a folder be executed, as far as they are there. No link is followed."""
    for path in paths:
        file = place_of(folder, path)
        if file.is_file() and not file.is_symlink():
            file.chmod(0o755)
