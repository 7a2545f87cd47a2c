from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.toolchains.protocol import Layer, refuse_requirements


@dataclass(frozen=True, slots=True)
class System:
    """Nothing but the programs of this machine: for projects in any language, run by their own command."""

    name: str = "system"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Add nothing; raise `RequirementRefused` if anything is required."""
        refuse_requirements(self.name, requires)
        return Layer()
