"""Where the command `ghosttape` begins: before anything is loaded that takes time."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line. Ctrl-C ends it with one sentence and the status 130 also while its modules are loaded."""
    gc.disable()  # what is loaded stays: to look through it again and again takes a fifth of the start
    try:
        from tui.cli.app import app
    except KeyboardInterrupt:
        sys.stderr.write("ghosttape: interrupted before anything was begun\n")
        raise SystemExit(130) from None
    gc.freeze()
    gc.enable()
    app()
