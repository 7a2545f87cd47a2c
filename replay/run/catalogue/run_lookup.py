"""Which run is meant: by the path of its folder, its name, a tag, or as the last.

Runs are folders in `.ghosttape/runs`, and cells of experiments folders in `.ghosttape/experiments/NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from replay.errors import StoreError
from replay.run.folders import EXPERIMENTS, RUNS, TAGS

LAST = "last"
"""The name of the run that was written last."""


def find_run(named: str | Path) -> Path:
    """Return the folder of a run by its path, its name, a tag, `last`, or a beginning of its name that no other run has.

    What comes first in this order counts. Example: `models/small` is the cell `small` of the experiment `models`.

    Raises:
        StoreError: there is no such run, or there are several.

    """
    text, folder = str(named), Path(named)
    if (folder / "run.sqlite").is_file():
        return folder
    if text == LAST:
        return last_run()
    runs = run_folders()
    ways: tuple[Callable[[Path], bool], ...] = (
        lambda run: run_name(run) == text,
        lambda run: text in tags_of(run),
        lambda run: run_name(run).startswith(text) and not folder.exists(),
    )
    for is_meant in ways:
        if found := [run for run in runs if is_meant(run)]:
            return _only(found, text)
    if folder.exists():
        raise StoreError(f"{folder} holds no run (there is no run.sqlite in it)")
    raise StoreError(f"there is no run {text!r}, neither a folder nor a name nor a tag: `ghosttape runs` lists all")


def _only(runs: Sequence[Path], text: str) -> Path:
    if len(runs) > 1:
        raise StoreError(f"{text!r} is several runs: {', '.join(map(run_name, runs))}")
    return runs[0]


def last_run() -> Path:
    """Return the run that was written last.

    Raises:
        StoreError: there is none.

    """
    runs = run_folders()
    if not runs:
        raise StoreError(f"there is no run in {RUNS}: make one with `ghosttape replay demo`, or name a run's folder")
    return max(runs, key=written_at)


def run_folders() -> list[Path]:
    """Return the folders of all runs and cells of experiments below the current folder, by name."""
    databases = (*RUNS.glob("*/run.sqlite"), *EXPERIMENTS.glob("*/*/run.sqlite"))
    return sorted(path.parent for path in databases)


def run_name(folder: Path) -> str:
    """Return how a run is called: `one` for `.ghosttape/runs/one`, `models/small` for a cell; elsewhere the path of its folder."""
    for place in (RUNS.absolute(), EXPERIMENTS.absolute()):
        if folder.absolute().is_relative_to(place):
            return folder.absolute().relative_to(place).as_posix()
    return str(folder)


def written_at(folder: Path) -> float:
    """Return when a run was last written to, in seconds since 1970. To look at it or to tag it is no writing."""
    times = [0.0]
    for name in ("run.sqlite", "run.sqlite-wal"):
        with suppress(OSError):
            status = (folder / name).stat()
            times.append(status.st_mtime if status.st_size else 0.0)
    return max(times)


def tags_of(folder: Path) -> tuple[str, ...]:
    """Return the tags of a run, in alphabetical order; none where their file cannot be read."""
    try:
        return tuple(sorted(msgspec.json.decode((folder / TAGS).read_bytes(), type=list[str])))
    except (OSError, msgspec.MsgspecError):
        return ()
