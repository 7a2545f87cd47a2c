"""The way of an editor event to the tape: the recorder makes tape events of it, the redactor covers credentials in them.

Documents that are not recorded are searched for credentials too, so that none gets onto the tape through another document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TypeAlias

from replay.recording.errors import RecordingStopped
from replay.recording.recorder import Admission, Recorder
from replay.recording.secrets.exclusion import holds_keys, path_of
from replay.recording.secrets.numbered_text import NumberedDocument, as_units
from replay.recording.secrets.redaction import Redactor
from replay.tapes.coding import decoding, encoded
from replay.tapes.line_files import LONGEST
from replay.tapes.tape import Edit, Event, Open
from server.documents import Document
from server.lsp.editor_events import (
    ClientLeft,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    DocumentSaved,
    EditorEvent,
)
from syntax.text import index_of, length, minimal

SecretsOf: TypeAlias = Callable[[str, str], Iterable[str]]
"""Gives the secret values in the text of a file with this path."""
_MOST_KNOWN = 200_000
_AS = "unrecorded.ini"
"""The path under which text that is not recorded is searched for credentials."""
_AROUND = 20_000
"""Characters around a change that are searched: more than a private key has."""


class RecordingPipeline:
    """Gives each editor event to a recorder, and the recorder's events to a redactor.

    `warn` is called once with a message for the person if a document is too long to be recorded. `secrets_of` says what is
    secret in a document that is not recorded, once it is not typed into any more.
    """

    def __init__(
        self,
        admit: Admission,
        redactor: Redactor,
        warn: Callable[[str], None],
        secrets_of: SecretsOf = lambda *_: (),
        *,
        tells_shown: bool = False,
    ) -> None:
        self._rule, self._redactor, self._warn, self._secrets_of = admit, redactor, warn, secrets_of
        self._recorder = Recorder(self._admit, tells_shown=tells_shown)
        self._has_warned = False
        self._typed: dict[str, Document] = {}

    def take(self, t: float, editor_event: EditorEvent) -> None:
        """Record an editor event that happened `t` ms after the start.

        Raises:
            RecordingStopped: no tape can hold the change, and without it the tape would be wrong.

        """
        editor_event = self._fitting(editor_event)
        self._learn(editor_event)
        for event in self._recorder.take(t, editor_event):
            if can_be_recorded(event):
                self._redactor.take(event)
            elif isinstance(event, Edit | Open):
                raise RecordingStopped("The editor sent a change that no tape can hold.")

    def _admit(self, uri: str) -> str | None:
        """The path of a document on the tape; None if it is not recorded, or its path has a known secret."""
        path = self._rule(uri)
        return None if path is None or self._redactor.knows(path) else path

    def _fitting(self, editor_event: EditorEvent) -> EditorEvent:
        """The editor event itself; if a document that opens is too long for a line of a tape, that the document closes."""
        if not isinstance(editor_event, DocumentOpened) or fits_on_a_line(editor_event.document):
            return editor_event
        if not self._has_warned and self._admit(editor_event.document.uri) is not None:
            self._has_warned = True
            self._warn(
                "ghosttape does not record a document that is too long for a line of a tape. It records the other documents."
            )
        return DocumentClosed(editor_event.document)

    def _learn(self, editor_event: EditorEvent) -> None:
        match editor_event:
            case DocumentOpened(document) if self._admit(document.uri) is None:
                self._know(document, document.text)
                self._typed[document.uri] = document
            case DocumentClosed(document) if not self._recorder.records(document.uri):
                self._know(document, document.text)
                self._typed[document.uri] = document
            case DocumentChanged() if not self._recorder.records(editor_event.after.uri):
                self._know(editor_event.after, _touched(editor_event.before.text, editor_event.after.text))
                self._typed[editor_event.after.uri] = editor_event.after
            case _:
                pass
        for uri in [uri for uri in self._typed if _leaves(uri, editor_event)]:
            document = self._typed.pop(uri)
            path = path_of(uri)
            self._redactor.know_values(self._secrets_of(document.text, uri if path is None else str(path)))

    def _know(self, document: Document, text: str) -> None:
        self._redactor.know(text[:_MOST_KNOWN], _AS, thoroughly=holds_keys(document.uri))


def _leaves(uri: str, editor_event: EditorEvent) -> bool:
    """Whether the values in a document are complete: nobody is typing them at this event."""
    match editor_event:
        case DocumentOpened() | DocumentClosed() | DocumentSaved() | ClientLeft():
            return True
        case DocumentChanged(after=document):
            return document.uri != uri
        case _:
            return False


def _touched(before: str, after: str) -> str:
    """The lines of a text that a change touched, with one character for each UTF-16 code unit."""
    start, _, new = minimal(before, (0, length(before), after))
    first = index_of(after, start)
    begin, end = max(0, first - _AROUND), first + len(new) + _AROUND
    at = len(as_units(after[begin:first]))
    return NumberedDocument(_AS, as_units(after[begin:end]), 0).strip(at, at + length(new)).text


# Which events and documents a tape can hold: a recording stays readable whatever an editor sends.

_decode = decoding(Event)
_MOST_BYTES = 12
"""The most bytes that one character takes on a line: two halves of a surrogate pair, as escapes."""
_REST = 2**16
"""The most bytes of the rest of the line: the document's path and language."""


def can_be_recorded(event: Event) -> bool:
    """Whether a reader accepts the line of an event: no offset is negative, each number is finite and not too large."""
    try:
        _decode(encoded(event))
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def fits_on_a_line(document: Document) -> bool:
    """Whether the line that opens a document is short enough for a reader, even if parts of the text are covered."""
    room = LONGEST - _REST
    return len(document.text) * _MOST_BYTES <= room or len(json.dumps(document.text)) <= room
