"""What runs beside the tests inside the sandbox and bears witness to how they ended; and how that is read here.

A program can print what it likes and leave with status 0 before its assertions. So what starts it writes lines of its own
on standard error: a number that was drawn for this run, and a word. The program could find the number in its memory or
in `/proc`; but then it was written to cheat ghosttape, and no other test runner.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from runners.protocol import Mount

FILES = Path(__file__).parent
FOLDER = "/ghosttape"
MOUNT = Mount(FILES, FOLDER)


def fresh() -> str:
    """Return a number for one run."""
    return secrets.token_hex(16)


def environment(nonce: str) -> dict[str, str]:
    """Return the variables by which the files in `FOLDER` know where they are, and what to sign with."""
    return {"GHOSTTAPE": FOLDER, "GHOSTTAPE_WITNESS": nonce}


def heard(text: str, nonce: str) -> tuple[list[str], str]:
    """Return the words that were said with this number, and the text without them."""
    line = re.compile(rf"\n?^{nonce} (.*)\n", re.MULTILINE)
    return line.findall(text), line.sub("", text)
