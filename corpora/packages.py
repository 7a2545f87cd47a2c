"""Packages for the programs that need them: those without start at once, and those with some wait until they are installed."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from runners.errors import SetupFailed
from runners.programs import Program, Programs
from runners.verdicts import Result

_PYTHON_IMPORT = re.compile(
    r"(?:^|[;:'\"])[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE
)
_PYTHON_NAMED = re.compile(r"\bpatch(?:\.\w+)?\(\s*f?['\"](\w+)\.")
"""A module that is imported because something in it is replaced."""
_PYTHON_SEARCHES = re.compile(r"__import__|import_module|find_spec|run_module|pkgutil")
_NODE_IMPORT = re.compile(
    r"(?:\b(?:require|import|resolve|mock)\s*\(|\b(?:from|import|module))\s*(['\"`])([^'\"`\n]+)\1"
)
_NODE_SEARCHES = re.compile(r"\b(?:require|import)\s*\(\s*(?!['\"`)])|createRequire|<reference\s+types")
_NODE = frozenset(
    re.findall(
        r"\w+",
        "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 "
        "https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls "
        "trace_events tty url util v8 vm wasi worker_threads zlib",
    )
)
"""The modules that come with Node.js; `node:` may stand before them."""


def needs_packages(language: str, text: str) -> bool:
    """Whether a program may import something that does not come with its language. One that looks for modules by itself may."""
    if language == "python":
        own = sys.stdlib_module_names | {"__main__", "__future__"}
        return bool(_PYTHON_SEARCHES.search(text)) or any(name not in own for name in _python_modules(text))
    if language in {"javascript", "typescript"}:
        return bool(_NODE_SEARCHES.search(text)) or any(_is_package(found[2]) for found in _NODE_IMPORT.finditer(text))
    return True


def _python_modules(text: str) -> Iterator[str]:
    """The outermost packages of the modules that a program imports."""
    for found in _PYTHON_IMPORT.finditer(text):
        if found[1]:
            yield found[1]
        else:
            yield from (name.split()[0].partition(".")[0] for name in found[2].split(",") if name.strip())
    yield from (found[1] for found in _PYTHON_NAMED.finditer(text))


def _is_package(name: str) -> bool:
    """Whether what is imported by a name comes from a package: neither from a file nor from Node.js itself."""
    return not name.startswith((".", "/", "node:")) and name.partition("/")[0] not in _NODE


@dataclass(slots=True)
class PackagedPrograms:
    """Programs that run without their packages where these cannot be installed, which `notify` is told once."""

    programs: Programs
    notify: Callable[[str], None]
    missing: set[str] = field(default_factory=set)
    """The languages whose packages cannot be installed."""
    _prepared: dict[tuple[str, tuple[str, ...]], asyncio.Task[bool]] = field(default_factory=dict)

    async def prepare(self, program: Program) -> None:
        """Wait until the packages of a program are there, or it is known that they cannot be had."""
        await self._has_packages(program)

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Build and run the program."""
        if not await self._has_packages(program):
            program = replace(program, requires=())
        return await self.programs.run(program, timeout_s=timeout_s)

    async def _has_packages(self, program: Program) -> bool:
        if not program.requires:
            return True
        kind = (program.language, program.requires)
        if kind not in self._prepared:
            self._prepared[kind] = asyncio.ensure_future(self._install(program))
        return await asyncio.shield(self._prepared[kind])

    async def _install(self, program: Program) -> bool:
        self.notify(f"{program.language}: packages are made ready for the programs that import some")
        try:
            await self.programs.prepare(program)
        except SetupFailed as error:
            reason = str(error).strip().rsplit("\n", 1)[-1]
            self.notify(
                f"{program.language}: without {', '.join(program.requires)}, which cannot be installed: {reason}"
            )
            self.missing.add(program.language)
            return False
        return True

    async def close(self) -> None:
        """Stop what is under way."""
        for task in self._prepared.values():
            task.cancel()
        await asyncio.gather(*self._prepared.values(), return_exceptions=True)
        await self.programs.close()
