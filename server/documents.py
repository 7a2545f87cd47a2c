r"""The texts that an editor has open, as values: knows nothing of the protocol.

Lines end as LSP says (`\n`, `\r\n`, `\r`); form feeds and U+2028 are characters of a line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from server.errors import DocumentError
from syntax.errors import OffsetError
from syntax.text import Change, index_of, length, offset_at, position_at, splice

Place: TypeAlias = tuple[int, int]
"""(line, UTF-16 character)"""
Edit: TypeAlias = tuple[Place, Place, str] | str
"""What LSP calls a content change: a range and its new text, or the whole new text."""

_REMEMBERED_EDITS = 20


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one open text."""

    uri: str
    language: str
    version: int
    text: str

    def split(self, place: Place) -> tuple[str, str]:
        """The text before and after a position.

        Raises:
            DocumentError: there is no such line.

        """
        index = index_of(self.text, self.offset(place))
        return self.text[:index], self.text[index:]

    def offset(self, place: Place) -> int:
        """The UTF-16 offset of a position.

        Raises:
            DocumentError: there is no such line.

        """
        try:
            return offset_at(self.text, *place)
        except OffsetError as error:
            raise DocumentError(f"{self.uri} (version {self.version}): {error}") from error


@dataclass(frozen=True, slots=True)
class Touched:
    """Where an edit happened: the document and its 0-based line."""

    uri: str
    line: int


class Documents:
    """What the editor has open, and where it was edited lately (newest last)."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self.edits: deque[Touched] = deque(maxlen=_REMEMBERED_EDITS)

    def open(self, uri: str, language: str, version: int, text: str) -> None:
        """Take a document in; an open one is replaced."""
        self._open.pop(uri, None)
        self._open[uri] = Document(uri, language, version, text)

    def change(self, uri: str, version: int, edits: Sequence[Edit]) -> tuple[Change, ...]:
        """Apply edits one after the other, each to the text that the one before it left; give them as offsets.

        Raises:
            DocumentError: the document is not open or a range lies outside it; nothing is applied then.

        """
        document, changes = self.get(uri), []
        for edit in edits:
            changes.append(_change(document, edit))
            document = replace(document, text=self._changed(document, edit, changes[-1]))
        self._open[uri] = replace(document, version=version)
        return tuple(changes)

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._open.pop(uri, None)

    def get(self, uri: str) -> Document:
        """The document as it stands now.

        Raises:
            DocumentError: it is not open.

        """
        try:
            return self._open[uri]
        except KeyError:
            raise DocumentError(f"{uri} is not open: send textDocument/didOpen first") from None

    def others(self, uri: str) -> Iterable[Document]:
        """The other open documents, the latest opened first."""
        return [document for document in reversed(self._open.values()) if document.uri != uri]

    def _changed(self, document: Document, edit: Edit, change: Change) -> str:
        if isinstance(edit, str):
            return edit
        self._remember(document.uri, edit[0][0])
        try:
            return splice(document.text, [change])
        except OffsetError as error:
            raise DocumentError(f"{document.uri} (version {document.version}): {error}") from error

    def _remember(self, uri: str, line: int) -> None:
        touched = Touched(uri, line)
        if touched in self.edits:
            self.edits.remove(touched)
        self.edits.append(touched)


def _change(document: Document, edit: Edit) -> Change:
    if isinstance(edit, str):
        return 0, length(document.text), edit
    start, end, text = edit
    return document.offset(start), document.offset(end), text


def moved(text: str, place: Place, characters: int) -> Place:
    """The position `characters` (indices, on the same line) right of `place`."""
    offset = offset_at(text, *place)
    index = index_of(text, offset)
    return position_at(text, offset + length(text[index : index + characters]))
