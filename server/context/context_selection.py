"""Chooses what a model sees, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from server.context.budget import CHARACTERS_A_TOKEN, Budget, allotted
from server.context.chunks import outline
from server.context.edits import RecentEdit
from server.context.pieces import Snippet, cost, fitting, head, tail, tail_start, unix
from server.context.similar import similar


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
