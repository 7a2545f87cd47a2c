"""A file that has to be written again because of a credential, and cannot be."""

import os

import pytest
from msgspec.structs import replace

from replay.recording.errors import RecordingStopped
from replay.recording.journal import Journal, check_folder
from replay.recording.secrets.redaction import Redactor
from replay.tapes.tape import Edit, Embedded, Header, Open, read
from replay.tapes.tape import Tests as ProjectTests

HEADER = Header(tape=1, id="t", editor="e", origin="recorded", workspace=Embedded(), created="2026")
SECRET = "AKIAIOSFODNN7EXAMPLE"


def recorded(folder, *texts):
    """A recording with a document of these lines, typed one after the other, and the last key of a credential still missing."""
    redactor = Redactor()
    journal = Journal(folder, HEADER, redactor)
    at = 0
    redactor.take(Open(0.0, 0, "a.py", "python", ""))
    for text in texts:
        redactor.take(Edit(1.0, 0, ((at, at, text),)))
        at += len(text)
        journal.flush()
    return redactor, journal, at


def fail(*_, **__):
    raise OSError(28, "No space left on device")


def test_a_folder_is_refused_where_it_cannot_be_made_and_nothing_is_made(tmp_path):
    (tmp_path / "file").write_text("")
    check_folder(tmp_path / "deep" / "er")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    for folder in ("file", "file/sub", "file/sub/deeper"):
        with pytest.raises(RecordingStopped, match=r"file is no folder"):
            check_folder(tmp_path / folder)


@pytest.mark.parametrize("written", [False, True])
def test_a_value_that_is_known_later_takes_the_tests_out_of_the_header(tmp_path, written):
    redactor = Redactor()
    tests = ProjectTests("none", "LOGIN=blueHorse42Staple pytest")
    journal = Journal(tmp_path, replace(HEADER, tests=tests), redactor)
    redactor.take(Open(0.0, 0, "a.py", "python", ""))
    if written:
        journal.flush()
        assert read(journal.path).header.tests == tests
    redactor.know_values(["blueHorse42Staple"])
    journal.flush()
    assert read(journal.path).header.tests is None
    assert [event.path for event in read(journal.path).events] == ["a.py"]
    assert "blueHorse" not in journal.path.read_text()


def test_a_full_disk_leaves_only_what_stands_before_the_credential(tmp_path, monkeypatch):
    redactor, journal, at = recorded(tmp_path, "import os\n", "key = '", SECRET[:-1])
    assert SECRET[:-1] in journal.path.read_text()
    redactor.take(Edit(2.0, 0, ((at, at, SECRET[-1]),)))
    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(RecordingStopped, match=r"No space left.*was removed"):
        journal.flush()
    assert [event.changes[0][2] for event in read(journal.path).events[1:]] == ["import os\n", "key = '"]
    assert [path.name for path in tmp_path.iterdir()] == ["t.tape.jsonl"]


def test_a_file_that_begins_with_the_credential_is_removed(tmp_path, monkeypatch):
    redactor = Redactor()
    journal = Journal(tmp_path, HEADER, redactor)
    redactor.take(Open(0.0, 0, "a.py", "python", f"k = '{SECRET[:-1]}'"))
    journal.flush()
    redactor.take(Edit(2.0, 0, ((24, 24, SECRET[-1]),)))
    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(RecordingStopped, match="was removed"):
        journal.flush()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_again_is_removed(tmp_path):
    redactor, journal, at = recorded(tmp_path, "key = '", SECRET[:-1])
    with journal.path.open("ab") as file:
        file.write(b"no event\n")
    redactor.take(Edit(2.0, 0, ((at, at, SECRET[-1]),)))
    with pytest.raises(RecordingStopped, match="was removed"):
        journal.flush()
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_ends_by_another_error_is_written_clean(tmp_path):
    redactor, journal, at = recorded(tmp_path, "key = '", SECRET[:-1])
    redactor.take(Edit(2.0, 0, ((at, at, SECRET[-1]),)))
    with pytest.raises(ZeroDivisionError), journal:
        raise ZeroDivisionError
    assert SECRET[:8] not in journal.path.read_text()
    assert len(read(journal.path).events) == 4


def test_what_must_wait_is_not_written_but_what_was_written_is_covered_and_later_all_is_there(tmp_path):
    redactor, journal, at = recorded(tmp_path, "key = '", SECRET[:-1])
    redactor.holds_back = True
    redactor.take(Edit(2.0, 0, ((at, at, SECRET[-1]),)))
    redactor.take(Open(3.0, 1, "tanukiLake88.py", "python", "tanukiLake88\n"))
    journal.flush()
    assert SECRET[:8] not in journal.path.read_text()
    assert len(read(journal.path).events) == 3
    redactor.know_values(["tanukiLake88"])
    journal.flush()
    redactor.holds_back = False
    journal.flush()
    assert "tanuki" not in journal.path.read_text()
    assert [event.path for event in read(journal.path).events if isinstance(event, Open)] == ["a.py", "*" * 12 + ".py"]
    assert [event.changes[0][2] for event in read(journal.path).events if isinstance(event, Edit)][-1] == "*"


def test_a_file_whose_first_document_must_wait_begins_when_it_need_not(tmp_path):
    redactor = Redactor()
    journal = Journal(tmp_path / "into", HEADER, redactor)
    redactor.holds_back = True
    redactor.take(Open(0.0, 0, "tanukiLake88.py", "python", "x = 1\n"))
    journal.flush()
    redactor.know_values(["tanukiLake88"])
    journal.flush()
    assert not (tmp_path / "into").exists()
    redactor.holds_back = False
    journal.flush(last=True)
    assert [event.path for event in read(journal.path).events] == ["*" * 12 + ".py"]
