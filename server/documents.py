r"""The texts that an editor has open, as values: knows nothing of the protocol.

Lines end as LSP says (`\n`, `\r\n`, `\r`); form feeds and U+2028 are characters of a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from server.errors import DocumentError
from syntax.encodings import PositionEncoding, from_utf16, to_utf16
from syntax.errors import OffsetError
from syntax.text import Change, cut, index_of, length, line_starts, offset_at, position_at, splice

LineCharacter: TypeAlias = tuple[int, int]
"""(line, character), counted as the client counts: in UTF-16 code units unless both sides agreed on another encoding."""
_PAST_ALL = 2**31 - 1
"""A character past the end of every line."""
ContentChange: TypeAlias = tuple[LineCharacter, LineCharacter, str] | str
"""What LSP calls a content change: a range and its new text, or the whole new text."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in which each character is one UTF-16 code unit and a line feed ends each line, as in nearly all.

    That `line` starts at the index `start` spares the next key the search for its line through the whole text.
    """

    line: int = 0
    start: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one open text. `plain` is what is known of it; None: it has to be read with care.

    Positions are counted in `encoding`, offsets always in UTF-16 code units.
    """

    uri: str
    language: str
    version: int
    text: str
    plain: Plain | None = field(default=None, compare=False, repr=False)
    encoding: PositionEncoding = "utf-16"

    def split(self, place: LineCharacter) -> tuple[str, str]:
        """The text before and after a position.

        Raises:
            DocumentError: there is no such line.

        """
        offset = self.offset(place)
        index = offset if self.plain else index_of(self.text, offset)
        return self.text[:index], self.text[index:]

    def offset(self, place: LineCharacter) -> int:
        """The UTF-16 offset of a position.

        Raises:
            DocumentError: there is no such line.

        """
        if not self._counts_utf16:
            line, character = place
            return self._offset((line, to_utf16(self._line(line), character, self.encoding)))
        return self._offset(place)

    def bounded(self, place: LineCharacter) -> LineCharacter:
        """A position of a change: below the last line it is the end of the document (`syntax.text.end_offset_at`)."""
        if self._start(place[0]) is not None or place[0] <= self.text.count("\n"):
            return place
        last = len(line_starts(self.text)) - 1
        return place if place[0] <= last else (last, _PAST_ALL)

    @property
    def _counts_utf16(self) -> bool:
        return self.encoding == "utf-16" or self.text.isascii()

    def _offset(self, place: LineCharacter) -> int:
        """The offset of a position that is counted in UTF-16 code units."""
        start = self._start(place[0])
        if start is not None:
            return min(start + place[1], self._end(start))
        try:
            return offset_at(self.text, *place)
        except OffsetError as error:
            raise DocumentError(f"{self.uri} (version {self.version}): {error}") from error

    def clamped(self, place: LineCharacter) -> LineCharacter:
        """A position as it counts: past the end of its line it is the end (LSP 3.17, "Position").

        Raises:
            DocumentError: there is no such line.

        """
        start, offset = self._start(place[0]), self.offset(place)
        if not self._counts_utf16:
            return place[0], self._counted(place[0], offset)
        return position_at(self.text, offset) if start is None else (place[0], offset - start)

    def position(self, offset: int) -> LineCharacter:
        """The position of a UTF-16 offset."""
        line, character = position_at(self.text, offset)
        return line, character if self._counts_utf16 else self._counted(line, offset)

    def moved(self, place: LineCharacter, characters: int) -> LineCharacter:
        """The position `characters` (indices, on the same line) right of `place`."""
        start = self._start(place[0])
        if not self._counts_utf16:
            index = index_of(self.text, self.offset(place))
            return place[0], self._counted(place[0], length(self.text[: index + characters]))
        if start is None:
            return moved(self.text, place, characters)
        return place[0], self.offset(place) - start + characters

    def _line(self, line: int) -> str:
        return cut(self.text, self._offset((line, 0)), self._offset((line, _PAST_ALL)))

    def _counted(self, line: int, offset: int) -> int:
        """The character at which an offset is in its line, counted as the client counts."""
        return from_utf16(self._line(line), offset - self._offset((line, 0)), self.encoding)

    def changed(self, change: Change, line: int) -> Document:
        """The document after a change that begins in a line.

        Raises:
            DocumentError: the change runs backwards.

        """
        start, end, new = change
        if start > end:
            raise DocumentError(f"{self.uri} (version {self.version}): a range ends ({end}) before it begins ({start})")
        if self.plain is None or start < 0:
            return self._changed_with_care(change)
        if not _is_plain(self.text[max(start - 1, 0) : start] + new + self.text[end : end + 2]):
            return self._changed_with_care(change)
        text = self.text[:start] + new + self.text[end:]
        plain = Plain(line, self._start(line) or 0)
        return Document(self.uri, self.language, self.version, text, plain, self.encoding)

    def _changed_with_care(self, change: Change) -> Document:
        try:
            text = splice(self.text, [change])
        except OffsetError as error:
            raise DocumentError(f"{self.uri} (version {self.version}): {error}") from error
        return replace(self, text=text, plain=known(text))

    def _start(self, line: int) -> int | None:
        """Where a line starts, sought from the nearest line that is known; None if that is not to be told so simply."""
        if self.plain is None or line < 0:
            return None
        at, start = (self.plain.line, self.plain.start) if line > self.plain.line // 2 else (0, 0)
        while at < line:
            start, at = self.text.find("\n", start) + 1, at + 1
            if not start:
                return None
        while at > line:
            start, at = self.text.rfind("\n", 0, start - 1) + 1, at - 1
        return start

    def _end(self, start: int) -> int:
        """Where the line ends that starts at an index, without its line end."""
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text[start:end].endswith("\r") else end


def known(text: str) -> Plain | None:
    """What is known of a text at first sight."""
    return Plain() if _is_plain(text) else None


def _is_plain(text: str) -> bool:
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return False
    try:
        return text.isascii() or len(text.encode("utf-16-le")) == 2 * len(text)
    except UnicodeEncodeError:  # half a character
        return False


class OpenDocuments:
    """What the editor has open. `encoding` is how it counts the characters of a line."""

    def __init__(self, encoding: PositionEncoding = "utf-16") -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def open(self, uri: str, language: str, version: int, text: str) -> None:
        """Take a document in; an open one is replaced."""
        self._open.pop(uri, None)
        self._open[uri] = Document(uri, language, version, text, known(text), self.encoding)

    def change(self, uri: str, version: int | None, edits: Sequence[ContentChange]) -> tuple[Change, ...]:
        """Apply edits one after the other, each to the text that the one before it left; give them as offsets.

        What the editor has done is never refused, for its text would be another one from then on: a range that runs backwards means the same
        as one that runs forwards, as in the reference implementation. Without a `version` it is counted here.

        Raises:
            DocumentError: the document is not open.

        """
        document, changes = self.get(uri), []
        for edit in edits:
            if isinstance(edit, str):
                changes.append((0, length(document.text), edit))
                document = replace(document, text=edit, plain=known(edit))
                continue
            start, end = sorted(document.bounded(each) for each in edit[:2])
            changes.append((document.offset(start), document.offset(end), edit[2]))
            document = document.changed(changes[-1], start[0])
        version = document.version + 1 if version is None else version
        self._open[uri] = Document(uri, document.language, version, document.text, document.plain, self.encoding)
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

    def all(self) -> tuple[Document, ...]:
        """All open documents, the latest opened last."""
        return tuple(self._open.values())

    def others(self, uri: str) -> Iterable[Document]:
        """The other open documents, the latest opened first."""
        return [document for document in reversed(self._open.values()) if document.uri != uri]


def moved(text: str, place: LineCharacter, characters: int) -> LineCharacter:
    """The position `characters` (indices, on the same line) right of `place`."""
    offset = offset_at(text, *place)
    index = index_of(text, offset)
    return position_at(text, offset + length(text[index : index + characters]))
