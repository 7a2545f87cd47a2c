"""Asks git about a work tree: read only, whatever the environment says, and without running hooks or filters."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

_GIT_S = 10
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def ask(folder: Path, *words: str, given: str = "") -> str:
    """The output of git in a folder; empty if git fails or is missing."""
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *words],
            check=False,
            capture_output=True,
            input=given.encode("utf-8", "surrogateescape"),
            timeout=_GIT_S,
            env=_environment(),
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def _environment() -> dict[str, str]:
    """The environment without `GIT_DIR`, `GIT_WORK_TREE` and the like: the folder alone decides which repository it is."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ALONE


def ignored(paths: Iterable[Path]) -> set[Path]:
    """Those of the absolute paths that git ignores, tracked or not, according to the nearest repository of each.

    None of them where git is missing or fails: the caller also reads the ignore files itself.
    """
    groups: defaultdict[Path, list[Path]] = defaultdict(list)
    tops: dict[Path, Path | None] = {}
    for path in paths:
        if (top := _top(path.parent, tops)) is not None:
            groups[top].append(path)
    return {path for top, group in groups.items() for path in _ignored(top, group)}


def _ignored(top: Path, paths: list[Path]) -> set[Path]:
    given = "".join(
        f"./{path.relative_to(top).as_posix()}\0" for path in paths
    )  # git does not take what begins with `:` for a path
    said = ask(top, "check-ignore", "-z", "--stdin", "--no-index", given=given)
    return {top / name for name in said.split("\0") if name}


def _top(folder: Path, known: dict[Path, Path | None]) -> Path | None:
    if folder not in known:
        known[folder] = folder if is_top(folder) else None if folder == folder.parent else _top(folder.parent, known)
    return known[folder]


def is_top(folder: Path) -> bool:
    """Whether a folder is the top of a work tree; `.git` is a file in a linked one, and in a submodule."""
    return (folder / ".git").exists()


def exclude_file(top: Path) -> Path:
    """The ignore file `info/exclude` of a repository; that of a linked work tree is in the main one."""
    place = top / ".git"
    if place.is_file():
        place = top / place.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
        common = place / "commondir"
        place = place / common.read_text("utf-8", "replace").strip() if common.is_file() else place
    return place / "info" / "exclude"
