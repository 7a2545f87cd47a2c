"""A question that a person answers with yes or no, and Ctrl-C while nothing is awaited."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


def confirmed(text: str) -> bool:
    """Ask the person, on standard error; no where nobody sits at a terminal.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.

    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    try:
        with ended_by_ctrl_c():
            return typer.confirm(text, default=False, err=True)
    except typer.Abort as error:
        raise KeyboardInterrupt from error


@contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end what reads without awaiting anything: the event loop would hear of it only afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:  # as in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
