"""The folder of evaluated files keeps the newest tapes, and what lies beside them."""

import os

from corpora.opened.evaluation import KEPT, tidy
from replay.tapes import blob_files
from replay.tapes.tape import Embedded, Header, Tape, write
from runners.other_files import OtherFiles


def evaluated(folder, number, content):
    """A tape with a file beside it, as old as its number says."""
    others = OtherFiles({"logo.png": content})
    header = Header(
        tape=1,
        id=str(number),
        editor="e",
        origin="synthesised",
        workspace=Embedded({}, blob_files.named(others)),
        created="2026",
    )
    file = folder / f"{number}.tape.jsonl"
    blob_files.write(others, folder)
    write(Tape(header, ()), file)
    os.utime(file, (1000 - number, 1000 - number))


def test_the_newest_stay_with_what_lies_beside_them(tmp_path):
    for number in range(KEPT + 3):
        evaluated(tmp_path, number, b"\xff new" if number < KEPT else b"\xff old")
    (tmp_path / "notes.txt").write_text("mine")
    tidy(tmp_path)
    assert {file.name for file in tmp_path.glob("*.jsonl")} == {f"{number}.tape.jsonl" for number in range(KEPT)}
    assert [blob.read_bytes() for blob in (tmp_path / blob_files.FOLDER).iterdir()] == [b"\xff new"]
    assert (tmp_path / "notes.txt").is_file()


def test_few_tapes_stay_as_they_are(tmp_path):
    evaluated(tmp_path, 1, b"\xff one")
    (tmp_path / blob_files.FOLDER / "other").write_text("x")
    tidy(tmp_path)
    assert len(list(tmp_path.rglob("*"))) == 4
