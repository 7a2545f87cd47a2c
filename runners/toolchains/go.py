from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.errors import ToolchainMissing
from runners.toolchains.outside_usr import ask_program, own_folder, path_variable
from runners.toolchains.protocol import Layer, refuse_requirements


@dataclass(frozen=True, slots=True)
class Go:
    """The machine's Go, which fetches no other version of itself."""

    name: str = "go"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Show Go's folder; raise `RequirementRefused` if anything is required."""
        refuse_requirements(self.name, requires)
        if (go := shutil.which("go")) is None:
            raise ToolchainMissing("go is not on PATH: install Go (on Debian: golang-go)")
        root = Path(await asyncio.to_thread(ask_program, go, "env", "GOROOT"))
        return Layer(own_folder(root, "go"), {"PATH": path_variable(root / "bin"), "GOTOOLCHAIN": "local"})
