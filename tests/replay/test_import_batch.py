"""Many recordings at once: all or nothing."""

import json
from pathlib import Path

import msgspec
import pytest

from replay import tape as tapes
from replay.importers.batch import _move, import_many
from replay.importers.errors import ImportRefusedError, RecordingError

RECORDINGS = Path(__file__).parents[2].parent / "shared" / "data" / "recordings"


def recording(path, *edits):
    header = {"kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "", "time": 0, "uuid": "u"}
    log = [
        header,
        {"kind": "documentEncountered", "id": 0, "time": 0, "relativePath": "a.py"},
        {"kind": "setContent", "id": 0, "time": 0, "content": "x"},
        *({"kind": "changed", "id": 0, "time": 1, "edit": [list(edit)]} for edit in edits),
    ]
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def test_the_report_counts_what_was_written(tmp_path):
    paths = [recording(tmp_path / "a.json", (0, 0, "y")), recording(tmp_path / "b.json", (0, 1, ""), (0, 0, "z"))]
    report = import_many(paths, tmp_path / "new" / "out")
    assert (report.tapes, report.changes, report.checkpoints) == (2, 3, 0)
    first = msgspec.to_builtins(report)["files"][0]
    assert first["source"] == str(paths[0])
    assert (first["documents"], first["changes"], first["tests"]) == (1, 1, False)
    assert (first["format"], first["resynchronised"]) == ("workspaceRecording@1.0", 0)
    assert first["events"] == len(tapes.read(Path(first["tape"])).events)
    assert [tapes.read(Path(file.tape)).header.id for file in report.files] == ["a", "b"]
    assert sorted(path.name for path in (tmp_path / "new" / "out").iterdir()) == ["a.tape.jsonl", "b.tape.jsonl"]


@pytest.mark.skipif(not RECORDINGS.exists(), reason="the recordings are not part of the project")
def test_all_recordings_make_sixteen_tapes(tmp_path):
    report = import_many(sorted(RECORDINGS.glob("*.json")), tmp_path)
    assert (report.tapes, report.changes, report.checkpoints) == (16, 3526, 8)
    assert len(list(tmp_path.iterdir())) == 16


def test_one_bad_input_leaves_nothing_behind(tmp_path):
    good, bad = recording(tmp_path / "good.json", (0, 0, "y")), recording(tmp_path / "bad.json", (5, 6, ""))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RecordingError, match=r"bad\.json: entry 3: a\.py: edit \[5, 6\] lies outside"):
        import_many([good, bad], tmp_path / "out")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_refused_import_leaves_the_tapes_of_an_earlier_one_alone(tmp_path):
    path = recording(tmp_path / "a.json", (0, 0, "y"))
    import_many([path], tmp_path / "out")
    kept = (tmp_path / "out" / "a.tape.jsonl").read_bytes()
    recording(path, (7, 7, "y"))
    with pytest.raises(RecordingError):
        import_many([path], tmp_path / "out")
    assert (tmp_path / "out" / "a.tape.jsonl").read_bytes() == kept
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_two_inputs_of_one_name_are_refused(tmp_path):
    (tmp_path / "sub").mkdir()
    paths = [recording(tmp_path / "a.json"), recording(tmp_path / "sub" / "a.recording.w.json")]
    with pytest.raises(ImportRefusedError, match="would both become"):
        import_many(paths, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    path = recording(tmp_path / "a.json")
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(ImportRefusedError, match="cannot be written there"):
        import_many([path], tmp_path / "out")


def test_a_folder_in_the_place_of_a_tape_is_refused_and_nothing_is_written(tmp_path):
    paths = [recording(tmp_path / f"{name}.json", (0, 0, "y")) for name in "abc"]
    import_many(paths[:1], tmp_path / "out")
    kept = (tmp_path / "out" / "a.tape.jsonl").read_bytes()
    recording(paths[0], (0, 0, "z"))
    (tmp_path / "out" / "c.tape.jsonl").mkdir()
    with pytest.raises(ImportRefusedError, match=r"c\.tape\.jsonl is no file"):
        import_many(paths, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.tape.jsonl", "c.tape.jsonl"]
    assert (tmp_path / "out" / "a.tape.jsonl").read_bytes() == kept


def test_a_move_that_fails_midway_is_undone(tmp_path):
    out, there = tmp_path / "out", tmp_path / "there"
    there.mkdir()
    for name in "ab":
        (tmp_path / name).write_text("new", encoding="utf-8")
    (there / "a").write_text("old", encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        _move({tmp_path / "a": there / "a", tmp_path / "b": out / "deep" / "b", tmp_path / "gone": there / "c"})
    assert [(path.name, path.read_text(encoding="utf-8")) for path in there.iterdir()] == [("a", "old")]
    assert not out.exists()


def test_a_tape_that_is_a_link_is_replaced_and_not_what_it_points_to(tmp_path):
    path = recording(tmp_path / "a.json", (0, 0, "y"))
    (tmp_path / "other").write_text("mine", encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.tape.jsonl").symlink_to(tmp_path / "other")
    import_many([path], tmp_path / "out")
    assert not (tmp_path / "out" / "a.tape.jsonl").is_symlink()
    assert (tmp_path / "other").read_text(encoding="utf-8") == "mine"


def test_a_missing_input_is_refused_by_name(tmp_path):
    with pytest.raises(RecordingError, match=r"missing\.json: cannot be read: No such file"):
        import_many([tmp_path / "missing.json"], tmp_path / "out")
