"""`ghosttape runs`, and runs by name in other commands."""

import io
import json
import time

import pytest
from rich.console import Console
from typer.testing import CliRunner

from replay.records import Ending, Moment, Record, Verdict
from replay.run.folders import RUNS
from replay.run.store import Store
from tui.cli.app import app
from tui.tables.runs_table import age_words, runs_table, size_words


def invoked(*words, status=0, **options):
    done = CliRunner().invoke(app, list(words), **options)
    assert done.exit_code == status, done.output
    return done


def record(at):
    moment = Moment(
        tape="small",
        event=at,
        path="a.py",
        language="python",
        offset=at,
        line=0,
        character=at,
        t=0.0,
        hole=f"a.py:{at}",
    )
    return Record(moment=moment, ending=Ending("shown"), verdict=Verdict(name="passed"))


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        with Store.create(RUNS / name, {"policy": "blocks", "sources": {"small": "1"}}) as store:
            store.put_all(map(record, range(12)))
    return tmp_path


def test_the_list_is_a_document_too(runs):
    invoked("runs", "tag", "one", "baseline")
    found = json.loads(invoked("runs", "--json").stdout)["runs"]
    assert {run["name"] for run in found} == {"one", "two"}
    assert all((run["moments"], run["state"]) == (12, "stopped") for run in found)
    assert [run["name"] for run in json.loads(invoked("runs", "--tag", "baseline", "--json").stdout)["runs"]] == ["one"]
    assert "baseline" in invoked("runs").stdout


def test_every_command_that_takes_a_run_takes_its_name_and_its_tag(runs):
    invoked("runs", "tag", "one", "baseline")
    assert json.loads(invoked("compare", "baseline", "two", "--json").stdout)
    assert len(invoked("records", "baseline").stdout.splitlines()) == 12
    assert "needs a terminal" in invoked("tui", "baseline", status=2).stderr
    assert "there is no run 'three'" in invoked("tui", "three", status=2).stderr


def test_a_run_that_was_stopped_has_no_table_and_says_how_it_goes_on(runs):
    said = invoked("runs", "show", "one", status=2).stderr
    assert "was stopped before its end" in said
    assert "12 moments" in said
    assert f"--out {RUNS / 'one'} goes on" in said


def test_nothing_is_deleted_without_a_yes(runs):
    assert "nobody can be asked" in invoked("runs", "delete", "one", status=2).stderr
    assert (RUNS / "one").exists()
    invoked("runs", "delete", "one", "two", "--yes")
    assert not (RUNS / "one").exists()
    assert "There is no such run" in invoked("runs").stderr


def test_of_several_runs_none_is_deleted_where_one_is_being_written(runs):
    with Store.open(RUNS / "two") as store:
        store.lock()
        assert "two is being written" in invoked("runs", "delete", "one", "two", "--yes", status=2).stderr
    assert (RUNS / "one").exists()


def test_a_renamed_run_and_a_tag_that_moves_are_named(runs):
    assert invoked("runs", "rename", "one", "first").stdout.strip() == str(RUNS / "first")
    assert invoked("runs", "tag", "first", "best").stdout == "first has the tag best\n"
    assert invoked("runs", "tag", "two", "best").stdout == "two has the tag best, and first no more\n"
    invoked("runs", "untag", "two", "best")
    assert "has no tag" in invoked("runs", "untag", "two", "best", status=2).stderr


def test_in_80_columns_no_number_is_cut_whatever_the_names():
    entry = {
        "name": "x" * 90,
        "tags": ["y" * 30, "\x1b[31mred"],
        "written": 0.0,
        "size": 123_456_789,
        "state": "being written",
        "provider": "openai",
        "model": "m" * 80,
        "what": "w" * 80,
        "moments": 123_456,
        "pass_at_1": {"value": 1.0, "low": 0.99, "high": 1.0},
        "problem": "",
    }
    console = Console(width=80, file=io.StringIO())
    console.print(runs_table([entry, {**entry, "pass_at_1": {}, "problem": "is damaged"}], time.time()))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("123,456") == 2
    assert "being written" in " ".join(text.split())
    assert "100 %" in text
    assert "is damaged" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 s"), (59, "59 s"), (61, "1 min"), (7200, "2 h"), (90_000, "25 h"), (200_000, "2 days")],
)
def test_an_age_is_one_number(seconds, words):
    assert age_words(seconds) == words


@pytest.mark.parametrize(("size", "words"), [(0, "0 B"), (999, "999 B"), (1_400, "1.4 kB"), (2_000_000, "2.0 MB")])
def test_a_size_is_one_number(size, words):
    assert size_words(size) == words


def test_a_merged_run_has_a_name_that_a_run_can_have(runs):
    for name in ("last", "a b", "."):
        assert "cannot be a name of a run" in invoked("runs", "merge", name, "one", "two", status=2).stderr


def test_the_folder_that_one_is_in_is_deleted_whole(runs, monkeypatch):
    monkeypatch.chdir(RUNS / "one")
    invoked("runs", "delete", ".", "--yes")
    assert not (runs / RUNS / "one").exists()
