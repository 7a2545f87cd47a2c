"""What works on this machine, found out by trying."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from runners.errors import RunnerError
from runners.keeping import Kept, kept
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
# What tells the version, a program that must pass, and what to do if one of them fails.
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
        "install Node.js 20 or later, with npm, and let npm fetch TypeScript once",
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
class Check:
    """One thing tried: whether it works, what it said, and what to do if it does not."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


async def check() -> list[Check]:
    """Run something in each sandbox, and in each toolchain inside the first sandbox that works."""
    sandboxes = [await _sandbox(name) for name in AUTO]
    working = next((make(name) for name, done in zip(AUTO, sandboxes, strict=True) if done.ok), None)
    sandboxes.append(await _docker())
    limits = [_limit(one) for one in await asyncio.to_thread(kept)]
    return [*sandboxes, *limits, *[await _toolchain(name, working) for name in _TOOLCHAINS]]


async def _sandbox(name: str) -> Check:
    reason = await probe(make(name))
    return Check(f"sandbox {name}", not reason, reason or "runs commands", _SANDBOX_HINTS[name] if reason else "")


async def _docker() -> Check:
    done = await _sandbox("docker")
    if not done.ok or not (lacking := await asyncio.to_thread(Docker().lacking)):
        return done
    return replace(done, detail=f"{done.detail}, but its engine has no control groups for: {', '.join(lacking)}")


def _limit(kept: Kept) -> Check:
    hint = "" if kept.ok else "without it a run can use up more than it should: see docs/runners.md"
    return Check(f"limit {kept.limit}", kept.ok, kept.how, hint)


async def _toolchain(name: str, sandbox: Sandbox | None) -> Check:
    command, program, hint = _TOOLCHAINS[name]
    if sandbox is None:
        return Check(f"toolchain {name}", ok=False, detail="not tried, as no sandbox works", hint="see above")
    with tempfile.TemporaryDirectory(prefix="ghosttape-") as folder:
        try:
            fault, said = await _tried(name, command, program, sandbox, Path(folder))
        except RunnerError as error:
            return Check(f"toolchain {name}", ok=False, detail=str(error), hint=hint)
    return Check(f"toolchain {name}", not fault, fault or said, hint if fault else "")


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
    return "" if result.klass == "passed" else f"{result.klass}: {result.message}", first_line(said)
