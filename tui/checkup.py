"""The command `doctor`: each sandbox, toolchain and model tried for real."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runners.doctor import check
from server.errors import ServerRoomError

_OPTIONAL = {"sandbox docker", "embedded model"} | {
    f"toolchain {name}" for name in ("node", "typescript", "java", "cpp", "csharp", "go", "rust")
}
_SANDBOXES = {"sandbox bubblewrap", "sandbox unshare"}


async def checkup() -> list[dict[str, Any]]:
    """Try everything; `needed` tells what ghosttape cannot do without (one sandbox is enough)."""
    checks = [asdict(done) for done in await check()] + [await _model()]
    sandboxed = any(done["ok"] for done in checks if done["name"] in _SANDBOXES)
    for done in checks:
        spared = done["name"] in _OPTIONAL or done["name"].startswith("limit ")
        spared |= done["name"] in _SANDBOXES and sandboxed
        done["needed"] = not spared
    return checks


async def _model() -> dict[str, Any]:
    """Load the embedded model, which makes it write a token."""
    from server.providers.registry import make
    from server.settings import ProviderSettings

    done = {"name": "embedded model", "ok": True, "detail": "loads and writes", "hint": ""}
    try:
        provider = make(ProviderSettings(name="gguf"))
        await provider.start()
        await provider.close()
    except ServerRoomError as error:
        return done | {"ok": False, "detail": str(error), "hint": "run `make setup`, or use another --provider"}
    return done


def show(checks: list[dict[str, Any]]) -> None:
    """Print one line for each, and what to do below those that do not work."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for done in checks:
        mark = ("works", "green") if done["ok"] else ("missing", "red") if done["needed"] else ("missing", "yellow")
        table.add_row(Text(*mark), Text(done["name"]), Text(done["detail"]))
        if done["hint"] and not done["ok"]:
            table.add_row("", "", Text(done["hint"], style="bold"))
    Console().print(table)
