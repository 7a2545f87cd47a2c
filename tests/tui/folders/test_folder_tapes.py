"""Which tapes of a folder are to be replayed, and which are broken."""

import os
import shutil

import pytest

from replay.tapes.tape import Tape, write
from tests.support.tapes import Typist
from tui.folders.tapes import TapeBroken, TapeFolder, TapeReady


@pytest.fixture
def tape(tmp_path):
    """A function that writes a tape with a text typed on it."""

    def put(text="ab", name="small"):
        path = tmp_path / "tapes" / f"{name}.tape.jsonl"
        path.parent.mkdir(exist_ok=True)
        write(Typist(name=name).type(text).tape(), path)
        return path

    return put


@pytest.fixture
def folder(tmp_path):
    return TapeFolder(tmp_path / "tapes")


def test_a_folder_that_is_not_there_has_no_tapes(folder):
    assert folder.look() == []


def test_a_tape_is_given_out_when_it_appears_and_when_it_grows(folder, tape):
    path = tape("ab")
    assert folder.look() == [TapeReady(path)]
    assert folder.look() == []
    tape("abc")
    assert folder.look() == [TapeReady(path)]
    assert folder.look() == []


def test_a_line_that_is_being_written_is_waited_for(folder, tape):
    path = tape("abc")
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert folder.look() == [TapeReady(path)]
    path.write_bytes(whole)
    assert folder.look() == [TapeReady(path)]


def test_a_tape_that_is_not_valid_yet_is_waited_for(folder, tape):
    path = tape("abc")
    whole = path.read_bytes()
    for part in (b"", whole[:30]):
        path.write_bytes(part)
        assert folder.look() == []
    path.write_bytes(whole)
    assert folder.look() == [TapeReady(path)]


def test_a_broken_tape_is_named_once_with_its_line_and_again_when_it_is_broken_otherwise(folder, tape):
    path = tape("abc")
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*whole[:3], b'{"event": "sing"}\n', *whole[3:]]))
    assert folder.look() == []
    (broken,) = folder.look()
    assert isinstance(broken, TapeBroken)
    assert f"{path}:4" in broken.reason
    assert folder.look() == []
    path.write_bytes(b"".join(whole))
    assert folder.look() == [TapeReady(path)]


def test_a_tape_without_an_edit_is_waited_for(folder, tape, tmp_path):
    path = tape("ab")
    whole = Typist(name="small").type("ab").tape()
    write(Tape(whole.header, whole.events[:2]), path)
    assert folder.look() == []
    write(whole, path)
    assert folder.look() == [TapeReady(path)]


def test_a_folder_that_is_removed_and_comes_back_is_looked_at_again(folder, tape, tmp_path):
    path = tape("ab")
    assert folder.look()
    shutil.rmtree(tmp_path / "tapes")
    assert folder.look() == []
    tape("ab")
    assert folder.look() == [TapeReady(path)]


def test_all_tapes_are_given_out_again_when_that_is_wanted(folder, tape):
    tape("ab", "one")
    tape("ab", "two")
    assert len(folder.look()) == 2
    folder.again()
    assert len(folder.look()) == 2


def test_a_file_that_is_no_tape_is_left_alone(folder, tape):
    path = tape("ab")
    (path.parent / "notes.txt").write_text("hello")
    os.mkfifo(path.parent / "pipe")
    assert folder.look() == [TapeReady(path)]
