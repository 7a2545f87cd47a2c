"""How ghosttape starts itself: as a language server, or as a screen."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from replay.errors import ServerError


def console_script() -> str:
    """The absolute path of the command `ghosttape`: what GHOSTTAPE_SCRIPT names, else the one beside this Python, else on PATH.

    Raises:
        ServerError: ghosttape is not installed as a command.

    """
    beside = Path(sys.executable).with_name("ghosttape")
    found = os.environ.get("GHOSTTAPE_SCRIPT") or (str(beside) if beside.exists() else shutil.which("ghosttape"))
    if found is None:
        raise ServerError(
            "the command `ghosttape` is not installed beside this Python nor on PATH: reinstall ghosttape"
        )
    return str(Path(found).absolute())


def server_command() -> list[str]:
    """The console script that starts our own language server.

    Raises:
        ServerError: ghosttape is not installed as a command.

    """
    return [console_script(), "serve", "--stdio"]
