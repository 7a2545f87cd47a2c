"""ProgSnap2 datasets become tapes, one a subject and task."""

import csv
import subprocess

import pytest
from hypothesis import given, settings

from replay.importers.errors import RecordingError
from replay.importers.import_batch import import_many
from replay.importers.progsnap2.dataset_import import default_section, import_dataset
from replay.tapes.tape import Close, Edit, Focus, Foreign, Open, Run, Save
from tests.support.random_sessions import histories, replayed, sessions
from tests.support.scale import examples


def table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def rows_of(*rows, subject="S1", kind="File.Edit"):
    """Rows of a main table, a second apart; what is not given is the same in all."""
    same = {"SubjectID": subject, "EventType": kind, "ToolInstances": "Python 3.8;BlockPy"}
    return [
        {"EventID": f"{subject}-{n}", **same, "ClientTimestamp": f"2018-11-02T08:22:{n:02}", **row}
        for n, row in enumerate(rows)
    ]


def dataset(folder, rows, states=None, metadata=None):
    """A dataset; states are `{id: code}` (a table) or `{id: {path: code}}` (directories)."""
    table(folder / "MainTable.csv", rows)
    for state, code in (states or {}).items():
        for path, text in code.items() if isinstance(code, dict) else ():
            (folder / "CodeStates" / state / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "CodeStates" / state / path).write_bytes(text.encode())
    codes = [{"CodeStateID": state, "Code": code} for state, code in (states or {}).items() if isinstance(code, str)]
    if codes:
        table(folder / "CodeStates" / "CodeStates.csv", codes)
    if metadata:
        table(folder / "DatasetMetadata.csv", [{"Property": name, "Value": value} for name, value in metadata.items()])
    return folder


def tapes(*arguments, **options):
    return list(import_dataset(dataset(*arguments, **options)))


def kinds(imported):
    return [type(event) for event in imported.tape.events]


def test_snapshots_in_a_table_become_edits_by_difference(tmp_path):
    codes = {"1": "x = 1\n", "2": "x = 12\n", "3": "x = 12\nprint(x)\n"}
    rows = rows_of({"CodeStateID": "1"}, {"CodeStateID": "2"}, {"CodeStateID": "2"}, {"CodeStateID": "3"})
    (imported,) = tapes(tmp_path / "set", rows, codes)
    assert kinds(imported) == [Open, Edit, Foreign, Edit]
    assert imported.tape.events[1] == Edit(1000.0, 0, ((5, 5, "2"),), "type")
    assert imported.tape.events[3] == Edit(3000.0, 0, ((7, 7, "print(x)\n"),))
    assert replayed(imported.tape) == {"main.py": list(codes.values())}
    header = imported.tape.header
    assert (header.id, header.origin, header.editor) == ("set-S1", "imported:progsnap2", "Python 3.8;BlockPy")
    assert (header.created, header.carried) == ("2018-11-02T08:22:00.000+00:00", {"SubjectID": "S1"})


def test_snapshots_in_directories_are_projects_of_several_files(tmp_path):
    states = {
        "1": {"a.py": "a\r\n", "lib/b.py": "b"},
        "2": {"a.py": "a\r\na\r\n", "c.py": ""},
        "3": {"a.py": "", "lib/b.py": "b"},
    }
    rows = rows_of(*({"CodeStateID": state} for state in states))
    (imported,) = tapes(tmp_path / "set", rows, states)
    assert kinds(imported) == [Open, Open, Edit, Open, Close, Edit, Open, Close]
    assert replayed(imported.tape) == {"a.py": ["a\r\n", "a\r\na\r\n", ""], "lib/b.py": ["b"], "c.py": [""]}


def test_a_commit_is_a_code_state(tmp_path, need):
    need("git")
    repository = tmp_path / "set" / "CodeStates" / "S1" / "P1"
    repository.mkdir(parents=True)

    def git(*arguments):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *who, *arguments], cwd=repository, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init")
    commits = []
    for text in ("a\n", "ab\n"):
        (repository / "a.py").write_text(text, encoding="utf-8")
        git("add", ".")
        git("commit", "-m", "x")
        commits.append(git("rev-parse", "HEAD"))
    rows = rows_of(*({"CodeStateID": commit, "ProjectID": "P1"} for commit in commits))
    (imported,) = tapes(tmp_path / "set", rows, metadata={"CodeStateRepresentation": "Git"})
    assert replayed(imported.tape) == {"a.py": ["a\n", "ab\n"]}


def test_keystrokes_are_edits_of_their_own(tmp_path):
    at = {"SourceLocation": "0", "CodeStateSection": "task1.py", "SessionID": "1"}
    rows = rows_of(
        {**at, "InsertText": "é😀\n", "EditType": "Paste", "ClientTimestamp": "1637356595913"},
        {**at, "InsertText": "x", "SourceLocation": "3", "ClientTimestamp": "1637356595999", "SessionID": "2"},
        {**at, "DeleteText": "😀", "SourceLocation": "1", "ClientTimestamp": "1637356596000", "CodeStateID": "77"},
        {
            **at,
            "InsertText": "E",
            "DeleteLength": "1",
            "ClientTimestamp": "1637356596913",
            "EventInitiator": "ToolReaction",
        },
    )
    (imported,) = tapes(tmp_path / "set", rows, metadata={"CodeStateRepresentation": "Keystroke"})
    assert replayed(imported.tape) == {"task1.py": ["", "é😀\n", "é😀x\n", "éx\n", "Ex\n"]}
    edits = [event for event in imported.tape.events if isinstance(event, Edit)]
    assert [edit.t for edit in edits] == [0, 86, 87, 1000]
    assert [edit.reason for edit in edits] == ["paste", "type", "delete", "external"]


def test_a_deletion_of_what_does_not_stand_there_is_refused_by_row(tmp_path):
    at = {"CodeStateSection": "a.py", "SourceLocation": "0"}
    rows = rows_of({**at, "InsertText": "abc"}, {**at, "DeleteText": "b"})
    with pytest.raises(
        RecordingError, match=r"MainTable\.csv: row 3: a\.py: 'b' is deleted at 0, but the text there is 'a'"
    ):
        tapes(tmp_path / "set", rows)
    with pytest.raises(RecordingError, match=r"row 3: a\.py: edit \[0, 9\] lies outside"):
        tapes(tmp_path / "other", rows_of({**at, "InsertText": "abc"}, {**at, "DeleteLength": "9"}))


def test_what_a_row_tells_of_its_edit_is_taken_where_it_leads_to_the_state(tmp_path):
    rows = rows_of(
        {"CodeStateID": "1"}, {"CodeStateID": "2", "SourceLocation": "0", "InsertText": "a", "EditType": "Redo"}
    )
    (imported,) = tapes(tmp_path / "set", rows, {"1": "a", "2": "aa"})
    assert imported.tape.events[1] == Edit(1000.0, 0, ((0, 0, "a"),), "redo")


def test_events_of_files_and_tests_are_told_and_others_carried(tmp_path):
    section = {"CodeStateSection": "a.py", "CodeStateID": "1"}
    rows = rows_of(
        {"EventType": "Session.Start"},
        {"EventType": "File.Open", **section},
        {"EventType": "File.Save", **section},
        {"EventType": "Run.Program", **section, "ExecutionResult": "Success"},
        {"EventType": "Run.Test", **section, "ExecutionResult": "TestFailed", "TestID": "test_x"},
        {"EventType": "X-View.Step", **section},
        {"EventType": "File.Close", **section},
        {"EventType": "File.Focus", **section},
        {"EventType": "File.Rename", **section, "DestinationCodeStateSection": "b.py"},
        {"EventType": "File.Create", "CodeStateSection": "c.py"},
        {"EventType": "File.Delete", "CodeStateSection": "c.py"},
        {"EventType": "File.Save", "CodeStateSection": "nowhere.py"},
    )
    (imported,) = tapes(tmp_path / "set", rows, {"1": {"a.py": "x = 1\n"}})
    told = [
        Foreign,
        Open,
        Focus,
        Save,
        Foreign,
        Foreign,
        Run,
        Foreign,
        Close,
        Open,
        Focus,
        Close,
        Open,
        Open,
        Close,
        Foreign,
    ]
    assert kinds(imported) == told
    run = imported.tape.events[6]
    assert (run.command, run.passed, run.failed, run.exit) == ("test_x", 0, 1, 1)
    carried = [event for event in imported.tape.events if isinstance(event, Foreign)]
    assert [event.tells for event in carried] == [0, 0, 1, 0, 0]
    assert carried[1].entry == rows[3]
    assert [event.path for event in imported.tape.events if isinstance(event, Open)] == ["a.py", "a.py", "b.py", "c.py"]


def test_each_subject_and_task_is_a_tape_and_rows_without_code_are_none(tmp_path):
    rows = [
        *rows_of({"CodeStateID": "1", "AssignmentID": "A/1"}, {"CodeStateID": "2", "AssignmentID": "A 1"}),
        *rows_of({"CodeStateID": "1", "SessionID": "7"}, {"EventType": "Session.Start"}, subject="S2"),
    ]
    imported = tapes(tmp_path / "set", rows, {"1": "a", "2": "b"})
    assert [each.name for each in imported] == ["set-S1-A_1", "set-S1-A_1-2", "set-S2-7"]
    assert [len(each.tape.events) for each in imported] == [1, 1, 1]


@pytest.mark.parametrize(
    ("orders", "metadata", "texts"),
    [
        (["3", "1", "2"], {}, "bca"),
        (["3", "1", "2"], {"EventOrderScope": "Restricted"}, "bca"),
        (["3", "1", "2"], {"EventOrderScope": "None"}, "cba"),
        (["3", "", "2"], {}, "cba"),
    ],
)
def test_rows_are_taken_in_the_order_that_the_dataset_vouches_for(tmp_path, orders, metadata, texts):
    stamps = ["2018-01-01T00:00:03", "2018-01-01T00:00:02", "2018-01-01 00:00:01+00:00"]
    named = zip("abc", orders, stamps, strict=True)
    rows = rows_of(*({"CodeStateID": name, "Order": order, "ClientTimestamp": at} for name, order, at in named))
    (imported,) = tapes(tmp_path / "set", rows, {name: name for name in "abc"}, metadata)
    assert "".join(replayed(imported.tape)["main.py"]) == texts


@pytest.mark.parametrize(
    ("rows", "states", "reason"),
    [
        (rows_of({"CodeStateID": "9"}), {"1": "a"}, r"row 2: code state '9' is not in the dataset's CodeStates"),
        (rows_of({"CodeStateID": "../1"}), {"1": {"a.py": "a"}}, r"row 2: code state '\.\./1' is not in"),
        (rows_of({"AssignmentID": "1"}), {}, "no row has a code state or an edit"),
        (
            [{"EventID": "1", "EventType": "Submit"}],
            {},
            "row 1: is not a ProgSnap2 main table: it needs EventType, EventID, SubjectID",
        ),
    ],
)
def test_a_dataset_that_lacks_what_it_needs_is_refused(tmp_path, rows, states, reason):
    with pytest.raises(RecordingError, match=rf"MainTable\.csv: {reason}"):
        tapes(tmp_path / "set", rows, states)


def test_a_row_with_too_few_cells_is_refused(tmp_path):
    folder = dataset(tmp_path / "set", rows_of({"CodeStateID": "1"}), {"1": "a"})
    with (folder / "MainTable.csv").open("a", encoding="utf-8") as file:
        file.write("x,y\n")
    with pytest.raises(RecordingError, match=r"MainTable\.csv: row 3: has 2 cells instead of 6"):
        list(import_dataset(folder))


def test_a_missing_main_table_is_refused(tmp_path):
    with pytest.raises(RecordingError, match=r"MainTable\.csv: cannot be read: No such file"):
        list(import_dataset(tmp_path))


@pytest.mark.parametrize(
    ("tools", "section"), [("Java 8; CodeWorkout", "main.java"), ("ITAP; Python", "main.py"), ("Snap!", "main.txt")]
)
def test_a_state_without_names_is_called_by_the_language_of_its_tools(tools, section):
    assert default_section(tools) == section


@given(steps=sessions())
@settings(max_examples=examples(25), deadline=None)
@pytest.mark.parametrize("form", ["Table", "Directory"])
def test_any_session_holds_the_same_documents_at_every_step(tmp_path_factory, form, steps):
    held, rows, states = {step.file: step.text for step in reversed(steps)}, [], []
    for number, step in enumerate(steps):
        held[step.file] = step.text
        kind = {"tab": "File.Focus", "edit": "File.Edit", "select": "X-Select"}[step.kind]
        stamp = {"ClientTimestamp": str(1_600_000_000_000 + step.t), "CodeStateSection": step.file}
        rows.append({"EventType": kind, "CodeStateID": str(number), "Order": str(number), **stamp})
        states += [(str(number), path, text) for path, text in held.items()]
    folder = tmp_path_factory.mktemp("set")
    if form == "Table":
        named = ("CodeStateID", "CodeStateSection", "Code")
        table(folder / "CodeStates" / "CodeStates.csv", [dict(zip(named, state, strict=True)) for state in states])
    projects = {number: {path: text for at, path, text in states if at == number} for number, _, _ in states}
    (imported,) = tapes(folder, rows_of(*rows), projects if form == "Directory" else None)
    assert replayed(imported.tape) == histories(steps)
    focused = [event.t for event in imported.tape.events if isinstance(event, Focus)]
    assert focused == [float(step.t) for step in steps if step.kind == "tab"]


def test_a_subject_of_a_name_that_no_file_can_have_has_a_tape_of_its_own(tmp_path):
    long = [f"{'é' * 300}{number}" for number in range(2)]
    rows = [row for subject in long for row in rows_of({"CodeStateID": "1"}, {"CodeStateID": "2"}, subject=subject)]
    folder = dataset(tmp_path / "set", rows, {"1": "x = 1\n", "2": "x = 12\n"})
    report = import_many([folder], tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert len(names) == report.tapes == 2, names
    assert all(len(name.encode()) < 220 for name in names)
