"""What happens, on its way to the tape: what is not recorded is looked at for what must not get there by another way."""

from __future__ import annotations

from collections.abc import Callable

from replay.recorder import Admission, Recorder
from replay.recording.errors import RecordingStopped
from replay.recording.exclusion import holds_keys
from replay.recording.pages import Page, spread
from replay.recording.redaction import Redactor
from replay.recording.soundness import fits, is_sound
from replay.tape import Edit, Open
from server.documents import Document
from server.happenings import Changed, Closed, Happening, Opened
from syntax.text import index_of, length, minimal

_MOST_KNOWN = 200_000
_AS = "unrecorded.ini"
_AROUND = 20_000
"""How much of a text around a change is looked at, in characters: more than a private key has."""


class Intake:
    """Gives each happening to a recorder, and its events to a redactor. `warn` is told once of a document that is too long."""

    def __init__(self, admit: Admission, redactor: Redactor, warn: Callable[[str], None]) -> None:
        self._admit, self._redactor, self._warn = admit, redactor, warn
        self._recorder = Recorder(admit)
        self._has_warned = False

    def take(self, t: float, happening: Happening) -> None:
        """Take in what happened `t` ms after the start.

        Raises:
            RecordingStopped: it made an event without which the tape would be wrong, and with which nobody could read it.

        """
        happening = self._fitting(happening)
        self._learn(happening)
        for event in self._recorder.take(t, happening):
            if is_sound(event):
                self._redactor.take(event)
            elif isinstance(event, Edit | Open):
                raise RecordingStopped("The editor told a change that no tape can hold.")

    def _fitting(self, happening: Happening) -> Happening:
        """The happening; of a document that no line of a tape can hold, that it went out of view."""
        if not isinstance(happening, Opened) or fits(happening.document):
            return happening
        if not self._has_warned and self._admit(happening.document.uri) is not None:
            self._has_warned = True
            self._warn(
                "ghosttape does not record a document that is too long for a line of a tape; the others it does."
            )
        return Closed(happening.document)

    def _learn(self, happening: Happening) -> None:
        match happening:
            case Opened(document) if self._admit(document.uri) is None:
                self._know(document, document.text)
            case Closed(document) if not self._recorder.records(document.uri):
                self._know(document, document.text)
            case Changed() if not self._recorder.records(happening.after.uri):
                self._know(happening.after, _touched(happening.before.text, happening.after.text))
            case _:
                return

    def _know(self, document: Document, text: str) -> None:
        self._redactor.know(text[:_MOST_KNOWN], _AS, thoroughly=holds_keys(document.uri))


def _touched(before: str, after: str) -> str:
    """The lines of a text that a change touched, each UTF-16 code unit a character."""
    start, _, new = minimal(before, (0, length(before), after))
    first = index_of(after, start)
    begin, end = max(0, first - _AROUND), first + len(new) + _AROUND
    at = len(spread(after[begin:first]))
    return Page(_AS, spread(after[begin:end]), 0).strip(at, at + length(new)).text
