"""What an editor tells, up to the file: what was only in files that are not recorded, and what no tape can hold."""

import json
import math

import pytest

from replay.recording import journal as journals
from replay.recording import pipeline
from replay.recording.errors import RecordingStopped
from replay.recording.journal import Journal
from replay.recording.pipeline import RecordingPipeline
from replay.recording.secrets.redaction import Redactor
from replay.tapes import line_files
from replay.tapes.tape import Embedded, Ghost, Header, Select, read
from server.documents import Document, OpenDocuments
from server.lsp.editor_events import (
    CompletionAccepted,
    CompletionRequested,
    CompletionReturned,
    CursorsMoved,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
)

HEADER = Header(tape=1, id="t", editor="e", origin="recorded", workspace=Embedded(), created="2026")
SECRET = "Zx9Yw8Vu7Ts6Rq5Po4"


class Desk:
    """An editor with files in /w; those whose names begin with a dot, and notes, are not recorded."""

    def __init__(self, folder):
        self.documents, self.told, self.t = OpenDocuments(), [], 0.0
        redactor = Redactor()
        self.pipeline = RecordingPipeline(self.admit, redactor, self.told.append)
        self.journal = Journal(folder, HEADER, redactor)

    def admit(self, uri):
        name = uri.removeprefix("file:///w/")
        return None if name.startswith((".", "notes")) else name

    def tell(self, editor_event):
        self.t += 1
        self.pipeline.take(self.t, editor_event)
        self.journal.flush()

    def open(self, name, text):
        self.documents.open(f"file:///w/{name}", "x", 1, text)
        self.tell(DocumentOpened(self.get(name)))

    def get(self, name):
        return self.documents.get(f"file:///w/{name}")

    def change(self, name, line, start, end, text):
        before = self.get(name)
        changes = self.documents.change(before.uri, before.version + 1, [((line, start), (line, end), text)])
        self.tell(DocumentChanged(before, self.get(name), changes))

    def suggest(self, name, text):
        document = self.get(name)
        self.tell(CompletionRequested(1, document, 0, invoked=False))
        self.tell(CompletionReturned(1, document, (0, 0, text), 5.0))
        self.change(name, 0, 0, 0, text)
        self.tell(CompletionAccepted(1))

    @property
    def disk(self):
        return self.journal.path.read_text()


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        (".env", "SERVICE_TOKEN={}"),
        (".env", "SERVICE={}"),
        (".env", 'A: "{}"'),
        (".npmrc", "//x/:_x={}"),
        ("notes.txt", "token: {}"),
    ],
)
@pytest.mark.parametrize("how", ["opened", "pasted", "typed", "pasted late"])
def test_what_stands_in_a_file_that_is_not_recorded_gets_on_the_tape_by_no_other_way(desk, name, form, how):
    line = form.format(SECRET)
    desk.open(name, f"# x\n{line}\n" if how == "opened" else "# x\n\n")
    desk.open("main.py", "\n")
    if how == "pasted late":
        desk.suggest("main.py", f"f({SECRET})")
    if how.startswith("pasted"):
        desk.change(name, 1, 0, 0, line)
    if how == "typed":
        for at, character in enumerate(line):
            desk.change(name, 1, at, at, character)
    if how != "pasted late":
        desk.suggest("main.py", f"f({SECRET})")
    desk.change("main.py", 0, 0, 0, "x")
    desk.change("main.py", 0, 1, 1, "y")
    assert "*" * len(SECRET) in desk.disk
    assert not [SECRET[at : at + 8] for at in range(len(SECRET) - 7) if SECRET[at : at + 8] in desk.disk]


def test_addresses_and_plain_words_in_such_a_file_are_no_secrets(desk):
    text = "URL=http://localhost:8000/x1\nlocalhost:5432\nMODE=development\nDAY=2026-01-01\n"
    desk.open(".env", text)
    desk.open("main.py", text)
    assert json.loads(desk.disk.splitlines()[1])["text"] == text


@pytest.mark.parametrize("ranges", [((-5, 2),), ((0, -1),), ((math.nan, 1),)])
def test_a_selection_at_no_place_is_not_on_the_tape_and_the_tape_can_be_read(desk, ranges):
    desk.open("a.py", "x")
    desk.tell(CursorsMoved(desk.get("a.py"), ranges))
    desk.tell(CursorsMoved(desk.get("a.py"), ((0, 1),)))
    assert [event.ranges for event in read(desk.journal.path).events if isinstance(event, Select)] == [((0, 1),)]


def test_an_answer_with_a_latency_that_is_no_number_leaves_a_tape(desk):
    desk.open("a.py", "x")
    desk.tell(CompletionReturned(1, desk.get("a.py"), (0, 0, "abc"), math.inf))
    assert not [event for event in read(desk.journal.path).events if isinstance(event, Ghost)]


@pytest.fixture
def short_lines(monkeypatch):
    """As if no line of a tape could have more than 100,000 bytes."""
    for module in (line_files, journals, pipeline):
        monkeypatch.setattr(module, "LONGEST", 100_000)


@pytest.mark.parametrize("text", ["x" * 100_000, "\x00" * 20_000, "😀" * 10_000], ids=["long", "escaped", "in pairs"])
def test_a_document_that_no_line_can_hold_is_left_out_with_one_warning(desk, short_lines, text):
    for name in ("notes.txt", "long.py", "long2.py"):
        desk.open(name, text)
        desk.change(name, 0, 0, 0, "y")
    desk.open("a.py", "x" * 30_000)
    desk.tell(DocumentClosed(desk.get("long.py")))
    assert [event.path for event in read(desk.journal.path).events if hasattr(event, "path")] == ["a.py"]
    assert len(desk.told) == 1
    assert "too long" in desk.told[0]


def test_a_change_that_no_line_can_hold_ends_the_recording_before_it_is_written(desk, short_lines):
    desk.open("a.py", "")
    before = desk.disk
    with pytest.raises(RecordingStopped, match="more than a line"):
        desk.change("a.py", 0, 0, 0, "x" * 100_001)
    assert desk.disk == before


def test_a_document_fits_whatever_of_it_is_covered():
    assert pipeline.fits_on_a_line(Document("u", "x", 1, "x" * (line_files.LONGEST // 2)))
    assert not pipeline.fits_on_a_line(Document("u", "x", 1, "😀" * (line_files.LONGEST // 10)))
