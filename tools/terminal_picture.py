"""What a command leaves on a terminal, as a picture: lines that it drew over are as they were at last."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME
from rich.text import Text

THEMES = {"dark": SVG_EXPORT_THEME, "light": DEFAULT_TERMINAL_THEME}
_PIECES = re.compile(
    r"\x1b\[(?P<number>\d*)(?P<code>[AK])|(?P<move>[\r\n])|(?P<text>(?:\x1b\[[\d;]*m|[^\x1b\r\n])+)|\x1b\[\?\d+[hl]"
)
"""What rich writes: moves up, erased lines, line ends, text with colours, and the cursor's being shown or not."""


def run_on_terminal(command: Sequence[str], folder: Path, columns: int) -> str:
    """Run a command in a folder on a pseudo-terminal of so many columns; give all that it writes.

    Raises:
        OSError: it cannot be run, or ends with an error.

    """
    terminal, inner = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 48, columns, 0, 0))
    size = {"COLUMNS": str(columns), "LINES": "48", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    known = {**os.environ, **size}
    process = subprocess.Popen(command, cwd=folder, env=known, stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    written = bytearray()
    try:
        while piece := os.read(terminal, 1 << 16):
            written += piece
    except OSError:  # nobody holds the other end any more
        pass
    finally:
        os.close(terminal)
    status = process.wait()
    text = written.decode("utf-8", "replace")
    if status:
        raise OSError(status, f"{' '.join(command)} ends with an error: {text[-2000:]}")
    return text


def lines_left(written: str) -> list[str]:
    r"""The lines that stay on the screen, with the codes of their colours.

    Example: `a\nb\r\x1b[2K\x1b[1A\x1b[2Kc` gives `c` and an empty line.
    """
    lines, row, is_begun = [""], 0, False
    for piece in _PIECES.finditer(written):
        if piece["text"]:
            lines[row] = (lines[row] if is_begun else "") + piece["text"]
            is_begun = True
        elif piece["move"]:
            is_begun = False
            row += piece["move"] == "\n"
            lines += [""] * (row + 1 - len(lines))
        elif piece["code"] == "A":
            row = max(0, row - int(piece["number"] or 1))
        elif piece["code"] == "K":
            lines[row], is_begun = "", False
    return lines


def terminal_picture(command: str, lines: Sequence[str], columns: int, theme: str) -> str:
    """The command as it was typed and the lines that it left, as SVG."""
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=False)
    return console.export_svg(title=command, theme=THEMES[theme], unique_id=f"terminal-{theme}")
