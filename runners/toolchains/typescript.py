from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.toolchains.node import Node
from runners.toolchains.protocol import Layer

# TypeScript 7 no longer finds the types of node by itself.
PACKAGES = ("typescript@5.9", "@types/node@20")


@dataclass(frozen=True, slots=True)
class TypeScript:
    """Node's layer with the compiler and the types of node's own modules in it."""

    name: str = "typescript"

    async def layer(self, requires: Sequence[str], cache: Path, progress: Callable[[str], None]) -> Layer:
        """Install compiler, types and packages without their scripts, or find them in the cache."""
        return await Node().layer((*PACKAGES, *requires), cache, progress)
