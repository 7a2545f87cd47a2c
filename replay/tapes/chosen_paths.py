"""Which documents are asked about: those that the user chooses by their paths, and leaves out by them."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def is_excluded(path: str, excluded: Iterable[str]) -> bool:
    """Whether a path (of a document, with `/`) begins with one of some texts, or matches one as a pattern.

    In a pattern `*` stands for any characters, `/` too, `?` for one, `[ab]` for one of these. `docs/conf.py` begins with `docs/` and matches `*.py`
    and `docs/*`.
    """
    return any(path.startswith(one) or fnmatchcase(path, one) for one in excluded)


def is_chosen(path: str, paths: Iterable[str], excluded: Iterable[str]) -> bool:
    """Whether a document is asked about: its path begins with one of `paths`, if there are any, and is not excluded."""
    wanted = tuple(paths)
    return (not wanted or path.startswith(wanted)) and not is_excluded(path, excluded)
