"""The file of a recording: who may read it, and what ends it."""

import os

import pytest

from replay.recording.errors import RecordingStopped
from replay.tapes.tape import Close
from tests.support.redacted_recording import Folder


class TestTheFile:
    def test_it_comes_with_the_first_event_and_only_its_owner_may_read_it(self, tmp_path):
        folder = Folder(tmp_path / "new" / "folder")
        folder.journal.flush()
        assert not folder.folder.exists()
        folder.open("x")
        assert folder.journal.path.stat().st_mode & 0o777 == 0o600
        assert folder.folder.stat().st_mode & 0o777 == 0o700

    def test_a_rewrite_leaves_one_file_that_only_its_owner_may_read(self, tmp_path):
        folder = Folder(tmp_path)
        folder.open("\n")
        folder.type('key = "AKIAIOSFODNN7EXAMPLE"', 0)
        assert [path.name for path in tmp_path.iterdir()] == ["t.tape.jsonl"]
        assert folder.journal.path.stat().st_mode & 0o777 == 0o600

    def test_a_file_that_is_there_is_never_written_over(self, tmp_path):
        Folder(tmp_path).open("one")
        with pytest.raises(RecordingStopped, match="File exists"):
            Folder(tmp_path).open("two")
        assert "one" in (tmp_path / "t.tape.jsonl").read_text()

    def test_a_file_that_is_taken_away_ends_the_recording(self, tmp_path):
        folder = Folder(tmp_path)
        folder.open("x")
        folder.journal.path.unlink()
        with pytest.raises(RecordingStopped, match="was removed"):
            folder.edit(0, 0, "y")
        assert list(tmp_path.iterdir()) == []

    def test_a_full_disk_leaves_whole_lines(self, tmp_path, monkeypatch):
        folder = Folder(tmp_path)
        folder.open("x")
        before = folder.journal.path.read_bytes()
        real = os.write

        def full(file, data):
            if len(data) > 20:
                return real(file, bytes(data)[:20])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(RecordingStopped, match="No space left on device"):
            folder.edit(0, 0, "a" * 50)
        assert folder.journal.path.read_bytes() == before

    def test_a_document_that_closes_is_forgotten_and_can_open_again(self, tmp_path):
        folder = Folder(tmp_path)
        folder.open("x")
        folder.tell(Close(2.0, 0))
        folder.open("y = 'AKIAIOSFODNN7EXAMPLE'")
        assert folder.final() == "y = '********************'"
