"""Chooses what a model sees, within a budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import takewhile
from typing import TypeAlias

import msgspec

from server.context.budget import CHARACTERS_A_TOKEN, Budget, allotted
from server.context.chunks import CodeChunk, chunks, outline, words_of
from server.context.pieces import Snippet, cost, fitting, head, tail, tail_start, unix

# The recent edits, as small differences of lines.
#
# Changes within a few lines of each other are one edit, until a change elsewhere ends it. An edit that has ended does not change, so that its
# part of the prompt stays the same from key to key. The current edit at the cursor is left out, because the text already shows it.

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


class Surroundings(msgspec.Struct, frozen=True):
    """What a context can be chosen from.

    `others` are the other open documents, the latest first; `edited` the recent edits, the newest first; `files` the files on disk that are
    not open; `repo` the project's name. Where there is `evidence`, it is shown in the place of the most similar pieces, the first as long as there is room.
    """

    path: str
    language: str
    before: str
    after: str
    others: Sequence[Snippet] = ()
    edited: Sequence[RecentEdit] = ()
    files: Sequence[Snippet] = ()
    repo: str = ""
    evidence: tuple[Snippet, ...] = ()


class Context(msgspec.Struct, frozen=True):
    """What was chosen; lines end with line feeds. `opened` has outlines of open documents."""

    path: str
    language: str
    before: str
    after: str
    snippets: tuple[Snippet, ...] = ()
    edits: tuple[RecentEdit, ...] = ()
    opened: tuple[Snippet, ...] = ()
    repo: str = ""

    @property
    def elsewhere(self) -> tuple[Snippet, ...]:
        """All pieces of other places, the most important last, for templates that only have files."""
        edits = (Snippet(edit.path, edit.text) for edit in reversed(self.edits) if edit.text.strip())
        return (*self.opened, *edits, *self.snippets)


def choose(around: Surroundings, budget: Budget, rate: float = CHARACTERS_A_TOKEN) -> Context:
    """Cut the surroundings to a budget, each section at line starts; `rate` characters are a token.

    The size of a piece includes its path and the marks around it in a prompt. What a section does not need goes to the others, in the
    order of `ORDER`.
    """
    shares = budget.characters(rate)
    if not any(shares.values()):
        return Context(around.path, around.language, "", "", repo=around.repo)
    before, after = unix(around.before), unix(around.after)
    far, near, rest = _apart(before, after, sum(shares.values()))
    sources = (*around.others, *around.files, *(Snippet(around.path, part) for part in (far, rest) if part))
    found = around.evidence or (similar(before, sources) if shares["snippets"] else ())
    snippets = found if shares["snippets"] else ()
    edits = tuple(edit for edit in around.edited if not _is_shown(edit, around.path, near)) if shares["edits"] else ()
    opened = tuple(_outlines(around.others)) if shares["opened"] and not around.evidence else ()
    needs = {"before": len(before), "after": len(after), "snippets": _length(snippets), "opened": _length(opened)}
    sizes = allotted(shares, needs | {"edits": sum(_cost(edit) for edit in edits)})
    return Context(
        around.path,
        around.language,
        tail(before, sizes["before"]),
        head(after, sizes["after"]),
        _in_place(fitting(snippets, sizes["snippets"])),
        _whole(edits, sizes["edits"]),
        fitting(opened, sizes["opened"]),
        around.repo,
    )


def _apart(before: str, after: str, size: int) -> tuple[str, str, str]:
    """The document in three parts: too far above the cursor to be shown, near it, and too far below."""
    start, end = tail_start(before, size), len(head(after, size))
    return before[:start], before[start:] + after[:end], after[end:]


def _is_shown(edit: RecentEdit, path: str, near: str) -> bool:
    """Whether the text around the cursor already contains the new lines of an edit."""
    return edit.path == path and (not edit.text.strip() or edit.text in near)


def _in_place(snippets: Iterable[Snippet]) -> tuple[Snippet, ...]:
    """Sorted by place and not by rank, because ranks change more often."""
    return tuple(sorted(snippets, key=lambda snippet: (snippet.path, snippet.line)))


def _outlines(others: Iterable[Snippet]) -> Iterable[Snippet]:
    for other in others:
        text = outline(other.path, other.text)
        if text:
            yield Snippet(other.path, text)


def _whole(edits: Iterable[RecentEdit], size: int) -> tuple[RecentEdit, ...]:
    """The newest edits that fit; edits are not cut, because a part of one is misleading."""
    kept: list[RecentEdit] = []
    for edit in edits:
        if _cost(edit) <= size:
            kept.append(edit)
            size -= _cost(edit)
    return tuple(kept)


def _cost(edit: RecentEdit) -> int:
    return cost(edit.path, edit.diff)


def _length(snippets: Iterable[Snippet]) -> int:
    return sum(cost(snippet.path, snippet.text) for snippet in snippets)


# The pieces of other files that are most like what is being written.
#
# Retrieval as in RepoCoder (Zhang et al. 2023, arXiv 2303.12570, section 2): the last lines before the cursor are the query, and
# pieces of the project are ranked by the Jaccard index of the two sets of words. Two things differ: a piece is a function and not
# a sliding window (bodies of methods are among the prompt proposals of Shrivastava et al. 2023, arXiv 2206.12839), and words are
# identifiers.

QUERY_LINES = 20
BEST = 3
_Entry: TypeAlias = tuple[float, str, int, str]


def query_of(before: str) -> frozenset[str]:
    """The identifiers of the last whole lines before the cursor: the line being typed would change them with each key."""
    lines = before.split("\n")[:-1]
    written = [line for line in lines if line.strip()]
    return words_of("\n".join(written[-QUERY_LINES:]))


def similar(before: str, sources: Iterable[Snippet]) -> tuple[Snippet, ...]:
    """The best three pieces of the sources, the best first."""
    wanted = query_of(before)
    return _best(wanted, tuple(sources)) if wanted else ()


@lru_cache(maxsize=16)
def _best(wanted: frozenset[str], sources: tuple[Snippet, ...]) -> tuple[Snippet, ...]:
    best = nsmallest(BEST, _ranked(wanted, sources))
    return tuple(Snippet(path, text, line) for _, path, line, text in best)


def _ranked(wanted: frozenset[str], sources: Iterable[Snippet]) -> Iterator[_Entry]:
    """Each piece that shares a word, with its distance first; of pieces with the same text, one."""
    seen: set[str] = set()
    for source in sources:
        for chunk in chunks(source.path, source.text):
            if wanted.isdisjoint(chunk.words) or chunk.text in seen:
                continue
            seen.add(chunk.text)
            yield -_jaccard(wanted, chunk), source.path, chunk.line, chunk.text


def _jaccard(wanted: frozenset[str], chunk: CodeChunk) -> float:
    common = len(wanted & chunk.words)
    return common / (len(wanted) + len(chunk.words) - common)
