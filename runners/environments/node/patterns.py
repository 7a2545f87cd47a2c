"""Patterns of file names and of packages, matched in a time that no pattern can make long."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

LONGEST = 1_000
"""Characters of a pattern or a text at most: longer ones match nothing."""
_MOST_CHOICES = 64
"""So many patterns one with braces stands for at most; one of more matches nothing."""
_BRACES = re.compile(r"\{([^{}]*)\}")


def matches(pattern: str, text: str) -> bool:
    """Whether a text is one that a pattern of file names stands for. Example: `packages/*` and `packages/one`, `@own/{a,b}` and `@own/b`.

    `*` and `?` stay in one part between slashes, `**` as a whole part is any number of them, at the end at least one.
    """
    if max(len(pattern), len(text)) > LONGEST:
        return False
    return any(_parts_match(each.split("/"), text.split("/")) for each in _choices(pattern))


def _choices(pattern: str) -> list[str]:
    """The patterns without braces that one stands for. Example: `a/{b,c}` gives `a/b` and `a/c`."""
    found, done = [pattern], list[str]()
    while found:
        each = found.pop()
        if (braces := _BRACES.search(each)) is None:
            done.append(each)
        else:
            before, after = each[: braces.start()], each[braces.end() :]
            found += [f"{before}{item}{after}" for item in braces[1].split(",")]
        if len(found) + len(done) > _MOST_CHOICES:
            return []
    return done


def _parts_match(pattern: Sequence[str], text: Sequence[str]) -> bool:
    """Whether the parts of a pattern stand for those of a text: for each of the former the ends in the text that it can reach, as numbers of parts."""
    ends = {0}
    for index, part in enumerate(pattern):
        if part == "**":
            first = min(ends) + (index == len(pattern) - 1)
            ends = set(range(first, len(text) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(text) and _part_matches(part, text[end])}
        if not ends:
            return False
    return len(text) in ends


def _part_matches(pattern: str, text: str) -> bool:
    """Whether one part does; the regular expressions of `fnmatch` never go back over what a star took."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def of_series(name: str) -> str:
    """The regular expression of a pattern of run-s, in which a star stands for a part of a name between colons. It never goes back over what a star took, but the last.

    Example: `test:*` gives `test:[^:]*`.
    """
    first, *others = map(re.escape, re.split(r"\*+", name))
    *middle, last = others or [""]
    stars = "".join(f"(?>[^:]*?{each})" for each in middle)
    return first + stars + (f"[^:]*{last}" if others else "")
