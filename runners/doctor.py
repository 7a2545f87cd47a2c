"""What works on this machine, found out by trying."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from runners.errors import RunnerError
from runners.limits.enforcement import LimitEnforcement, enforced_limits
from runners.programs import Program, cold
from runners.protocol import Job, Sandbox
from runners.sandboxes import AUTO, make, probe
from runners.sandboxes.docker import Docker
from runners.toolchains import toolchain
from runners.verdicts import ending, first_line

_SANDBOX_HINTS = {
    "bubblewrap": "install the package bubblewrap, and allow user namespaces",
    "unshare": "install the package util-linux, and allow user namespaces",
    "docker": "only for tests in container images: install and start a container engine",
}
"""What to do where the program of a sandbox is missing."""
_INSTALLED_HINTS = {
    "bubblewrap": "allow user namespaces (docs/runners.md)",
    "unshare": "allow user namespaces (docs/runners.md)",
    "docker": "only for tests in container images",
    "typescript": "let npm fetch TypeScript once, which needs the network",
    "csharp": "only for programs in C#",
    "go": "only for projects in Go",
    "rust": "only for projects in Rust",
    "system": "no sandbox works",
}
"""What to do where the programs are installed, and something does not work all the same."""
_PROGRAMS = {
    "bubblewrap": ("bwrap",),
    "unshare": ("unshare",),
    "docker": ("dockerd",),
    "node": ("node", "npm"),
    "typescript": ("node", "npm"),
    "java": ("javac",),
    "cpp": ("g++",),
}
"""The programs that each needs on PATH; of a container engine, its server."""
# What tells the version, a program that must pass, and what to do if its compiler or interpreter is missing.
_TOOLCHAINS = {
    "python": (
        "python --version",
        ("python", "assert 6 * 7 == 42"),
        "install Python's venv module (on Debian: python3-venv)",
    ),
    "node": (
        "node --version",
        ("javascript", "require('assert').equal(6 * 7, 42);"),
        "install Node.js 20 or later, with npm",
    ),
    "typescript": (
        "tsc --version",
        ("typescript", "const x: number = 42;\nif (6 * 7 !== x) throw new Error();"),
        "install Node.js 20 or later, with npm",
    ),
    "java": (
        "java -version",
        ("java", "class P { public static void main(String[] a) { assert 6 * 7 == 42; } }"),
        "install a JDK, 17 or later (on Debian: default-jdk-headless)",
    ),
    "cpp": ("g++ --version", ("cpp", "#include <cassert>\nint main() { assert(6 * 7 == 42); }"), "install g++"),
    "csharp": (
        "dotnet --version",
        ("csharp", "class P { static void Main() { if (6 * 7 != 42) throw new System.Exception(); } }"),
        "only for programs in C#",
    ),
    "go": ("go version", None, "only for projects in Go"),
    "rust": ("cargo --version", None, "only for projects in Rust"),
    "system": ("uname -s", None, "no sandbox works"),
}
_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing tried: whether it works, what it said, and what to do if it does not."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


def _ignore(_: HealthCheck) -> None:
    """Show nothing."""


async def check(notify: Callable[[HealthCheck], None] = _ignore, *, at_once: int | None = None) -> list[HealthCheck]:
    """Run something in each sandbox, and in each toolchain inside the first sandbox that works.

    `notify` gets each check as soon as it and those before it are known: the order is always the same. At most `at_once`
    of them run at the same time (None: one for each processor).
    """
    slots = asyncio.Semaphore(at_once or os.cpu_count() or 1)
    done: list[HealthCheck] = []

    async def in_slot(check: Awaitable[HealthCheck]) -> HealthCheck:
        async with slots:
            return await check

    def show(one: HealthCheck) -> None:
        done.append(one)
        notify(one)

    async with asyncio.TaskGroup() as group:
        walled = [group.create_task(in_slot(_sandbox(name))) for name in AUTO]
        docker = group.create_task(in_slot(_docker()))
        for task in walled:
            show(await task)
        working = next((make(name) for name, task in zip(AUTO, walled, strict=True) if task.result().ok), None)
        toolchains = [group.create_task(in_slot(_toolchain(name, working))) for name in _TOOLCHAINS]
        show(await docker)
        for limit in await asyncio.to_thread(enforced_limits):
            show(_limit(limit))
        for task in toolchains:
            show(await task)
    return done


async def toolchain_checks(names: Sequence[str]) -> dict[str, HealthCheck]:
    """Try some toolchains, two at a time, inside the first sandbox that works."""
    slots, working = asyncio.Semaphore(2), None
    for name in AUTO:
        if not await probe(sandbox := make(name)):
            working = sandbox
            break

    async def tried(name: str) -> HealthCheck:
        async with slots:
            return await _toolchain(name, working)

    return dict(zip(names, await asyncio.gather(*map(tried, names)), strict=True))


async def _sandbox(name: str) -> HealthCheck:
    reason = await probe(make(name))
    hint = _hint(name, _SANDBOX_HINTS[name]) if reason else ""
    return HealthCheck(f"sandbox {name}", not reason, reason or "runs commands", hint)


def _hint(name: str, install: str) -> str:
    """Return what to do about a sandbox or toolchain that does not work: `install`, unless it is installed."""
    if name == "python":
        is_installed = bool(find_spec("venv") and find_spec("ensurepip"))
    else:
        is_installed = name not in _PROGRAMS or all(shutil.which(program) for program in _PROGRAMS[name])
    return _INSTALLED_HINTS.get(name, f"{name} is installed: mend what its message names") if is_installed else install


async def _docker() -> HealthCheck:
    done = await _sandbox("docker")
    if not done.ok or not (lacking := await asyncio.to_thread(Docker().lacking)):
        return done
    return replace(done, detail=f"{done.detail}, but its engine has no control groups for: {', '.join(lacking)}")


def _limit(one: LimitEnforcement) -> HealthCheck:
    hint = "" if one.ok else "without it a run can use up more than it should: see docs/runners.md"
    return HealthCheck(f"limit {one.limit}", one.ok, one.how, hint)


async def _toolchain(name: str, sandbox: Sandbox | None) -> HealthCheck:
    command, program, hint = _TOOLCHAINS[name]
    if sandbox is None:
        return HealthCheck(f"toolchain {name}", ok=False, detail="not tried, as no sandbox works", hint="see above")
    with tempfile.TemporaryDirectory(prefix="ghosttape-") as folder:
        try:
            fault, said = await _tried(name, command, program, sandbox, Path(folder))
        except RunnerError as error:
            return HealthCheck(f"toolchain {name}", ok=False, detail=str(error), hint=_hint(name, hint))
    return HealthCheck(f"toolchain {name}", not fault, fault or said, _hint(name, hint) if fault else "")


async def _tried(
    name: str, command: str, program: tuple[str, str] | None, sandbox: Sandbox, folder: Path
) -> tuple[str, str]:
    """Return what went wrong ("": nothing), and the version."""
    layer = await toolchain(name).layer((), folder, lambda _: None)
    done = await sandbox.run(Job(folder, command, env=layer.env, mounts=layer.mounts))
    said = (done.stdout + done.stderr).strip()
    if done.exit != 0 or program is None:
        return "" if done.exit == 0 else said or ending(done), said
    programs = await cold(sandbox, folder, lambda _: None)
    try:
        result = await programs.run(Program(*program), timeout_s=_PATIENCE_S)
    finally:
        await programs.close()
    return "" if result.verdict_class == "passed" else f"{result.verdict_class}: {result.message}", first_line(said)
