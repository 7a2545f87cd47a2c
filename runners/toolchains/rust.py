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
class Rust:
    """The machine's Rust: the compiler and cargo that `rustc` on PATH stands for (rustup's default, for one)."""

    name: str = "rust"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Show the compiler's folder; raise `RequirementRefused` if anything is required."""
        refuse(self.name, requires)
        if (rustc := shutil.which("rustc")) is None:
            raise ToolchainMissing("rustc is not on PATH: install Rust (on Debian: cargo, which brings it)")
        root = Path(await asyncio.to_thread(told, rustc, "--print", "sysroot"))
        mounts = whole(root, "rustc")
        return Layer(mounts, {"PATH": searched(root / "bin")} if mounts else {})
