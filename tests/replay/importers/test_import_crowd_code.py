"""vs-code-recorder and crowd-code 1.x tables become tapes."""

import pytest
from hypothesis import given, settings

from replay.importers.crowd.table import escape, import_table, line_end, readings, table_name
from replay.importers.errors import RecordingError
from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes.tape import Edit, Focus, Foreign, Open, Run, Select, State
from tests.support.crowd_code_tables import HEADER, imported, rewritten, row, table
from tests.support.random_sessions import histories, replayed, sessions
from tests.support.scale import examples


def kinds(tape):
    return [type(event) for event in tape.events]


def test_a_session_is_told_event_by_event(tmp_path):
    result = imported(
        tmp_path,
        row(1, "tab", 'say "é"\n'),
        row(2, "selection_mouse", at=7),
        row(3, "content", "😀", at=7),
        row(4, "content", "!", at=9),
        row(5, "content", at=7, length=3),
        row(6, "tab", file="b.py"),
        row(7, "tab"),
    )
    assert kinds(result.tape) == [Open, Focus, Select, Edit, Edit, Edit, Open, Focus, Focus]
    assert [event.reason for event in result.tape.events if isinstance(event, Edit)] == ["type", "type", "delete"]
    assert replayed(result.tape) == {
        "a.py": ['say "é"\n', 'say "é"😀\n', 'say "é"😀!\n', 'say "é"\n'],
        "b.py": [""],
    }
    assert (result.changes, result.checkpoints, result.resynchronised) == (3, 0, 0)


def test_the_header_says_where_the_tape_comes_from(tmp_path):
    folder = tmp_path / "crowd-code-b0d5-2025_06_24-10.11.12.45"
    folder.mkdir()
    path = table(folder / "source.csv", row(1, "tab", "def test_x(): pass\n", file="test_x.py"))
    header = import_table(path).tape.header
    assert (header.origin, header.id, header.editor) == ("imported:crowd-code@1", folder.name, "vscode")
    assert header.created == "2025-06-24T10:11:12.045"
    assert header.tests.toolchain == "python"
    assert table_name(folder / "2024_08_12-10.00.00.csv") == "2024_08_12-10.00.00"


def test_changes_of_one_event_are_one_edit(tmp_path):
    result = imported(
        tmp_path,
        row(1, "tab", "x = x + x\n"),
        row(2, "content", "long", at=8, length=1, t=50),
        row(3, "content", "long", at=4, length=1, t=50),
        row(4, "content", "long", at=0, length=1, t=50),
        row(5, "content", "s", at=4, t=50),
    )
    edits = [event for event in result.tape.events if isinstance(event, Edit)]
    assert [len(edit.changes) for edit in edits] == [3, 1]
    assert replayed(result.tape)["a.py"][-1] == "longs = long + long\n"


def test_line_ends_and_offsets_stay_those_of_a_crlf_document(tmp_path):
    result = imported(
        tmp_path,
        row(1, "tab", "a\r\nb\r\n", language="c"),
        row(2, "content", "\r\n", at=3),
        row(3, "content", "c", at=5),
    )
    assert replayed(result.tape)["a.py"][-1] == "a\r\n\r\ncb\r\n"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('print("a\\nb\\tc\\n")\nx = 1\n', "python"),
        ('# don\'t\nx = "\\\\n"\n\ty = "it\'s\\n"\n', "python"),
        ('"""Don\'t\ndo "it\n"""\nprint(\'\\n\')\n', "python"),
        ("printf(\"%d\\n\", x);\r\nchar c = '\\r';\r\n", "c"),
        ("fn f<'a>(x: &'a str) {}\nlet s = \"\\n\";\n", "rust"),
        ("const s = `a\nb'c`;\nconst r = 'x\\r\\n';\n", "javascript"),
        ('s.replace(/"\\n/g, "\'")\n\t.split(/[/\\r]|\\t/, 2);\nlet q = `a|/"b\n|/c`;\n', "typescript"),
        ("Don't do\nthat's\n", "markdown"),
        ('echo a \\\n  b "\\n"\n', "shellscript"),
    ],
)
def test_back_slashes_of_programs_are_told_from_new_lines(text, language):
    raw = escape(text)
    assert readings(raw, language, line_end(raw))[0] == text


def test_what_happens_later_decides_between_two_readings(tmp_path):
    # by the look of it the new line stands in a string; but the cursor goes where only a new line can be
    text = "a = 'x\ny' # odd\nz = 1\n"
    guessed = imported(tmp_path, row(1, "tab", text, language="cobol"))
    assert "'x\\ny'" in replayed(guessed.tape)["a.py"][0]
    after = text.index("z")
    result = imported(
        tmp_path, row(1, "tab", text, language="cobol"), row(2, "selection_mouse", "z = 1", at=after, length=5)
    )
    assert replayed(result.tape)["a.py"] == [text]
    assert kinds(result.tape)[-1] is Select


def test_typing_a_back_slash_and_a_letter_stays_two_characters(tmp_path):
    result = imported(tmp_path, row(1, "tab", '""\n'), row(2, "content", "\\", at=1), row(3, "content", "n", at=2))
    assert replayed(result.tape)["a.py"][-1] == '"\\n"\n'


def test_a_text_given_again_is_a_checkpoint(tmp_path):
    rows = [row(1, "tab", "a\n"), row(2, "content", "b", at=0), row(3, "tab", "ba\n")]
    result = imported(tmp_path, *rows)
    assert kinds(result.tape) == [Open, Focus, Edit, State, Focus]
    assert (result.checkpoints, result.resynchronised) == (1, 0)


def test_a_text_that_differs_is_set_right_by_an_external_edit(tmp_path):
    result = imported(
        tmp_path,
        row(1, "tab", "a = 1\nb = 2\n"),
        row(2, "git_branch_checkout", "Switched from branch 'main' to 'fix'"),
        row(3, "tab", "a = 1\nb = 3\n"),
        row(4, "content", "4", at=11),
    )
    assert kinds(result.tape) == [Open, Focus, Foreign, Edit, Focus, Edit]
    assert result.tape.events[3].changes == ((10, 11, "3"),)
    assert result.tape.events[3].reason == "external"
    assert (result.changes, result.resynchronised) == (3 - 1, 1)


def test_a_second_view_of_a_file_is_put_aside_when_the_file_comes_back(tmp_path):
    result = imported(
        tmp_path,
        row(1, "tab", "new\n"),
        row(2, "selection_mouse", at=0),
        row(3, "tab", "old\n"),
        row(4, "tab"),
        row(5, "content", "!", at=3),
    )
    assert replayed(result.tape)["a.py"] == ["new\n", "old\n", "new\n", "new!\n"]
    assert result.resynchronised == 2


def test_an_empty_text_of_a_recorder_that_gives_all_texts_means_empty(tmp_path):
    result = imported(tmp_path, row(1, "tab", "x"), row(2, "tab", "y", file="b.py"), row(3, "tab", ""))
    assert replayed(result.tape)["a.py"] == ["x", ""]


def test_rows_that_no_event_tells_are_carried(tmp_path):
    odd = row(2, "dance", "with me", at=3, length=4)
    output = row(3, "tab", "8:10 [info]\n", file="extension-output-x.crowd-code-#1", language="Log")
    cell = row(4, "tab", "x", file="a.ipynb", language="python")
    result = imported(tmp_path, row(1, "tab"), odd, output, cell)
    carried = [event for event in result.tape.events if isinstance(event, Foreign)]
    assert [event.tells for event in carried] == [0, 0, 0]
    assert carried[0].entry == {
        "sequence": 2,
        "time": 20,
        "file": "a.py",
        "offset": 3,
        "length": 4,
        "text": "with me",
        "language": "python",
        "type": "dance",
    }
    assert carried[0].format == "crowd-code@1"


def test_a_selection_of_what_does_not_stand_there_is_carried(tmp_path):
    rows = [
        row(1, "tab", "abc"),
        row(2, "selection_mouse", "abc", length=3),
        row(3, "selection_mouse", "xyz", length=3),
    ]
    result = imported(tmp_path, *rows)
    assert kinds(result.tape) == [Open, Focus, Select, Foreign]
    assert result.tape.events[2].ranges == ((0, 3),)


@pytest.mark.parametrize(
    ("command", "output", "counts"),
    [
        ("pytest -q", ["..F\r\n", "\x1b[31m1 failed\x1b[0m, \x1b[32m2 pass", "ed\x1b[0m in 0.12s\r\n"], (2, 1, 1)),
        ("python -m pytest", ["===== 12 passed, 1 skipped in 62.03s (0:01:02) =====\n"], (12, 0, 0)),
        ("npx vitest run", [" Test Files  1 failed (1)\n      Tests  1 failed | 5 passed (6)\n"], (5, 1, 1)),
        ("npm test", ["Tests:       2 passed, 2 total\n"], (2, 0, 0)),
        ("pytest -q | tee log", ["3 passed in 0.1s\n"], None),
        ("cat old.log", ["3 passed in 0.1s\n"], None),
        ("pytest", ["1 error in 0.1s\n"], None),
        ("pytest", ["3 passed in 0.1s"], None),
    ],
)
def test_a_test_run_is_told_where_command_and_counts_are_sure(tmp_path, command, output, counts):
    rows = [row(number, "terminal_output", text) for number, text in enumerate(output, 2)]
    events = imported(tmp_path, row(1, "terminal_command", command), *rows).tape.events
    runs = [event for event in events if isinstance(event, Run)]
    assert [(run.passed, run.failed, run.exit) for run in runs] == ([] if counts is None else [counts])
    assert [event.tells for event in events if isinstance(event, Foreign)] == [0] * len(output) + [
        int(counts is not None)
    ]


def test_late_and_doubled_rows_of_early_recorders_are_put_in_order(tmp_path):
    header = HEADER.replace("Language,", "")
    lines = [
        '1,0,"a.md",0,0,"",tab',
        '3,9,"a.md",1,0,"b",content',
        '2,8,"a.md",0,0,"a",content',
        '2,8,"a.md",0,0,"a",content',
    ]
    result = imported(tmp_path, *lines, header=header)
    assert replayed(result.tape) == {"a.md": ["", "a", "ab"]}
    assert result.tape.events[0].language == "markdown"


def test_a_line_that_lost_its_end_to_the_panic_button_is_two_rows(tmp_path):
    glued = row(1, "tab", "ab") + row(14, "content", "c", at=2)
    assert replayed(imported(tmp_path, glued).tape) == {"a.py": ["ab", "abc"]}


def test_files_outside_the_workspace_stay_inside_the_tape(tmp_path):
    result = imported(tmp_path, row(1, "tab", file="c:\\x\\a.py"), row(2, "tab", file="/etc/../b.py"))
    paths = [event.path for event in result.tape.events if isinstance(event, Open)]
    assert paths == ["outside-workspace/c/x/a.py", "outside-workspace/b.py"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            [row(1, "tab", "ab"), row(2, "content", "c", at=9)],
            r"row 3: a\.py: edit \[9, 9\] lies outside .* missed changes",
        ),
        ([row(1, "content", "c")], r"row 2: a\.py changes before a tab row has its text"),
        ([row(1, "tab", "ab"), "2,3"], "row 3: has too few or too many cells"),
        ([row(1, "tab", "ab", at=-1)], r"row 2: RangeOffset '-1' is not a whole number from 0"),
        ([row(1, "tab", "a"), row(1, "tab", "b")], "row 3: has the Sequence 1 of row 2, but another content"),
        ([row(1, "tab", "a", file="/")], "row 2: path '/' names the workspace itself"),
    ],
)
def test_what_cannot_be_is_refused_by_row(tmp_path, lines, reason):
    with pytest.raises(RecordingError, match=rf"source\.csv: {reason}"):
        imported(tmp_path, *lines)


def test_a_table_of_something_else_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(RecordingError, match=r"x\.csv: row 1: is not a crowd-code table"):
        import_table(tmp_path / "x.csv")
    for content, encoding in (
        (b"a\n\xff,", "line 2: is not a table in UTF-8"),
        (b"\xff\xfe,", "is not a table in UTF-16"),
    ):
        (tmp_path / "y.csv").write_bytes(content)
        with pytest.raises(RecordingError, match=rf"y\.csv: {encoding}"):
            import_table(tmp_path / "y.csv")


@pytest.mark.parametrize(
    "name", ["EditSourceTracker", "RejectionCollector", "Declaring", "remote-try-java-part-1", "cppProject"]
)
def test_real_sessions_come_through_the_table_whole(tmp_path, recordings, name):
    for path in (path for path in recordings if name in path.name):
        rows, texts = rewritten(import_recording(path).tape)
        assert replayed(imported(tmp_path, *rows).tape) == texts


def rows_of(steps):
    """What crowd-code 1.1.3 writes: a document's text when it is first active, each change of an event in a row."""
    seen, number = set(), 0
    for step in steps:
        given = {"file": step.file, "language": "markdown", "t": step.t}
        if step.kind == "tab":
            number += 1
            yield row(number, "tab", "" if step.file in seen else step.text, **given)
            seen.add(step.file)
        for start, end, text in step.changes:
            number += 1
            kind = "content" if step.kind == "edit" else "selection_keyboard"
            yield row(number, kind, text, at=start, length=end - start, **given)
    yield row(number + 1, "terminal_focus", "bash")


@given(steps=sessions())
@settings(max_examples=examples(80), deadline=None)
def test_any_session_holds_the_same_documents_at_every_step(tmp_path_factory, steps):
    result = imported(tmp_path_factory.mktemp("session"), *rows_of(steps))
    assert replayed(result.tape) == histories(steps)
    assert result.resynchronised == 0
    selected = [step.changes[0][:2] for step in steps if step.kind == "select"]
    assert [event.ranges[0] for event in result.tape.events if isinstance(event, Select)] == selected
