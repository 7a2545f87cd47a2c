"""The demo corpus of ghosttape: two small projects, and for each a tape in which a feature is written."""

from __future__ import annotations

from pathlib import Path

from corpora.typing.script import read_script
from corpora.typing.typist import build
from replay.tapes.tape import Tape, write

DEMO = Path(__file__).parent
SCRIPTS = Path(__file__).parent / "scripts"
NAMES = ("ledger", "router")


def demo_tapes() -> tuple[Path, ...]:
    """The files of the bundled tapes; each is beside its project."""
    return tuple(DEMO / f"{name}.tape.jsonl" for name in NAMES)


def typed(name: str) -> Tape:
    """The tape that a bundled script gives, equal to the file in `demo/`.

    Raises:
        CorpusError: the script cannot be read or typed.

    """
    return build(read_script(SCRIPTS / f"{name}.toml", DEMO))


def type_bundled() -> None:
    """Write the bundled tapes again, after a change of a script or of the typist."""
    for name, path in zip(NAMES, demo_tapes(), strict=True):
        write(typed(name), path)
