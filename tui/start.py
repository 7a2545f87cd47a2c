"""Where the command `ghosttape` begins: before anything is loaded that takes time."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Ctrl-C ends it with one sentence and the status 130 also while its modules are loaded."""
    try:
        from tui.cli.app import app
    except KeyboardInterrupt:
        sys.stderr.write("ghosttape: interrupted before anything was begun\n")
        raise SystemExit(130) from None
    app()
