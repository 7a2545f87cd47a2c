"""Many recordings at once: all or nothing."""

import gzip
import json
from pathlib import Path

import msgspec
import pytest

from replay.importers.errors import ImportRefusedError, RecordingError
from replay.importers.formats import format_of
from replay.importers.import_batch import import_many
from replay.tapes import tape as tapes
from replay.tapes.placing import place
from tests.support.recorded_logs import counted


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


def test_all_recordings_become_tapes_with_their_changes_and_checkpoints(recordings, tmp_path):
    report = import_many(recordings, tmp_path)
    changes, checkpoints = counted(recordings)
    assert (report.tapes, report.changes, report.checkpoints) == (16, changes, checkpoints)
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


def test_another_tape_in_the_place_of_one_is_replaced_only_by_force(tmp_path):
    path, out = recording(tmp_path / "a.json", (0, 0, "y")), tmp_path / "out"
    for _ in range(2):
        import_many([path], out)  # the same again
    kept = (out / "a.tape.jsonl").read_bytes()
    recording(path, (0, 0, "z"))
    with pytest.raises(ImportRefusedError, match=r"exists already.*--force"):
        import_many([path], out)
    assert (out / "a.tape.jsonl").read_bytes() == kept
    import_many([path], out, force=True)
    assert (out / "a.tape.jsonl").read_bytes() != kept


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
    with pytest.raises(ImportRefusedError, match=r"c\.tape\.jsonl is not a file"):
        import_many(paths, tmp_path / "out", force=True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.tape.jsonl", "c.tape.jsonl"]
    assert (tmp_path / "out" / "a.tape.jsonl").read_bytes() == kept


def test_a_move_that_fails_midway_is_undone(tmp_path):
    out, there = tmp_path / "out", tmp_path / "there"
    there.mkdir()
    for name in "ab":
        (tmp_path / name).write_text("new", encoding="utf-8")
    (there / "a").write_text("old", encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        place({tmp_path / "a": there / "a", tmp_path / "b": out / "deep" / "b", tmp_path / "gone": there / "c"})
    assert [(path.name, path.read_text(encoding="utf-8")) for path in there.iterdir()] == [("a", "old")]
    assert not out.exists()


def test_a_tape_that_is_a_link_is_replaced_and_not_what_it_points_to(tmp_path):
    path = recording(tmp_path / "a.json", (0, 0, "y"))
    (tmp_path / "other").write_text("mine", encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.tape.jsonl").symlink_to(tmp_path / "other")
    import_many([path], tmp_path / "out", force=True)
    assert not (tmp_path / "out" / "a.tape.jsonl").is_symlink()
    assert (tmp_path / "other").read_text(encoding="utf-8") == "mine"


def crowd_table(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    header = "Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type"
    path.write_text(
        f'{header}\n1,0,"a.py",0,0,"{text}",python,tab\n2,9,"a.py",0,0,"{text}x",python,tab\n', encoding="utf-8"
    )
    return path


def chunk(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    window = {"file": "a.py", "startLine": 1, "endLine": 1, "content": "x"}
    event = {"sequence": 1, "timestamp": 5, "type": "observation", "observation": {"viewport": window}}
    head = {"version": "2.0", "sessionId": "s", "startTime": 0, "chunkIndex": 0}
    path.write_text(json.dumps({**head, "events": [event]}), encoding="utf-8")
    return path


def dataset(folder):
    (folder / "CodeStates").mkdir(parents=True)
    rows = "EventType,EventID,SubjectID,CodeStateID\nSubmit,1,A,1\nSubmit,2,B,1\nSubmit,3,../C,1\n"
    (folder / "MainTable.csv").write_text(rows, encoding="utf-8")
    (folder / "CodeStates" / "CodeStates.csv").write_text("CodeStateID,Code\n1,x = 1\n", encoding="utf-8")
    return folder


def test_each_input_goes_to_the_importer_of_what_is_in_it(tmp_path):
    table, folder = crowd_table(tmp_path / "rec" / "source.csv"), chunk(tmp_path / "chunks" / "chunk_000.json").parent
    plain = recording(tmp_path / "b.json", (0, 0, "y"))
    told = []
    inputs = [table, folder, dataset(tmp_path / "set"), plain]
    report = import_many(inputs, tmp_path / "out", notify=told.append)
    assert [(file.format, Path(file.tape).name.removesuffix(".tape.jsonl")) for file in report.files] == [
        ("crowd-code@1", "rec"),
        ("crowd-code@2", "chunks"),
        ("progsnap2", "set-A"),
        ("progsnap2", "set-B"),
        ("progsnap2", "set-.._C"),
        ("workspaceRecording@1.0", "b"),
    ]
    assert told == list(report.files)
    assert (report.tapes, report.resynchronised, report.files[0].resynchronised) == (6, 1, 1)
    for file in report.files:
        assert tapes.read(Path(file.tape)).header.origin == f"imported:{file.format}"


def test_the_same_inputs_are_known_by_other_names(tmp_path):
    crowd_table(tmp_path / "one" / "source.csv")
    squeezed = tmp_path / "s_chunk_000.json.gz"
    squeezed.write_bytes(gzip.compress(chunk(tmp_path / "c.json").read_bytes()))
    inputs = [tmp_path / "one", tmp_path / "c.json", squeezed, dataset(tmp_path / "set") / "MainTable.csv"]
    kinds = ["crowd-code@1", "crowd-code@2", "crowd-code@2", "progsnap2"]
    assert [format_of(path).name for path in inputs] == kinds
    assert import_many(inputs, tmp_path / "out").tapes == 6


def test_a_bad_row_of_one_format_leaves_no_tape_of_another(tmp_path):
    folder = dataset(tmp_path / "set")
    bad = crowd_table(tmp_path / "bad.csv", '"')
    with pytest.raises(RecordingError, match=r"bad\.csv: row 2"):
        import_many([folder, bad], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_named_format_is_not_guessed(tmp_path):
    with pytest.raises(RecordingError, match=r"b\.json: row 1: is not a crowd-code table"):
        import_many([recording(tmp_path / "b.json")], tmp_path / "out", "crowd-code@1")
    with pytest.raises(ImportRefusedError, match="there is no format 'x' to import: choose one of auto, crowd-code@1"):
        import_many([tmp_path / "b.json"], tmp_path / "out", "x")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"a,b\n1,2\n", b"\xff\xfe\x00", b"\x1f\x8bxx"])
def test_an_input_of_no_known_format_is_refused(tmp_path, content):
    (tmp_path / "odd").write_bytes(content)
    with pytest.raises(RecordingError, match=r"odd: (is of no format that can be imported|cannot be read)"):
        import_many([tmp_path / "odd"], tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordingError, match="empty: is of no format that can be imported"):
        import_many([tmp_path / "empty"], tmp_path / "out")


def test_a_folder_of_recordings_and_a_tape_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "all").mkdir()
    recording(tmp_path / "all" / "b.json")
    with pytest.raises(RecordingError, match=r"all: is a folder with 1 recordings, as b\.json: name the files"):
        import_many([tmp_path / "all"], tmp_path / "out")
    import_many([tmp_path / "all" / "b.json"], tmp_path / "out")
    [tape] = (tmp_path / "out").iterdir()
    with pytest.raises(RecordingError, match="is a tape already: `ghosttape replay` plays it"):
        import_many([tape], tmp_path / "other")


def test_two_inputs_that_would_be_one_tape_are_refused(tmp_path):
    paths = [crowd_table(tmp_path / name / "rec" / "source.csv") for name in "ab"]
    with pytest.raises(ImportRefusedError, match=r"a/rec/source\.csv and .*b/rec/source\.csv would both become"):
        import_many(paths, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_missing_input_is_refused_by_name(tmp_path):
    with pytest.raises(RecordingError, match=r"missing\.json: cannot be read: No such file"):
        import_many([tmp_path / "missing.json"], tmp_path / "out")
