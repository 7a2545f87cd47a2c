"""Keeps the folder of evaluated files small: each evaluation of another text of a project is another tape with the whole project in it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from msgspec import UNSET

from replay.errors import TapeError
from replay.tapes import blob_files
from replay.tapes.tape import Embedded, stream

KEPT = 20
"""Tapes that are kept, the newest. Results of an older evaluation still show what the run itself has."""


def tidy(folder: Path) -> None:
    """Remove all tapes of a folder but the newest, and the files beside tapes that none of these names.

    Raises:
        OSError: something cannot be removed.

    """
    tapes = sorted(folder.glob("*.tape.jsonl"), key=lambda tape: tape.stat().st_mtime_ns, reverse=True)
    for tape in tapes[KEPT:]:
        tape.unlink(missing_ok=True)
    if tapes[KEPT:]:
        named = {digest for tape in tapes[:KEPT] for digest in _blobs(tape)}
        for blob in (folder / blob_files.FOLDER).glob("*"):
            if blob.name not in named:
                blob.unlink(missing_ok=True)


def _blobs(tape: Path) -> set[str]:
    """The names of the files that lie beside a tape for it; a tape that cannot be read has none."""
    with suppress(TapeError), stream(tape) as read:
        workspace = read.header.workspace
        if isinstance(workspace, Embedded) and workspace.beside is not UNSET:
            return set(workspace.beside.blobs.values())
    return set()
