"""The commands `import` and `export`."""

import gzip
import json
import re
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from replay.tapes import tape as tapes
from tests.support.preloaded import preloaded_script
from tests.support.waiting import PATIENCE_S, until_held
from tui.cli.app import app
from tui.watching.waiting import Waiting

HEADER = {"kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "", "time": 1000, "uuid": "u"}
LOG = [
    HEADER,
    {"kind": "documentEncountered", "id": 0, "time": 1000, "relativePath": "a.py"},
    {"kind": "setContent", "id": 0, "time": 1000, "content": "", "v": 1},
    {"kind": "changed", "id": 0, "time": 1100, "edit": [[0, 0, "x"]], "v": 2},
    {"kind": "teleported", "time": 1200},
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here):
    """Run a command, and expect an exit status."""

    def invoke(*words, status=0):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == status, done.output
        return done

    return invoke


@pytest.fixture
def recorded(here):
    """A recording of one key."""
    path = here / "one.recording.w.json"
    path.write_text(json.dumps({"log": LOG}), encoding="utf-8")
    return path


@pytest.fixture
def tape(run, recorded):
    """The same as a tape."""
    run("import", recorded, "-o", "tapes")
    return Path("tapes/one.tape.jsonl")


def names(folder="."):
    return sorted(path.name for path in Path(folder).iterdir())


def test_a_recording_becomes_a_tape_in_the_current_folder(run, recorded):
    assert run("import", recorded).stdout.splitlines() == [
        "1 tape, 1 change applied, 0 checkpoints matched",
        "  one.tape.jsonl: 4 events, 1 changes",
    ]
    assert names() == ["one.recording.w.json", "one.tape.jsonl"]


def test_import_prints_one_json_document(run, recorded):
    report = json.loads(run("import", recorded, "-o", "out", "--json").stdout)
    assert (report["tapes"], report["changes"], report["files"][0]["tape"]) == (1, 1, "out/one.tape.jsonl")


def test_a_packed_recording_is_read(run, recorded):
    Path("two.recording.w.json.gz").write_bytes(gzip.compress(recorded.read_bytes()))
    run("import", "two.recording.w.json.gz")
    assert "two.tape.jsonl" in names()


def test_a_format_can_be_named(run, recorded):
    run("import", recorded, "--format", "workspaceRecording@1.0", "-o", "out")
    assert "there is no format 'morse'" in run("import", recorded, "--format", "morse", status=2).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["import"], "name the recordings"),
        (["import", "--range", "A..B"], "name the recordings"),
        (["import", "x.json", "--range", "A..B"], "--range is for --from-git"),
        (["import", "x.json", "--seed", "0"], "--seed is for --from-git"),
        (["import", "x.json", "--characters", "9"], "--characters is for --from-git"),
        (["import", "x.json", "--check", "-o", "out"], "--check writes nothing"),
        (["import", "x.json", "--last", "3"], "--last is for --from-git"),
        (["import", "x.json", "--merges", "all"], "--merges is for --from-git"),
        (["import", "--from-git", ".", "--last", "3", "--sample", "3"], "--last and --sample exclude each other"),
        (["import", "--from-git", ".", "--merges", "some"], "choose one of all, first-parent"),
        (["import", "x.json", "--from-git", ".", "--range", "A"], "import files separately"),
        (["import", "--check", "--from-git", ".", "--range", "A"], "--check is for files"),
        (["import", "--from-git", ".", "--range", "A", "--format", "auto2"], "--format is for files"),
        (["import", "--from-git", "nowhere", "--range", "A"], "nowhere"),
        (["export", "nowhere.tape.jsonl", "-o", "out"], "nowhere.tape.jsonl: no such file or folder"),
        (["export", "nowhere", "--to", "papyrus"], "there is no format 'papyrus'"),
    ],
)
def test_words_that_do_not_go_together_are_refused(run, words, said):
    done = run(*words, status=2)
    assert said in done.stderr
    assert done.stdout == ""
    assert names() == []


def test_an_import_says_how_many_tapes_were_set_right(run):
    header = "Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type"
    for name, texts in {"whole": "xx", "missed": "xy", "twice": "xyz"}.items():
        rows = [f'{n},{n},a.py,0,0,"{text}",python,tab' for n, text in enumerate(texts)]
        Path(f"{name}.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    first, *files = run("import", "whole.csv", "missed.csv", "twice.csv").stdout.splitlines()
    assert first.endswith(", 3 gaps of the recorder filled in 2 tapes")
    assert ["filled" in line for line in files] == [False, True, True]
    assert ", 1 gap of the recorder filled" in files[1]
    assert ", 2 gaps of the recorder filled" in files[2]


def test_check_goes_on_behind_a_file_that_is_nested_too_deeply(run, recorded):
    Path("deep.json").write_text('{"log":' + "[" * 50_000 + "]" * 50_000 + "}", encoding="utf-8")
    done = run("import", "--check", "deep.json", recorded, status=1)
    refused, sound = done.stdout.splitlines()
    assert refused.startswith("deep.json: ")
    assert refused.endswith("nested too deeply")
    assert f"{recorded}: ok" in sound


def test_check_gives_each_sound_file_a_line_and_writes_nothing(run, recorded, tape):
    before = names()
    done = run("import", "--check", "tapes", recorded)
    assert done.stdout.splitlines() == [
        f"{tape}: ok, tape, 4 events, 1 documents, 1 changes",
        f"{recorded}: ok, workspaceRecording@1.0, 4 events, 1 documents, 1 changes",
    ]
    assert names() == before


def test_check_names_each_refused_file_with_its_reason_and_ends_with_1(run, recorded, tape):
    lines = tape.read_text(encoding="utf-8").splitlines(keepends=True)
    edit = next(number for number, line in enumerate(lines) if '"edit"' in line)
    Path("bad.tape.jsonl").write_text("".join([*lines[:edit], '{"event":"edit"}\n']), encoding="utf-8")
    Path("bad.json").write_text(json.dumps({"log": [*LOG[:2], LOG[3]]}), encoding="utf-8")
    Path("other.txt").write_text("hello", encoding="utf-8")
    said = run(
        "import", "--check", "bad.tape.jsonl", tape, "bad.json", "gone", "other.txt", status=1
    ).stdout.splitlines()
    assert said[0].startswith(f"bad.tape.jsonl:{edit + 1}: ")
    assert said[1].startswith(f"{tape}: ok")
    assert said[2] == "bad.json: entry 2: document 0 is not open"
    assert said[3].startswith("gone: cannot be read")
    assert said[4].startswith("other.txt: is of no format")
    assert len(said) == 5


def test_check_prints_one_json_document(run, recorded, tape):
    Path("bad.json").write_text(json.dumps({"log": [*LOG[:2], LOG[3]]}), encoding="utf-8")
    report = json.loads(run("import", "--check", tape, "bad.json", "--json", status=1).stdout)
    assert (report["checked"], report["refused"]) == (2, 1)
    assert report["files"][0] == {
        "source": str(tape), "ok": True, "format": "tape", "tapes": 1, "events": 4, "documents": 1, "changes": 1,
    }  # fmt: skip
    assert report["files"][1]["line"] == 2


def test_a_tape_is_told_by_its_first_line_whatever_its_name(run, tape):
    Path("renamed.txt").write_bytes(tape.read_bytes())
    assert run("import", "--check", "renamed.txt").stdout.startswith("renamed.txt: ok, tape")


def test_check_takes_the_named_format_at_its_word(run, tape):
    said = run("import", "--check", tape, "--format", "workspaceRecording@1.0", status=1).stdout
    assert "is no workspaceRecording@1.0" in said


def test_control_characters_of_a_reason_do_not_reach_the_terminal(run):
    Path("bad.json").write_text(json.dumps({"log": [{**HEADER, "documentType": "\x1b[31m"}]}), encoding="utf-8")
    assert "\x1b" not in run("import", "--check", "bad.json", status=1).stdout


def test_import_and_export_give_the_recording_again(run, recorded, tape):
    assert run("export", tape, "-o", "out").stdout.splitlines() == [
        "1 tape exported as workspace-recording",
        "  out/one.recording.w.json: 5 entries of 4 events",
    ]
    assert json.loads(Path("out/one.recording.w.json").read_bytes()) == {"log": LOG}


def test_export_prints_one_json_document(run, tape):
    report = json.loads(run("export", tape, "-o", "out", "--json").stdout)
    file = {"source": str(tape), "file": "out/one.recording.w.json", "events": 4, "entries": 5, "dropped": 0}
    assert report == {"format": "workspace-recording", "tapes": 1, "files": [file]}


def test_export_prints_the_recording_of_one_tape(run, tape):
    done = run("export", tape, "-o", "-")
    assert json.loads(done.stdout) == {"log": LOG}
    run("export", tape, tape, "-o", "-", status=2)
    run("export", tape, "-o", "-", "--json", status=2)
    assert "recordings" not in names()


def test_export_of_one_tape_may_name_its_file(run, tape):
    run("export", tape, "--out", "deep/mine.json")
    assert json.loads(Path("deep/mine.json").read_bytes()) == {"log": LOG}


def test_export_of_several_tapes_into_one_file_is_refused(run, tape):
    done = run("export", tape, tape, "-o", "mine.json", status=2)
    assert "-o mine.json names a file, for 2 tapes: give a folder, as -o mine" in done.stderr


def test_export_takes_folders_of_tapes_and_packed_ones(run, tape):
    Path("tapes/two.tape.jsonl.gz").write_bytes(gzip.compress(tape.read_bytes()))
    run("export", "tapes", "-o", "out")
    assert names("out") == ["one.recording.w.json", "two.recording.w.json"]


def test_a_log_of_lines_is_exported_as_such(run):
    Path("own.workspaceRecording.jsonl").write_text(
        "".join(json.dumps(entry) + "\n" for entry in LOG), encoding="utf-8"
    )
    run("import", "own.workspaceRecording.jsonl")
    run("export", "own.tape.jsonl", "-o", "out")
    lines = Path("out/own.workspaceRecording.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == LOG


@pytest.mark.parametrize("more", [[], ["--json"], ["--force"]])
def test_export_without_a_place_for_the_recordings_writes_nothing(run, tape, more):
    before = names()
    done = run("export", tape, *more, status=2)
    assert "-o FOLDER, or print one recording with -o -" in done.stderr
    assert (done.stdout, names()) == ("", before)


def test_export_replaces_a_file_only_with_force(run, recorded, tape):
    original = recorded.read_bytes()
    assert "exists already" in run("export", tape, "-o", ".", status=2).stderr
    assert recorded.read_bytes() == original
    run("export", tape, "-o", ".", "--force")
    assert recorded.read_bytes() != original
    assert json.loads(recorded.read_bytes()) == {"log": LOG}


def test_export_writes_all_or_nothing(run, tape):
    Path("bad.tape.jsonl").write_text("{}\n", encoding="utf-8")
    assert "bad.tape.jsonl:1: " in run("export", tape, "bad.tape.jsonl", "-o", "out", status=2).stderr
    Path("other").mkdir()
    Path("other/one.tape.jsonl").write_bytes(tape.read_bytes())
    assert "would both become" in run("export", tape, "other", "-o", "out", status=2).stderr
    Path("file").touch()
    assert "cannot be written there" in run("export", tape, "-o", "file/out", status=2).stderr
    assert names() == ["bad.tape.jsonl", "file", "one.recording.w.json", "other", "tapes"]


def test_entries_that_no_longer_fit_are_counted(run, recorded):
    recorded.write_text(json.dumps({"log": [*LOG[:3], {**LOG[3], "more": 1}]}), encoding="utf-8")
    run("import", recorded)
    path = Path("one.tape.jsonl")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"changes":[[0,0,"x"]]', '"changes":[[0,0,"y"]]'), encoding="utf-8")
    done = run("export", path, "-o", "out")
    assert "1 entries no longer fit the tape and are left out" in done.stdout
    assert json.loads(Path("out/one.recording.w.json").read_bytes())["log"][3]["edit"] == [[0, 0, "y"]]


def git(*words):
    author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *words], check=True, capture_output=True)


def test_the_commits_of_a_repository_become_tapes(run, need):
    need("git")
    git("init", "-q", "repo")
    for number, text in enumerate(["x = 1\n", "x = 1\ny = 2\n"]):
        Path("repo/a.py").write_text(text, encoding="utf-8")
        git("-C", "repo", "add", ".")
        git("-C", "repo", "commit", "-q", "-m", str(number))
    words = ["import", "--from-git", "repo", "--range", "HEAD~1..HEAD", "--seed", "7"]
    done = run(*words, "-o", "out")
    first, counts, told = done.stdout.splitlines()
    assert (first, counts) == ("1 tape of repo HEAD~1..HEAD, seed 7", "1 commit: 1 tape")
    assert told.endswith(" min: 1")
    report = json.loads(run(*words, "-o", "again", "--json").stdout)
    assert report["tapes"][0]["typed"] >= 6
    one, other = Path("out") / names("out")[0], Path(report["tapes"][0]["tape"])
    assert one.read_bytes() == other.read_bytes()
    assert tapes.read(one).header.origin == "synthesised"
    done = run(*words, "--characters", "3", "-o", "none", status=1)
    assert "1 commit: 0 tapes; left out: over the limit of characters (1)\n" in done.stdout
    assert "is left out: 6 characters would have to be typed" in done.stdout


def test_the_newest_commits_of_a_repository_are_the_default_and_other_choices_have_flags(run, need):
    need("git")
    git("init", "-q", "repo")
    for number in range(12):
        Path("repo/a.py").write_text(f"x = {number}\n", encoding="utf-8")
        git("-C", "repo", "add", ".")
        git("-C", "repo", "commit", "-q", "-m", f"change \x1b[31m{number}")
    words = ["import", "--from-git", "repo", "-o", "out", "--force"]
    done = run(*words)
    assert done.stdout.startswith("10 tapes of repo HEAD, last 10, seed 0 (the default: choose commits with --range, ")
    assert done.stdout.splitlines()[-1].endswith("change ␛[31m2")

    def found(*flags):
        report = json.loads(run(*words, *flags, "--json").stdout)
        return report["selection"], len(report["tapes"]), report["reasons"]

    assert found("--last", "3") == ("HEAD, last 3", 3, {})
    assert found("--sample", "4", "--seed", "2") == ("HEAD, sample 4", 4, {"undrawn": 8})
    assert found("--author", "a@b", "--since", "2000-01-01") == ("HEAD, since 2000-01-01, by a@b", 12, {})
    assert found("--merges", "first-parent") == ("HEAD, last 10, first parents", 10, {})
    assert "HEAD, by nobody names no commit" in run(*words, "--author", "nobody", status=2).stderr
    many = run(*words, "--sample", "1", "--seed", "2").stdout
    assert "\n12 commits: 1 tape; left out: not in the sample (11)\n" in many
    assert many.endswith("  11 commits are left out; --json lists them\n")
    git("-C", "repo", "mv", "a.py", "b.py")
    git("-C", "repo", "commit", "-q", "-m", "moved")
    assert re.search(r"  [0-9a-f]{10} is left out: only renames: moved\n$", run(*words, "--last", "1").stdout)


@pytest.mark.parametrize(("command", "words"), [("import", ["--check", "--from-git"]), ("export", ["--to", "--force"])])
def test_help_has_examples(run, command, words):
    shown = run(command, "--help").stdout
    assert f"ghosttape {command} " in shown
    assert all(word in shown for word in words)


def test_the_console_script_gives_a_recording_again(here, recorded):
    script = preloaded_script()
    subprocess.run([script, "import", recorded.name], check=True, capture_output=True, timeout=PATIENCE_S)
    words = [script, "export", "one.tape.jsonl", "-o", "-"]
    done = subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE_S)
    assert json.loads(done.stdout) == {"log": LOG}
    assert done.stderr == b""


def test_what_takes_long_says_how_far_it_is():
    shown = Console(file=StringIO(), force_terminal=True, width=100)
    with Waiting(shown, "reading", patience_s=0.0) as bar:
        bar.show("one\x1b.json", 1, 2)
        until_held(lambda: "one␛.json" in shown.file.getvalue())
    assert "reading" in shown.file.getvalue()
    assert "one␛.json" in shown.file.getvalue()
    plain = Console(file=StringIO(), force_terminal=False, width=20)
    with Waiting(plain, "reading", patience_s=0.0) as bar:
        bar.show("a long name of a file.json", 1, 2)
        bar.show("another", 2, 2)
    assert plain.file.getvalue() == "reading: a long name of a file.json\n"


def test_what_is_done_soon_says_nothing():
    for terminal in (True, False):
        console = Console(file=StringIO(), force_terminal=terminal)
        with Waiting(console, "reading") as bar:
            bar.show("one.json", 1, 2)
        assert console.file.getvalue().strip() == ""


def test_check_says_how_the_suggestions_on_a_tape_ended(run, tape):
    ghosts = [
        {"event": "ghost", "t": 200, "doc": 0, "request": 1, "phase": "shown", "offset": 1, "text": " = 1"},
        {"event": "edit", "t": 300, "doc": 0, "changes": [[1, 1, " ="]], "reason": "accept"},
        {"event": "ghost", "t": 300, "doc": 0, "request": 1, "phase": "part", "offset": 1, "text": " ="},
        {"event": "ghost", "t": 400, "doc": 0, "request": 1, "phase": "rejected", "offset": 3},
        {"event": "edit", "t": 500, "doc": 0, "changes": [[1, 3, ""]], "reason": "delete"},
        {"event": "ghost", "t": 600, "doc": 0, "request": 2, "phase": "shown", "offset": 1, "text": "()"},
        {"event": "ghost", "t": 700, "doc": 0, "request": 2, "phase": "rejected", "offset": 1},
    ]
    assisted = Path("assisted.tape.jsonl")
    assisted.write_text(tape.read_text() + "".join(json.dumps(event) + "\n" for event in ghosts))
    said = run("import", "--check", assisted).stdout
    assert "; 2 suggestions: 1 in part, 1 dismissed, 1 piece accepted, 2 accepted characters deleted" in " ".join(
        said.split()
    )
    (told,) = json.loads(run("import", "--check", assisted, "--json").stdout)["files"]
    counts = {name: count for name, count in told["suggestions"].items() if count}
    assert counts == {"shown": 2, "in_part": 1, "dismissed": 1, "pieces": 1, "deleted": 2}
