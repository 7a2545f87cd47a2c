from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from runners.errors import RequirementRefused
from runners.protocol import Mount

SHOWN = tuple(f"/{name}/" for name in ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"))
"""What every sandbox shows of the machine anyway."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An installed package that is not made for the interpreter here. Example: `jsdom@30.0.1` wants node `^22.22.2 || >=26`, and `20.20.2` is here."""

    package: str
    wants: str
    has: str


@dataclass(frozen=True, slots=True)
class Layer:
    """What a toolchain adds to a sandbox: folders shown read-only, and variables that speak of them."""

    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    unsupported: tuple[Unsupported, ...] = ()
    """What its installer warned of; such packages often work all the same."""


def refuse_requirements(toolchain: str, requires: Sequence[str]) -> None:
    """Raise `RequirementRefused` if anything is required of a toolchain that has no registry to install from."""
    if requires:
        raise RequirementRefused(
            f"the toolchain {toolchain!r} installs nothing, but {requires[0]!r} is required: let the project's setup get it"
        )


class Toolchain(Protocol):
    """A language's interpreter or compiler with the packages that a project requires."""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""
        ...

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Install the packages, or find them in the cache. No code of a package runs outside of a sandbox.

        Raises `ToolchainMissing`, `RequirementRefused` (only names with versions are taken), `SetupFailed`.
        """
        ...
