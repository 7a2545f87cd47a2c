"""What works on this machine, found out by trying."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from runners.cgroups import Cgroup
from runners.errors import RunnerError
from runners.protocol import Job, Limits, Sandbox
from runners.sandboxes import AUTO, make, probe
from runners.toolchains import toolchain

_SANDBOX_HINTS = {
    "bubblewrap": "install the package bubblewrap, and allow user namespaces",
    "unshare": "install the package util-linux, and allow user namespaces",
    "docker": "only for tests in container images: install and start a container engine",
}
_TOOLCHAINS = {
    "python": ("python --version", "install Python's venv module (on Debian: python3-venv)"),
    "node": ("node --version", "install Node.js 20 or later, with npm"),
    "system": ("uname -s", "no sandbox works"),
}


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
    sandboxes.append(await _sandbox("docker"))
    return [*sandboxes, _limits(), *[await _toolchain(name, working) for name in _TOOLCHAINS]]


async def _sandbox(name: str) -> Check:
    reason = await probe(make(name))
    return Check(f"sandbox {name}", not reason, reason or "runs commands", _SANDBOX_HINTS[name] if reason else "")


def _limits() -> Check:
    if group := Cgroup.create(Limits()):
        group.remove()
    means = (
        "control groups, for a whole run" if group else "rlimits, a process at a time: control groups are not writable"
    )
    return Check("memory and process limits", ok=True, detail=means)


async def _toolchain(name: str, sandbox: Sandbox | None) -> Check:
    command, hint = _TOOLCHAINS[name]
    if sandbox is None:
        return Check(f"toolchain {name}", ok=False, detail="not tried, as no sandbox works", hint="see above")
    with tempfile.TemporaryDirectory(prefix="ghosttape-") as folder:
        try:
            layer = await toolchain(name).layer((), Path(folder), lambda _: None)
            done = await sandbox.run(Job(Path(folder), command, env=layer.env, mounts=layer.mounts))
        except RunnerError as error:
            return Check(f"toolchain {name}", ok=False, detail=str(error), hint=hint)
    ok = done.exit == 0
    return Check(f"toolchain {name}", ok, (done.stdout + done.stderr).strip(), "" if ok else hint)
