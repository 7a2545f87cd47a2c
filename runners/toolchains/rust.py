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
class Rust:
    """The machine's Rust: the compiler and cargo that `rustc` on PATH stands for (rustup's default, for one)."""

    name: str = "rust"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Show the compiler's folder; raise `RequirementRefused` if anything is required."""
        refuse_requirements(self.name, requires)
        if (rustc := shutil.which("rustc")) is None:
            raise ToolchainMissing("rustc is not on PATH: install Rust (on Debian: cargo, which brings it)")
        root = Path(await asyncio.to_thread(ask_program, rustc, "--print", "sysroot"))
        mounts = own_folder(root, "rustc")
        return Layer(mounts, {"PATH": path_variable(root / "bin")} if mounts else {})
