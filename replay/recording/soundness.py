"""Whether an event can be on a tape at all: whatever an editor says, its recording stays one that can be read."""

from __future__ import annotations

import json

from replay.coding import decoding, encoded
from replay.lines import LONGEST
from replay.tape import Event
from server.documents import Document

_decode = decoding(Event)
_MOST_BYTES = 12
"""Bytes that one character can take on a line: both halves of a pair, as escapes."""
_REST = 2**16
"""Bytes that the rest of a line has at most, the document's path and language."""


def is_sound(event: Event) -> bool:
    """Whether a reader would take its line: no offset is negative, each number finite and none too large."""
    try:
        _decode(encoded(event))
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def fits(document: Document) -> bool:
    """Whether a document can be opened on a tape: its line is not longer than a reader takes, whatever of it is covered."""
    room = LONGEST - _REST
    return len(document.text) * _MOST_BYTES <= room or len(json.dumps(document.text)) <= room
