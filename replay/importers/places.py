"""Where a recorded file stands on the tape."""

from __future__ import annotations

from functools import lru_cache

OUTSIDE = "outside-workspace"


@lru_cache(4096)
def inside(recorded: str) -> str:
    """The path on the tape: forward slashes, and what lies outside the workspace in a folder of its own.

    Raises ValueError if the path names the workspace itself.
    """
    parts = [part for part in recorded.replace("\\", "/").split("/") if part != "."]
    kept = [part.rstrip(":") for part in parts if part not in {"", ".."}]
    if not kept:
        raise ValueError(f"path {recorded!r} names the workspace itself, not a document in it")
    left = parts[:1] in ([".."], [""]) or parts[0].endswith(":") or ".." in parts
    return "/".join([OUTSIDE, *kept] if left else kept)
