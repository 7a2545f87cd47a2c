"""Inputs that are damaged, hostile or too large are refused by file and reason; none ends in a traceback."""

import csv
import gzip
import io
import json
import os
import subprocess
import tarfile

import pytest

from replay.errors import TapeError
from replay.exporters.workspace_recording import recording_of
from replay.importers.building import packed_files
from replay.importers.crowd.crowd_chunks import import_chunks
from replay.importers.crowd.table import import_table
from replay.importers.errors import RecordingError
from replay.importers.formats import ImportFormat, format_of, require_writable, tapes_of
from replay.importers.import_batch import import_many
from replay.importers.progsnap2.dataset_import import import_dataset
from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes import git_environment
from replay.tapes import tape as tapes
from replay.tapes.tape import Documents, Edit, Focus, Foreign, Open, Select, State

HEADER = {"kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "", "time": 0, "uuid": "u"}
DEEP = "[" * 50_000 + "]" * 50_000


def opened(text="", path="a.py", number=0):
    return [
        {"kind": "documentEncountered", "id": number, "time": 0, "relativePath": path},
        {"kind": "setContent", "id": number, "time": 0, "content": text},
    ]


def recording(folder, *entries, name="one.json"):
    (folder / name).write_text(json.dumps({"log": [HEADER, *entries]}), encoding="utf-8")
    return folder / name


def chunk(folder, *events, name="chunk_000.json"):
    content = {"version": "2.0", "sessionId": "s", "startTime": 1.7e12, "chunkIndex": 0, "events": events}
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder / name


def crowd_table(folder, *rows, end="\n"):
    header = "Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type"
    (folder / "source.csv").write_text("\n".join([header, *rows]) + end, encoding="utf-8", newline="")
    return folder / "source.csv"


def dataset(folder, codes=(), **cells):
    folder.mkdir(exist_ok=True)
    row = {"EventID": "1", "SubjectID": "S", "EventType": "File.Edit", "CodeStateID": "1", **cells}
    rows = {"MainTable.csv": [row]} | ({"CodeStates.csv": codes} if codes else {})
    for name, lines in rows.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, lines[0])
            writer.writeheader()
            writer.writerows(lines)
    return folder


# What a tape cannot contain


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Select(0, 0, ((-1, 0),)), "before its beginning"),
        (Select(0, 0, ((0, -1),)), "before its beginning"),
        (Focus(float("nan"), 0), "no number of ms"),
        (Focus(float("inf"), 0), "no number of ms"),
    ],
)
def test_an_event_made_in_code_is_held_to_what_a_reader_takes(event, reason, tmp_path):
    documents = Documents("made")
    documents.apply(2, Open(0, 0, "a.py", "python", ""))
    with pytest.raises(TapeError, match=f"made:3: .*{reason}"):
        documents.apply(3, event)
    header = import_recording(recording(tmp_path)).tape.header
    target = tmp_path / "x.tape.jsonl"
    with (
        pytest.raises(TapeError, match=r"x\.tape\.jsonl:2: a tape cannot contain this"),
        tapes.Writer(target, header) as to,
    ):
        to.write(event)
    assert not target.exists()


@pytest.mark.parametrize("path", ["a\0.py", "\0"])
def test_a_path_with_a_nul_is_refused(path, tmp_path):
    with pytest.raises(RecordingError, match=r"entry 2: .*NUL"):
        import_recording(recording(tmp_path, *opened(path=path)))


def test_a_check_of_a_recording_refuses_what_its_import_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr(tapes, "LONGEST", 1000)
    path = recording(tmp_path, *opened("x" * 2000))
    [imported] = tapes_of(path, format_of(path))
    reasons = []
    for verdict in (lambda: require_writable(path, imported), lambda: import_many([path], tmp_path / "out")):
        with pytest.raises(RecordingError, match="exceeds the maximum length of a tape's line") as caught:
            verdict()
        reasons.append(str(caught.value))
    assert reasons[0] == reasons[1]
    assert reasons[0].startswith(f"{path}: ")
    assert not (tmp_path / "out").exists()


# Damaged inputs


def deep_recording(folder):
    path = recording(folder, {"kind": "bookmark", "time": 0, "x": "DEEP"})
    path.write_text(path.read_text(encoding="utf-8").replace('"DEEP"', DEEP), encoding="utf-8")
    return path


def deep_lines(folder):
    lines = json.dumps(HEADER) + '\n{"kind":"bookmark","time":0,"x":' + DEEP + "}\n"
    (folder / "a.jsonl").write_text(lines, encoding="utf-8")
    return folder / "a.jsonl"


def deep_chunk(folder):
    path = chunk(folder, {"sequence": 1, "timestamp": 1.7e12, "type": "DEEP"})
    path.write_text(path.read_text(encoding="utf-8").replace('"DEEP"', DEEP), encoding="utf-8")
    return path


FAULTS = {
    "time": (lambda f: crowd_table(f, f'1,{"9" * 5000},"a.py",0,0,"",python,tab'), r"row 2: Time '9+…' is not a whole"),
    "cut": (lambda f: crowd_table(f, '1,0,"a.py",0,0,"",python,ta', end=""), r"row 2: ends in 'ta', so .* cut off"),
    "cut at once": (lambda f: crowd_table(f, '1,0,"a.py",0,0,"",python,', end=""), r"row 2: ends in ''"),
    "deep recording": (deep_recording, "nested too deeply"),
    "deep line": (deep_lines, "entry 1: is nested too deeply"),
    "deep chunk": (deep_chunk, "nested too deeply"),
    "order": (lambda f: dataset(f, Order="9" * 20), "row 2: Order '9+' has more than"),
    "two texts": (
        lambda f: dataset(f, [{"CodeStateID": "1", "Code": "a"}, {"CodeStateID": "1", "Code": "b"}]),
        r"row 2: CodeStates has two texts of state '1', main\.txt",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_input_is_refused_by_file_and_reason(fault, tmp_path):
    make, reason = FAULTS[fault]
    (tmp_path / "in").mkdir()
    path = make(tmp_path / "in")
    with pytest.raises(RecordingError, match=f"(?s){path}.*{reason}"):
        import_many([path], tmp_path / "out")


def test_a_type_that_nobody_knows_is_carried_even_in_the_last_row(tmp_path):
    [event] = import_table(crowd_table(tmp_path, '1,0,"a.py",0,0,"",python,hover')).tape.events
    assert event.entry["type"] == "hover"


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_stamp_of_no_year_is_none(stamp, tmp_path):
    codes = [{"CodeStateID": "1", "Code": "x\n"}]
    [imported] = import_dataset(dataset(tmp_path / "set", codes, ClientTimestamp=stamp))
    assert imported.tape.header.created == ""
    assert imported.tape.events[0].t == 0


# Half of a surrogate pair


def test_half_of_a_pair_comes_in_and_goes_out_as_editors_write_it(tmp_path):
    entries = [
        *opened("a😀b\n"),
        {"kind": "changed", "id": 0, "time": 1, "edit": [[2, 3, ""]], "v": 2},
        {"kind": "setContent", "id": 0, "time": 2, "content": "a\ud83db\n", "v": 2},
        {"kind": "noted", "time": 3, "of": "\ude00"},
    ]
    path = recording(tmp_path, *entries)
    assert rb"\ud83db" in path.read_bytes()
    [file] = import_many([path], tmp_path / "out").files
    tape = tapes.read(tmp_path / "out" / "one.tape.jsonl")
    assert (file.checkpoints, [type(event) for event in tape.events if not isinstance(event, Foreign)]) == (
        1,
        [Open, Edit, State],
    )
    assert json.loads(recording_of(tape).encode())["log"] == [HEADER, *entries]


def test_half_of_a_pair_in_a_chunk_is_read(tmp_path):
    window = {"file": "a.py", "startLine": 1, "content": "\ud83d\n"}
    seen = {"sequence": 1, "timestamp": 1.7e12, "type": "observation", "observation": {"viewport": window}}
    assert import_chunks(chunk(tmp_path, seen)).tape.events[0].text == "\ud83d\n"


# Paths


def test_two_recorded_files_stay_two(tmp_path):
    paths = ["../a.py", "../../a.py", "/a.py", "a.py", "x/../b.py"]
    entries = [entry for number, path in enumerate(paths) for entry in opened(str(number), path, number)]
    first = recording(tmp_path, *entries)
    tape = import_recording(first).tape
    texts = {event.path: event.text for event in tape.events if isinstance(event, Open)}
    assert list(texts.values()) == ["0", "1", "2", "3", "4"]
    assert json.loads(recording_of(tape).encode())["log"] == [HEADER, *entries]
    rows = [f'{n},{n},"{path}",0,0,"{n}",python,tab' for n, path in enumerate(paths)]
    table = import_table(crowd_table(tmp_path, *rows)).tape
    assert {event.path: event.text for event in table.events if isinstance(event, Open)} == texts


# Packed files


def packed(path, **members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(packed_files, "LARGEST", 2**20)
    bomb = bytes(2**20 + 1)
    for path in (tmp_path / "a.json.gz", tmp_path / "chunk_000.json.gz"):
        path.write_bytes(gzip.compress(b'{"log": []}' + bomb))
    packed(tmp_path / "source_part_000.tar.gz", **{"chunk_000.json": bomb})
    for name, read in (
        ("a.json.gz", import_recording),
        ("chunk_000.json.gz", import_chunks),
        ("source_part_000.tar.gz", import_chunks),
    ):
        with pytest.raises(RecordingError, match=f"{name}: unpacks to more than 1 MiB"):
            read(tmp_path / name)


def test_a_part_is_read_once_and_what_is_foreign_in_it_passed_over(tmp_path, monkeypatch):
    content = chunk(tmp_path / "loose").read_bytes()
    part = packed(tmp_path / "source_part_000.tar.gz", **{"s/chunk_000.json": content, "s/package.json": b"{}"})
    reads = []
    monkeypatch.setattr(packed_files.gzip, "GzipFile", _counting(packed_files.gzip.GzipFile, reads))
    assert import_chunks(part).tape.header.carried == {"sessionId": "s"}
    assert len(reads) == 1


def _counting(kind, calls):
    def made(*arguments, **options):
        calls.append(arguments)
        return kind(*arguments, **options)

    return made


# Code states


def test_code_that_is_no_utf_8_is_refused_and_binary_files_passed_over(tmp_path):
    state = dataset(tmp_path / "set", ToolInstances="Python") / "CodeStates" / "1"
    state.mkdir(parents=True)
    (state / "a.py").write_text("x\n", encoding="utf-8")
    (state / "a.png").write_bytes(b"\x89PNG\0\xff")
    [imported] = import_dataset(tmp_path / "set")
    assert imported.tape.events[0].path == "a.py"
    (state / "b.py").write_bytes(b"caf\xe9\n")
    with pytest.raises(RecordingError, match=r"row 2: .*b\.py is not text in UTF-8"):
        list(import_dataset(tmp_path / "set"))


def test_a_state_that_a_link_leads_to_outside_is_refused(tmp_path):
    states = dataset(tmp_path / "set") / "CodeStates"
    states.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("mine", encoding="utf-8")
    (states / "1").symlink_to(tmp_path / "outside")
    with pytest.raises(RecordingError, match=r"row 2: .*leads out of the dataset"):
        list(import_dataset(tmp_path / "set"))


def git(folder, *arguments):
    options = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", *options, *arguments], cwd=folder, env=environment, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def of_git(need, tmp_path):
    """A dataset whose only state is a commit of one file, and the name of its blob."""
    need("git")
    states = tmp_path / "set" / "CodeStates"
    states.mkdir(parents=True)
    (states / "a.py").write_text("x = 1\n", encoding="utf-8")
    git(states, "init", "-q")
    git(states, "add", "a.py")
    git(states, "commit", "-q", "-m", "one")
    (tmp_path / "set" / "DatasetMetadata.csv").write_text("CodeStateRepresentation,Git\n", encoding="utf-8")
    commit, blob = git(states, "rev-parse", "HEAD", "HEAD:a.py").split()
    return dataset(tmp_path / "set", CodeStateID=commit), blob


def test_a_missing_blob_is_told_and_not_passed_over(of_git):
    folder, blob = of_git
    (folder / "CodeStates" / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RecordingError, match=f"row 2: .*cat-file blob {blob}"):
        list(import_dataset(folder))


def test_git_is_led_nowhere_by_the_environment(of_git, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "empty"))
    [imported] = import_dataset(of_git[0])
    assert imported.tape.events[0].text == "x = 1\n"


def test_git_fetches_nothing_that_lacks(of_git, tmp_path, monkeypatch):
    folder, blob = of_git
    repository, marker = folder / "CodeStates" / ".git", tmp_path / "fetched"
    (repository / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::touch {marker}"),
        ("protocol.ext.allow", "always"),
    ):
        git(repository, "config", name, value)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext")
    monkeypatch.delitem(git_environment._QUIET, "GIT_NO_LAZY_FETCH")  # as an older git, which does not know it
    with pytest.raises(RecordingError, match="cat-file blob"):
        list(import_dataset(folder))
    assert not marker.exists()


# Reading and writing


def test_an_input_that_cannot_be_read_is_named_and_not_the_folder_of_the_tapes(tmp_path):
    def broken(path):
        yield next(tapes_of(path, format_of(path)))
        raise OSError(5, "Input/output error")

    path = recording(tmp_path)
    tapes_read = tapes_of(path, ImportFormat("broken", lambda head: True, broken))
    assert next(tapes_read).name == "one"
    with pytest.raises(RecordingError, match=r"one\.json: cannot be read: Input/output error"):
        next(tapes_read)
