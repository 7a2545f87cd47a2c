"""Files of an embedded project that are no text, in the folder beside its tape."""

import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from replay.errors import ProjectError
from replay.judge.tape_project import other_files, starting_files
from replay.tapes import blob_files, tape
from replay.tapes.tape import BesideTexts, Embedded
from runners.other_files import NOTHING, OtherFiles
from tests.support.tapes import Typist

OTHERS = OtherFiles({"a/b.bin": b"\xff\x00", "again.bin": b"\xff\x00"}, {"link": "a"}, frozenset({"run", "a/b.bin"}))
SHA = "ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f"


@pytest.fixture
def written(tmp_path):
    """A tape on the disk with others beside it."""
    made = Typist().tape()
    header = msgspec.structs.replace(made.header, workspace=Embedded({"m.py": ""}, blob_files.named(OTHERS)))
    blob_files.write(OTHERS, tmp_path)
    file = tmp_path / "small.tape.jsonl"
    tape.write(msgspec.structs.replace(made, header=header), file)
    return tape.read(file)


def blob(written):
    return Path(written.source).parent / "blobs" / SHA


def test_they_come_back_as_they_were_and_equal_contents_are_kept_once(written, tmp_path):
    assert hashlib.sha256(b"\xff\x00").hexdigest() == SHA
    assert other_files(written) == OTHERS
    assert starting_files(written) == {"m.py": ""}
    assert [path.name for path in (tmp_path / "blobs").iterdir()] == [SHA]


def test_a_project_of_texts_alone_says_nothing_of_them():
    assert blob_files.named(NOTHING) is UNSET
    assert msgspec.json.encode(Embedded({"a": "b"})) == b'{"type":"embedded","files":{"a":"b"}}'


def test_one_that_is_not_there_is_named_with_what_to_do(written):
    blob(written).unlink()
    with pytest.raises(
        ProjectError, match=r"a/b\.bin of its project cannot be read .*keep the folder blobs beside the tape"
    ):
        other_files(written)


def test_another_content_is_refused(written):
    blob(written).write_bytes(b"other")
    with pytest.raises(ProjectError, match=r"it is not a/b\.bin .*its content has changed"):
        other_files(written)


def test_a_link_or_a_pipe_in_its_place_is_not_read(written, tmp_path):
    blob(written).unlink()
    (tmp_path / "same").write_bytes(b"\xff\x00")
    blob(written).symlink_to(tmp_path / "same")
    with pytest.raises(ProjectError, match="cannot be read"):
        other_files(written)


def test_no_more_than_the_limit_is_read(written, monkeypatch):
    monkeypatch.setattr(blob_files, "BLOB_LIMIT", 1)
    with pytest.raises(ProjectError, match="content has changed"):
        other_files(written)


def naming(written, paths):
    """The tape with one content under these paths."""
    workspace = Embedded({"m.py": ""}, BesideTexts(dict.fromkeys(paths, SHA)))
    return msgspec.structs.replace(written, header=msgspec.structs.replace(written.header, workspace=workspace))


def test_a_content_under_many_paths_is_read_once(written, monkeypatch):
    opened = []
    monkeypatch.setattr(blob_files.os, "open", lambda *args, _open=os.open: opened.append(args[0]) or _open(*args))
    found = other_files(naming(written, [f"{n}.bin" for n in range(1000)])).blobs
    assert len(found) == 1000
    assert opened == [blob(written)]
    assert len(set(map(id, found.values()))) == 1


def test_contents_count_once_for_each_path_and_more_than_the_total_is_refused(written, monkeypatch):
    monkeypatch.setattr(blob_files, "BLOBS_LIMIT", 6)
    assert set(other_files(naming(written, "abc")).blobs) == set("abc")
    with pytest.raises(ProjectError, match=r"small\.tape\.jsonl: the files .* that are no text have over .* together"):
        other_files(naming(written, "abcd"))


@pytest.mark.parametrize("name", ["../../etc/passwd", "A" * 64, "", "0" * 63])
def test_a_tape_names_them_by_their_digest_only(name):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"blobs": {"a": name}}, BesideTexts)
