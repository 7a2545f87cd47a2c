"""The documents that another server has open, and the notifications that update them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from lsprotocol import types

from server.documents import Document
from syntax.text import Change, cut, length, minimal, position_at

OutgoingNotification: TypeAlias = tuple[str, dict[str, Any]]
"""(method, parameters) of a notification"""


@dataclass(slots=True)
class DocumentMirror:
    """The documents that a server has open. `whole`: a change is sent as the whole text."""

    whole: bool = False
    _known: dict[str, Document] = field(default_factory=dict)

    def version(self, uri: str) -> int:
        """The last version that was sent."""
        return self._known[uri].version

    def follow(self, documents: Sequence[Document]) -> Iterator[OutgoingNotification]:
        """The notifications after which the server has exactly these documents open. Versions are counted here, from 1."""
        wanted = {document.uri: document for document in documents}
        for uri in [uri for uri, known in self._known.items() if not _is_same(known, wanted.get(uri))]:
            del self._known[uri]
            yield types.TEXT_DOCUMENT_DID_CLOSE, {"textDocument": {"uri": uri}}
        for document in wanted.values():
            known = self._known.get(document.uri)
            if known is None:
                yield self._opened(replace(document, version=1))
            elif known.text != document.text:
                yield self._changed(known, replace(document, version=known.version + 1))

    def _opened(self, document: Document) -> OutgoingNotification:
        self._known[document.uri] = document
        item = {"uri": document.uri, "languageId": document.language, "version": 1, "text": document.text}
        return types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": item}

    def _changed(self, known: Document, document: Document) -> OutgoingNotification:
        self._known[document.uri] = document
        change = {"text": document.text} if self.whole else _content_change(known.text, document.text)
        identifier = {"uri": document.uri, "version": document.version}
        return types.TEXT_DOCUMENT_DID_CHANGE, {"textDocument": identifier, "contentChanges": [change]}


def _is_same(known: Document, wanted: Document | None) -> bool:
    return wanted is not None and wanted.language == known.language


def difference(old: str, new: str) -> Change:
    """The one change that turns `old` into `new`, in UTF-16 offsets. It never begins or ends between CR and LF.

    `("abc", "axc")`: `(1, 2, "x")`.
    """
    start, end, text = minimal(old, (0, length(old), new))
    if cut(old, start - 1, start + 1) == "\r\n":
        start, text = start - 1, "\r" + text
    if cut(old, end - 1, end + 1) == "\r\n":
        end, text = end + 1, text + "\n"
    return start, end, text


def _content_change(old: str, new: str) -> dict[str, Any]:
    start, end, text = difference(old, new)
    return {"range": {"start": place(old, start), "end": place(old, end)}, "text": text}


def place(text: str, offset: int) -> dict[str, int]:
    """A UTF-16 offset as a position of the protocol."""
    line, character = position_at(text, offset)
    return {"line": line, "character": character}
