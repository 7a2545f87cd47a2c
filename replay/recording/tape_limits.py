"""Which events and documents a tape can hold: a recording stays readable whatever an editor sends."""

from __future__ import annotations

import json

from replay.tapes.coding import decoding, encoded
from replay.tapes.line_files import LONGEST
from replay.tapes.tape import Event
from server.documents import Document

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
