"""The sandboxes by name. To add one: a file with a class that has `name` and `run`, and a line in `SANDBOXES`; or an entry point of another package (docs/extending.md)."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from runners.errors import RunnerError, SandboxFailed, SandboxMissing, SandboxUnknown, unknown_name
from runners.limits.processes import is_refused, none_left
from runners.protocol import Completed, Job, Limits, Sandbox
from syntax.entry_points import extensions

SANDBOXES = {
    "bubblewrap": "runners.sandboxes.bubblewrap:Bubblewrap",
    "unshare": "runners.sandboxes.unshare:Unshare",
    "docker": "runners.sandboxes.docker:Docker",
    "none": "runners.sandboxes.none:NoSandbox",
}
WITH_IMAGE = ("docker",)
"""The sandboxes that may be asked for with an image, as in "docker:python:3.11-slim"."""

AUTO = ("bubblewrap", "unshare")


def pick(name: str = "auto") -> Sandbox:
    """Return the sandbox of that name; for "auto" the first real one that works here (never "none").

    Raises `SandboxMissing` with what each said and what to install, `SandboxUnknown` of another name.
    """
    kind, _, image = name.partition(":")
    known = kind in SANDBOXES or name in extensions("sandboxes")
    if name != "auto" and (not known or (image and kind not in WITH_IMAGE)):
        names = ("auto", *SANDBOXES, *extensions("sandboxes"), "docker:IMAGE")
        raise SandboxUnknown(unknown_name("sandbox", name, names))
    reasons = []
    for candidate in AUTO if name == "auto" else (name,):
        if not (reason := fault(candidate)):
            return make(candidate)
        reasons.append(f"{candidate}: {reason}")
    if name != "auto":
        raise SandboxMissing(f"the sandbox {reasons[0]}")
    advice = (
        "Install bubblewrap and allow user namespaces, or ask for the sandbox 'none' by name if you trust the code."
    )
    full = any("is full" in reason for reason in reasons)
    raise SandboxMissing(f"no sandbox works here ({'; '.join(reasons)}). {'' if full else advice}".rstrip())


def make(name: str) -> Sandbox:
    """Return the sandbox of that name, unproven."""
    kind, _, image = name.partition(":")
    if kind not in SANDBOXES:
        return cast("Callable[[], Sandbox]", extensions("sandboxes")[name].load_or(SandboxMissing))()
    module, _, attribute = SANDBOXES[kind].partition(":")
    return cast("Callable[..., Sandbox]", getattr(import_module(module), attribute))(*filter(None, [image]))


@cache
def fault(name: str) -> str:
    """Return why the sandbox does not work here, or "" if a command ran in it (asked once a process)."""
    try:
        with ThreadPoolExecutor(1) as thread:  # there may be a running event loop in this one
            return thread.submit(lambda: asyncio.run(probe(make(name)))).result()
    except RuntimeError as error:
        if is_refused(error):
            return str(none_left(str(error)))
        raise


async def _tried(sandbox: Sandbox, job: Job) -> Completed:
    """Run the job, and once more if the machine did not let it."""
    try:
        return await sandbox.run(job)
    except SandboxFailed:
        return await sandbox.run(job)


async def probe(sandbox: Sandbox) -> str:
    """Return why a command cannot run in the sandbox, or "" if one just did."""
    with tempfile.TemporaryDirectory(prefix="ghosttape-") as folder:
        try:
            done = await _tried(sandbox, Job(Path(folder), "echo works", limits=Limits(wall_s=10.0)))
        except RunnerError as error:
            return str(error)
    return "" if done.stdout == "works\n" else f"a first command did not print what it should: {done}"
