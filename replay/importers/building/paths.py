"""The path of a recorded file on the tape."""

from __future__ import annotations

from functools import lru_cache

OUTSIDE = "outside-workspace"


@lru_cache(4096)
def path_on_tape(recorded: str) -> str:
    """The path on the tape: with forward slashes; files outside the workspace are in the folder `outside-workspace`.

    For example `/etc/a.py` is `outside-workspace/etc/a.py`, and `../../a.py` is `outside-workspace/up-2/a.py`: different files
    have different paths.

    Raises ValueError if the path names the workspace itself, or a folder above it.
    """
    parts = recorded.replace("\\", "/").split("/")
    absolute = parts[0] == "" or parts[0].endswith(":")
    up, kept = _followed([parts[0].rstrip(":"), *parts[1:]] if absolute else parts)
    if not kept:
        raise ValueError(f"path {recorded!r} names the workspace itself or a folder above it, not a document in it")
    above = [f"up-{up}"] if up and not absolute else []
    return "/".join([OUTSIDE, *above, *kept] if absolute or up else kept)


def _followed(parts: list[str]) -> tuple[int, list[str]]:
    """How many folders up a path leads, and the names from there."""
    up, kept = 0, list[str]()
    for part in parts:
        if part == ".." and not kept:
            up += 1
        elif part == "..":
            kept.pop()
        elif part not in {"", "."}:
            kept.append(part)
    return up, kept
