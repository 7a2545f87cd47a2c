"""A baseline for next edits without a model: the last replacement again, at the next place with the same old text."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from server.context import RecentEdit
from server.documents import Document
from server.edit_answers import ProposedChange, edit_answer
from server.providers.protocol import AnswerPiece, AnswerText, OfflineProvider, Request
from server.settings import ProviderSettings
from syntax.text import length, offset_of

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class RepeatEdit(OfflineProvider):
    """Repeats the newest edit if it put one word in the place of another: `total` became `amount`, and so does the next `total`.

    The next place is behind the cursor, then from the document's start, then in the other open documents, the latest first.
    """

    name: str = "repeat-edit"
    proposes_edits: bool = True

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Yield the edit; nothing if the newest edit replaced no word, if the old word is nowhere else, or if a completion is asked for."""
        replaced = replacement(request.edited[0]) if request.asks == "edit" and request.edited else None
        place = next(_places(request, replaced[0]), None) if replaced else None
        if replaced and place:
            path, text, at = place
            start = offset_of(text, at)
            yield AnswerText(edit_answer([ProposedChange(path, start, start + length(replaced[0]), replaced[1])]))


def replacement(edit: RecentEdit) -> tuple[str, str] | None:
    """The word that an edit replaced, and the one that it put there; None where it did something else as well."""
    old, new = (_TOKEN.findall("\n".join(lines)) for lines in (edit.old, edit.new))
    changed = [step for step in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if step[0] != "equal"]
    pairs = {("".join(old[first:last]), "".join(new[start:end])) for _, first, last, start, end in changed}
    if len(pairs) != 1:
        return None
    (pair,) = pairs
    return pair if all(map(_WORD.fullmatch, pair)) else None


def _places(request: Request, word: str) -> Iterator[tuple[str, str, int]]:
    """Where a word stands: path, text and index, the nearest place first."""
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    here = request.before + request.after
    path = request.paths.get(request.uri, "")
    yield from ((path, here, found.start()) for found in whole.finditer(here, len(request.before)))
    yield from ((path, here, found.start()) for found in whole.finditer(here) if found.start() < len(request.before))
    for document in _latest_first(request):
        named = request.paths.get(document.uri, "")
        yield from ((named, document.text, found.start()) for found in whole.finditer(document.text))


def _latest_first(request: Request) -> Sequence[Document]:
    return [document for document in reversed(request.opened) if document.uri != request.uri]


def make(settings: ProviderSettings) -> RepeatEdit:
    """The baseline; no setting changes it."""
    return RepeatEdit()
