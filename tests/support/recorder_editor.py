"""An editor that does what a test says, before a recorder."""

from replay.recording.recorder import Recorder
from replay.tapes.tape import Ghost
from server.documents import OpenDocuments
from server.lsp.editor_events import (
    CompletionRequested,
    CompletionReturned,
    DocumentChanged,
    DocumentOpened,
)

URI = "file:///w/a.py"


class Desk:
    """An editor's end of the server's documents: what is done there is told to a recorder, and its events are kept."""

    def __init__(self, text="", uri=URI, admit=lambda uri: uri.removeprefix("file:///w/"), **words):
        self.documents, self.recorder, self.events, self.t, self.version = (
            OpenDocuments(),
            Recorder(admit, **words),
            [],
            0.0,
            1,
        )
        self.open(text, uri)

    def tell(self, editor_event):
        self.t += 10.0
        new = self.recorder.take(self.t, editor_event)
        self.events += new
        return new

    def open(self, text, uri=URI):
        self.documents.open(uri, "python", 1, text)
        return self.tell(DocumentOpened(self.documents.get(uri)))

    def change(self, *edits, uri=URI):
        """Each edit is a whole text, or (start, end, text) in offsets of a text of one line."""
        before = self.documents.get(uri)
        told = [edit if isinstance(edit, str) else ((0, edit[0]), (0, edit[1]), edit[2]) for edit in edits]
        self.version += 1
        changes = self.documents.change(uri, self.version, told)
        return self.tell(DocumentChanged(before, self.documents.get(uri), changes))

    def suggestion(self, request, offset, text, covered=0, uri=URI):
        document = self.documents.get(uri)
        asked = self.tell(CompletionRequested(request, document, offset, invoked=False))
        shown = self.tell(CompletionReturned(request, document, (offset, offset + covered, text), 12.0))
        return asked, shown


def ghosts(events):
    return [(event.request, event.phase, event.text) for event in events if isinstance(event, Ghost)]
