from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import ToolchainMissing
from runners.toolchains.elsewhere import searched, told, whole
from runners.toolchains.protocol import Layer, refuse


@dataclass(frozen=True, slots=True)
class Go:
    """The machine's Go, which fetches no other version of itself."""

    name: str = "go"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Show Go's folder; raise `RequirementRefused` if anything is required."""
        refuse(self.name, requires)
        if (go := shutil.which("go")) is None:
            raise ToolchainMissing("go is not on PATH: install Go (on Debian: golang-go)")
        root = Path(await asyncio.to_thread(told, go, "env", "GOROOT"))
        return Layer(whole(root, "go"), {"PATH": searched(root / "bin"), "GOTOOLCHAIN": "local"})
