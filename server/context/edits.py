"""What was changed lately, as small differences of lines.

Changes within a few lines of each other are one edit until work goes on elsewhere. Edits that are over do not change any
more, so that what a prompt says of them stays from key to key; the one under way at the cursor is no news to the model, which
sees it in the text, and is left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from server.context.pieces import unix

GROUP_LINES = 8
"""Changes this near are one edit (as Zed groups them)."""
_KEPT = 12
_LONGEST_LINES = 12
Range: TypeAlias = tuple[tuple[int, int], tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a file, from the 0-based `line` on, as they were and as they became."""

    path: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as they became."""
        return "\n".join(self.new)

    @property
    def diff(self) -> str:
        """The lines with - and +, for models that know what that means."""
        return "\n".join([*(f"-{line}" for line in self.old), *(f"+{line}" for line in self.new)])


@dataclass(slots=True)
class _Hunk:
    """The edit under way. `first` to `base_end` are its lines in `base`, `first` to `end` in `text`."""

    uri: str
    base: str
    text: str
    first: int
    base_end: int
    end: int

    def is_near(self, uri: str, first: int, last: int) -> bool:
        return uri == self.uri and first <= self.end + GROUP_LINES and last >= self.first - GROUP_LINES

    def grow(self, first: int, last: int, added: int, text: str) -> None:
        """Take in a change of the lines `first` to `last`, which are `added` lines more then."""
        self.first = min(self.first, first)
        below = max(0, last + 1 - self.end)
        self.base_end += below
        self.end += below + added
        self.text = text

    def over(self, path: str) -> Edit | None:
        """The edit as a value; None when nothing is different in the end."""
        old = unix(self.base).split("\n")[self.first : self.base_end]
        new = unix(self.text).split("\n")[self.first : self.end]
        same = _alike(old, new)
        old, new = old[same:], new[same:]
        below = _alike(old[::-1], new[::-1])
        old, new = old[: len(old) - below], new[: len(new) - below]
        if not old and not new:
            return None
        line = self.first + same
        return Edit(path, line, tuple(old[:_LONGEST_LINES]), tuple(new[:_LONGEST_LINES]))


class RecentEdits:
    """Hears of each change of a document and knows what was changed lately."""

    def __init__(self) -> None:
        self._over: deque[tuple[str, Edit]] = deque(maxlen=_KEPT)
        self._now: _Hunk | None = None

    def hear(self, uri: str, before: str, after: str, changes: Sequence[Range | str]) -> None:
        """Take in the changes of one notification; `before` and `after` are the whole text."""
        first, last, added = _region(before, after, changes)
        if self._now is not None and self._now.is_near(uri, first, last):
            self._now.grow(first, last, added, after)
            return
        self._finish()
        self._now = _Hunk(uri, before, after, first, last + 1, last + 1 + added)

    def forget(self, uri: str) -> None:
        """A document was closed: what was changed in it stays known, but nothing is under way there."""
        if self._now is not None and self._now.uri == uri:
            self._finish()

    def latest(self, uri: str, line: int) -> tuple[tuple[str, Edit], ...]:
        """The last edits with their documents' URIs, the newest first, without the one under way at a line of a document."""
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


def _region(before: str, after: str, changes: Sequence[Range | str]) -> tuple[int, int, int]:
    """The first and last line before, and how many lines more there are after, of what changed."""
    if len(changes) == 1 and not isinstance(changes[0], str):
        (first, _), (last, _), text = changes[0]
        return first, last, unix(text).count("\n") - (last - first)
    old, new = unix(before).split("\n"), unix(after).split("\n")
    same = _alike(old, new)
    below = _alike(old[same:][::-1], new[same:][::-1])
    return same, max(same, len(old) - below - 1), len(new) - len(old)


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the start are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
