"""The recent edits, as small differences of lines.

Changes within a few lines of each other are one edit, until a change elsewhere ends it. An edit that has ended does not change, so that its
part of the prompt stays the same from key to key. The current edit at the cursor is left out, because the text already shows it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from server.context.pieces import unix

GROUP_LINES = 8
"""Changes within this distance are one edit (as Zed groups them)."""
_KEPT = 12
_LONGEST_LINES = 12
LineChange: TypeAlias = tuple[tuple[int, int], tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class RecentEdit:
    """The old and the new lines of a file, from `line` (counted from 0)."""

    path: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def text(self) -> str:
        """The new lines."""
        return "\n".join(self.new)

    @property
    def diff(self) -> str:
        """The old lines with `-` and the new ones with `+`."""
        return "\n".join([*(f"-{line}" for line in self.old), *(f"+{line}" for line in self.new)])


@dataclass(slots=True)
class _Hunk:
    """The current edit. `first` to `base_end` are its lines in `base`, `first` to `end` its lines in `text`."""

    uri: str
    base: str
    text: str
    first: int
    base_end: int
    end: int

    def is_near(self, uri: str, first: int, last: int) -> bool:
        return uri == self.uri and first <= self.end + GROUP_LINES and last >= self.first - GROUP_LINES

    def grow(self, first: int, last: int, added: int, text: str) -> None:
        """Add a change of the lines `first` to `last`, after which there are `added` lines more."""
        self.first = min(self.first, first)
        below = max(0, last + 1 - self.end)
        self.base_end += below
        self.end += below + added
        self.text = text

    def over(self, path: str) -> RecentEdit | None:
        """The edit as a value; None if the lines are the same in the end."""
        old = unix(self.base).split("\n")[self.first : self.base_end]
        new = unix(self.text).split("\n")[self.first : self.end]
        same = _alike(old, new)
        old, new = old[same:], new[same:]
        below = _alike(old[::-1], new[::-1])
        old, new = old[: len(old) - below], new[: len(new) - below]
        if not old and not new:
            return None
        line = self.first + same
        return RecentEdit(path, line, tuple(old[:_LONGEST_LINES]), tuple(new[:_LONGEST_LINES]))


class RecentEdits:
    """Collects the changes of all documents as edits."""

    def __init__(self) -> None:
        self._over: deque[tuple[str, RecentEdit]] = deque(maxlen=_KEPT)
        self._now: _Hunk | None = None

    def add(self, uri: str, before: str, after: str, changes: Sequence[LineChange | str]) -> None:
        """Add the changes of one notification; `before` and `after` are the whole text."""
        first, last, added = _region(before, after, changes)
        if self._now is not None and self._now.is_near(uri, first, last):
            self._now.grow(first, last, added, after)
            return
        self._finish()
        self._now = _Hunk(uri, before, after, first, last + 1, last + 1 + added)

    def forget(self, uri: str) -> None:
        """End the current edit of a document that was closed. Its edits are kept."""
        if self._now is not None and self._now.uri == uri:
            self._finish()

    def latest(self, uri: str, line: int) -> tuple[tuple[str, RecentEdit], ...]:
        """The last edits with their documents' URIs, the newest first, without the current one at this line of this document."""
        now = self._now
        edits = list(reversed(self._over))
        if now is not None and not now.is_near(uri, line, line):
            edit = now.over(now.uri)
            edits = [(now.uri, edit), *edits] if edit else edits
        return tuple(edits)

    def _finish(self) -> None:
        edit = self._now.over(self._now.uri) if self._now else None
        if self._now is not None and edit is not None:
            self._over.append((self._now.uri, edit))
        self._now = None


def _region(before: str, after: str, changes: Sequence[LineChange | str]) -> tuple[int, int, int]:
    """The first and the last changed line of the old text, and the number of lines added."""
    if len(changes) == 1 and not isinstance(changes[0], str):
        (first, _), (last, _), text = changes[0]
        return first, last, unix(text).count("\n") - (last - first)
    old, new = unix(before).split("\n"), unix(after).split("\n")
    same = _alike(old, new)
    below = _alike(old[same:][::-1], new[same:][::-1])
    return same, max(same, len(old) - below - 1), len(new) - len(old)


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of equal lines at the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
