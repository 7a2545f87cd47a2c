"""A command over some files, with others of this machine beside them: for programs whose tests are in what they write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runners.protocol import Mount


@dataclass(frozen=True, slots=True)
class Command:
    """A command line in a folder of its own. Unlike a `Program` it says nothing of itself: who asks for it judges how it ends."""

    language: str
    """One of `runners.programs.LANGUAGES`; it names the toolchain."""
    line: str
    """A command line for `sh`."""
    files: Mapping[str, str]
    """The folder: path → text."""
    requires: tuple[str, ...] = ()
    """Packages of its toolchain."""
    mounts: tuple[Mount, ...] = ()
    """Files and folders of this machine that it may read."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables; a path below the target of a mount is right in every sandbox only here, not in the line."""
