"""Where runs are kept: a folder each in `.ghosttape/runs`, named by when and what they are."""

from __future__ import annotations

import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

from replay.errors import StoreError
from replay.options import RunOptions

OWN = ".ghosttape"
"""The folder of what ghosttape keeps beside a project."""
RUNS = Path(OWN, "runs")
EXPERIMENTS = Path(OWN, "experiments")
"""Where experiments are kept: a folder each, with a folder of a run for each cell."""
TAGS = "tags.json"
"""The file of a run's tags, in its folder."""
_OF_RUNS = frozenset({"answers.jsonl", "config.toml", ".config.toml.part", "control.sock", "log.txt", TAGS})
"""What may be left of a run that never began, or whose database was removed."""
_BEGINNINGS = ("live.jsonl", "run.sqlite")
"""Of files that stand beside them for a while: one that was left aside has the number of its process."""


def new_folder(options: RunOptions) -> Path:
    """A folder for a run that was given none: `.ghosttape/runs/20260131-120000-gguf-blocks-3f9a`.

    Nothing in a name leads out of the folder of runs: all but letters, digits, `_`, `.` and `-` becomes `-`. The end is random, for runs that
    begin in the same second.
    """
    name = re.sub(
        r"[^\w.-]+", "-", f"{time.strftime('%Y%m%d-%H%M%S')}-{options.name}-{secrets.token_hex(2)}", flags=re.ASCII
    )
    return RUNS / re.sub(r"\.{2,}", "-", name)


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it. A `.ghosttape` that comes with it gets a `.gitignore`, so that git passes over all that is in it.

    Raises:
        OSError: it cannot be made.

    """
    new = next((each for each in (folder, *folder.parents) if each.name == OWN and not each.exists()), None)
    folder.mkdir(parents=True, exist_ok=True)
    if new is not None:
        with suppress(FileExistsError), (new / ".gitignore").open("x", encoding="utf-8") as file:
            file.write("*\n")


def _is_of_runs(name: str) -> bool:
    return name in _OF_RUNS or name.startswith(_BEGINNINGS)


def others_in(folder: Path) -> list[str]:
    """Return the names of what lies in a run's folder and is no part of a run."""
    return sorted(each.name for each in folder.iterdir() if not _is_of_runs(each.name))


def refuse_in_use(folder: Path) -> None:
    """Refuse a folder for a run that holds something else.

    Raises:
        StoreError: it does, or it is a file.

    """
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file, not a folder: choose another --out")
    if not folder.exists() or (folder / "run.sqlite").exists():
        return
    if other := others_in(folder):
        raise StoreError(
            f"{folder} holds no run, but something else ({other[0]}): choose another --out, a new folder or an empty one"
        )
