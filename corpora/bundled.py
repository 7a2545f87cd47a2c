"""The demo corpus that comes with ghosttape: two small projects, and a tape of a feature written in each."""

from __future__ import annotations

from pathlib import Path

from corpora.script import read_script
from corpora.typist import build
from replay.tape import Tape, write

DEMO = Path(__file__).parent / "demo"
SCRIPTS = Path(__file__).parent / "scripts"
NAMES = ("ledger", "router")


def demo_tapes() -> tuple[Path, ...]:
    """The files of the bundled tapes; each has its project beside it."""
    return tuple(DEMO / f"{name}.tape.jsonl" for name in NAMES)


def typed(name: str) -> Tape:
    """The tape that a bundled script gives; the file in `demo/` is this very tape.

    Raises:
        CorpusError: the script cannot be read or typed.

    """
    return build(read_script(SCRIPTS / f"{name}.toml", DEMO))


def type_bundled() -> None:
    """Write the bundled tapes anew, after a script or the typist has changed."""
    for name, path in zip(NAMES, demo_tapes(), strict=True):
        write(typed(name), path)
