"""A folder of installed layers, each built once, whole or not at all."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from runners.errors import IndexUnreachable, SetupFailed
from runners.files import remove_tree
from runners.processes.launch import launch
from runners.protocol import Limits
from runners.verdicts import ending, tail

_INSTALL = Limits(wall_s=900.0, disk_mb=8192)
_UNREACHABLE = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Network is unreachable|No route to host|Connection refused"
    r"|Connection (?:to \S+ )?timed out|Read timed out|Cannot connect to proxy|Could not resolve host"
    r"|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH"
)
"""How pip and npm say that nothing answers where packages come from."""
_PATIENCE = {
    "PIP_RETRIES": "2",
    "npm_config_fetch_retries": "1",
    "npm_config_fetch_retry_mintimeout": "1500",
}
"""How often pip and npm try again, where the person's environment does not say it: enough for a connection that stumbles. As they come,
pip takes 15 s and npm 70 s until they say that there is no network."""


async def layer_folder(cache: Path, kind: str, content: object, build: Callable[[Path], Awaitable[None]]) -> Path:
    """Return the folder for this content (any JSON), calling `build` to fill it if there is none yet.

    Safe among processes that ask at once, and when one of them is killed: a folder that has its name is complete.
    """
    key = hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:24]
    done = cache / "layers" / kind / key
    if not done.exists():
        done.parent.mkdir(parents=True, exist_ok=True)
        async with _locked(done.with_suffix(".lock")):
            if not done.exists():
                await _build(done, build)
    return done.resolve()


async def _build(done: Path, build: Callable[[Path], Awaitable[None]]) -> None:
    building = done.with_suffix(".building")
    remove_tree(building)  # of one who was killed here
    building.mkdir()
    try:
        await build(building)
        building.rename(done)
    finally:
        remove_tree(building)


@asynccontextmanager
async def _locked(file: Path) -> AsyncIterator[None]:
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not _try_lock(handle):  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # another process holds it: there is nothing to wait on
        yield
    finally:
        os.close(handle)  # and with it the lock


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def install(argv: list[str], folder: Path, env: Mapping[str, str]) -> str:
    """Run an installer of ours outside of any sandbox; return what it wrote. Raises `IndexUnreachable`, or `SetupFailed` with the end of what it wrote."""
    done = await launch(argv, _PATIENCE | dict(env), folder, _INSTALL)
    if done.exit != 0 or done.limit:
        if away := _UNREACHABLE.search(done.stdout + done.stderr):
            raise IndexUnreachable(
                f"packages cannot be installed, as their index cannot be reached ({away[0]}): is there a network? What was installed once needs none"
            )
        raise SetupFailed(f"{' '.join(argv)} ended with {ending(done)}: {tail(done.stdout + done.stderr, 2000)}")
    return done.stdout + done.stderr
