"""The toolchains by name. To add one: a file with a class that has `name` and `layer`, and a line in `TOOLCHAINS`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from runners.errors import ToolchainMissing, unknown_name
from runners.toolchains.protocol import Layer, Toolchain

__all__ = ["TOOLCHAINS", "Layer", "Toolchain", "toolchain"]

TOOLCHAINS = {
    "python": "runners.toolchains.python:Python",
    "node": "runners.toolchains.node:Node",
    "typescript": "runners.toolchains.typescript:TypeScript",
    "java": "runners.toolchains.java:Java",
    "cpp": "runners.toolchains.cpp:Cpp",
    "csharp": "runners.toolchains.csharp:CSharp",
    "go": "runners.toolchains.go:Go",
    "rust": "runners.toolchains.rust:Rust",
    "system": "runners.toolchains.system:System",
}


def toolchain(name: str) -> Toolchain:
    """Return the toolchain of that name. Raises `ToolchainMissing` if there is none."""
    if name not in TOOLCHAINS:
        raise ToolchainMissing(unknown_name("toolchain", name, TOOLCHAINS))
    module, _, attribute = TOOLCHAINS[name].partition(":")
    return cast("Callable[[], Toolchain]", getattr(import_module(module), attribute))()
