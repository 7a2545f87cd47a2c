"""The command `doctor`: it tries each sandbox, toolchain and model, and shows each as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from rich.table import Table
from rich.text import Text

from runners import doctor
from runners.doctor import HealthCheck
from server.errors import ServerRoomError
from syntax.entry_points import broken_extensions
from tui.console import SafeConsole
from tui.terminal_text import message

_OPTIONAL = {"sandbox docker", "embedded model", "extension"} | {
    f"toolchain {name}" for name in ("node", "typescript", "java", "cpp", "csharp", "go", "rust")
}
_MARK, _NAME = len("missing"), len("limit size of /tmp and /dev/shm")
"""The widths of the first two columns."""
_SANDBOXES = {"sandbox bubblewrap", "sandbox unshare"}


async def checkup(notify: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """Try everything; `notify` gets each check as soon as it is known.

    `needed` says whether ghosttape cannot do without it. One sandbox is enough, so those wait until all sandboxes are known.
    """
    known, shown = list[HealthCheck](), list[dict[str, Any]]()

    def show(done: HealthCheck) -> None:
        known.append(done)
        if {check.name for check in known} >= _SANDBOXES:
            sandboxed = any(check.ok for check in known if check.name in _SANDBOXES)
            for check in known[len(shown) :]:
                shown.append(asdict(check) | {"needed": _is_needed(check.name, sandboxed=sandboxed)})
                notify(shown[-1])

    await doctor.check(show)
    show(await _model())
    for error in broken_extensions():
        show(
            HealthCheck(
                "extension", ok=False, detail=str(error), hint="uninstall the package, or install what it needs"
            )
        )
    return shown


def _is_needed(name: str, *, sandboxed: bool) -> bool:
    optional = name in _OPTIONAL or name.startswith("limit ")
    return not optional and not (name in _SANDBOXES and sandboxed)


async def _model() -> HealthCheck:
    """Load the embedded model, which makes it write a token."""
    from server.providers.registry import make
    from server.settings import ProviderSettings

    try:
        provider = make(ProviderSettings(name="gguf"))
        await provider.start()
        await provider.close()
    except ServerRoomError as error:
        hint = "use another --provider" if find_spec("xllamacpp") else "run `make setup`, or use another --provider"
        return HealthCheck("embedded model", ok=False, detail=str(error), hint=hint)
    return HealthCheck("embedded model", ok=True, detail="loads and writes")


def show(done: dict[str, Any]) -> None:
    """Print one line for a check, and what to do below it if it does not work."""
    mark, style = ("works", "green") if done["ok"] else ("missing", "red" if done["needed"] else "yellow")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(width=_MARK)
    table.add_column(width=_NAME)
    table.add_column()
    table.add_row(Text(mark, style), Text(done["name"]), Text(message(done["detail"])))
    if done["hint"] and not done["ok"]:
        table.add_row("", "", Text(message(done["hint"]), style="bold"))
    SafeConsole().print(table)
