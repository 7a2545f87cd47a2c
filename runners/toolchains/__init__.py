"""The toolchains by name. To add one: a file with a class that has `name` and `layer`, and a line in `TOOLCHAINS`.

`python` is the interpreter that runs ghosttape; `python3.9` and the like are others that are installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import cast

from runners.errors import ToolchainMissing, unknown_name
from runners.toolchains.protocol import Layer, Toolchain, Unsupported

__all__ = ["TOOLCHAINS", "VERSIONED", "Layer", "Toolchain", "Unsupported", "language_of", "toolchain"]

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


VERSIONED = re.compile(r"(python)([23]\.[0-9]{1,2})")
"""A toolchain with a version: its name, and the version."""


def language_of(name: str) -> str:
    """The name of a toolchain without a version. Examples: `python3.9` gives `python`, `node` gives `node`."""
    versioned = VERSIONED.fullmatch(name)
    return versioned[1] if versioned else name


def toolchain(name: str) -> Toolchain:
    """Return the toolchain of that name. Raises `ToolchainMissing` if there is none."""
    versioned = VERSIONED.fullmatch(name)
    known = versioned[1] if versioned else name
    if known not in TOOLCHAINS:
        raise ToolchainMissing(unknown_name("toolchain", name, TOOLCHAINS))
    module, _, attribute = TOOLCHAINS[known].partition(":")
    make = cast("Callable[..., Toolchain]", getattr(import_module(module), attribute))
    return make(versioned[2]) if versioned else make()
