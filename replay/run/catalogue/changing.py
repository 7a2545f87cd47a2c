"""Runs are renamed, tagged and deleted.

Tags stand in a file beside the database, so that to tag a run does not make it the one that was written last. A tag belongs to one run: it moves,
as a tag of git that is set again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from replay.errors import StoreError
from replay.run.catalogue.run_lookup import LAST, run_folders, run_name, tags_of
from replay.run.folders import RUNS, TAGS, others_in
from replay.run.store import Store

_NAME = re.compile(r"\w(?:[\w.+-]*[\w+-])?")
"""A name is no path and no flag."""


def rename_run(folder: Path, name: str) -> Path:
    """Give a run another name, in the folder it is in; return its new folder.

    Raises:
        StoreError: the name cannot be one or is taken, the run is being written, or its folder cannot be renamed.

    """
    folder = folder if folder.name else _whole(folder)
    new = folder.parent / name
    check_name(name)
    if new.exists():
        raise StoreError(f"{new} is there already: choose another name, or delete that run first")
    refuse_written(folder)
    try:
        return folder.rename(new)
    except OSError as error:
        raise StoreError(f"{folder} cannot be renamed: {error.strerror}") from error


def check_name(name: str) -> None:
    """Refuse what cannot be a name of a run: a path, a flag, `last`, or a tag.

    Raises:
        StoreError: it cannot be one, or is a tag of a run.

    """
    _check(name, "a name of a run")
    if named := [run for run in run_folders() if name in tags_of(run)]:
        raise StoreError(f"{name!r} is a tag of {run_name(named[0])}: choose another name, or remove that tag first")


def _whole(folder: Path) -> Path:
    """A folder by a path that ends in its name: `.` cannot be renamed or removed."""
    return folder if folder.is_symlink() else folder.resolve()


def tag_run(folder: Path, tag: str) -> Path | None:
    """Give a run a tag; return the run that had it until now, if there is another.

    Raises:
        StoreError: it cannot be a tag, it is the name of a run, or the folder cannot be written.

    """
    _check(tag, "a tag")
    if (RUNS / tag / "run.sqlite").exists():
        raise StoreError(f"{tag!r} is the name of a run: choose another tag")
    before = [run for run in run_folders() if tag in tags_of(run) and run.absolute() != folder.absolute()]
    _put_tags(folder, {*tags_of(folder), tag})
    for run in before:
        _put_tags(run, {*tags_of(run)} - {tag})
    return before[0] if before else None


def untag_run(folder: Path, tag: str) -> None:
    """Take a tag from a run.

    Raises:
        StoreError: the run does not have it, or the folder cannot be written.

    """
    if tag not in tags_of(folder):
        known = ", ".join(tags_of(folder)) or "none"
        raise StoreError(f"{run_name(folder)} has no tag {tag!r} (its tags: {known})")
    _put_tags(folder, {*tags_of(folder)} - {tag})


def delete_run(folder: Path, *, force: bool = False) -> None:
    """Delete a run with all that is in its folder; one that is being written, or holds something else too, only by `force`.

    Raises:
        StoreError: it is being written, holds something else, or cannot be deleted.

    """
    folder = _whole(folder)
    if not force:
        refuse_written(folder)
        if other := others_in(folder):
            raise StoreError(f"{folder} holds more than a run ({other[0]}): take that out of it first")
    try:
        if folder.is_symlink():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    except OSError as error:
        raise StoreError(f"{folder} cannot be deleted: {error.strerror}") from error


def refuse_written(folder: Path) -> None:
    """Refuse to change a run that another process writes now.

    Raises:
        StoreError: one does. A run that cannot be read is written by none.

    """
    try:
        store = Store.open(folder)
    except StoreError:
        return
    with store:
        if store.is_written:
            raise StoreError(f"{run_name(folder)} is being written by another process: wait for it, or end it first")


def _check(name: str, what: str) -> None:
    if not _NAME.fullmatch(name) or name == LAST:
        raise StoreError(
            f"{name!r} cannot be {what}: letters, digits, _, ., + and - can stand in it, and it is not {LAST!r}"
        )


def _put_tags(folder: Path, tags: Iterable[str]) -> None:
    part = folder / f".{TAGS}.part"
    try:
        part.write_bytes(msgspec.json.encode(sorted(tags)))
        part.replace(folder / TAGS)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror}") from error
