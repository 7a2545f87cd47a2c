"""Which run is meant."""

import os

import pytest

from replay.errors import StoreError
from replay.run.catalogue.changing import delete_run, rename_run, tag_run, untag_run
from replay.run.catalogue.run_entries import entry_of, listed_runs
from replay.run.catalogue.run_lookup import find_run, run_folders, run_name, tags_of
from replay.run.folders import EXPERIMENTS, RUNS
from replay.run.store import Store


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(folder, at, config=None):
    """A run that was written at this second."""
    Store.create(folder, config or {"policy": "blocks"}).close()
    os.utime(folder / "run.sqlite", (at, at))
    return folder


@pytest.fixture
def three(here):
    return [made(RUNS / name, at) for at, name in enumerate(("ada-1", "ada-2", "bob"), 1000)]


def test_a_run_is_found_by_its_folder_its_name_the_beginning_of_it_and_as_the_last(three):
    assert find_run(RUNS / "bob") == find_run("bob") == find_run("b") == find_run("last") == RUNS / "bob"
    assert find_run(RUNS.absolute() / "bob") == RUNS.absolute() / "bob"


def test_a_beginning_that_several_runs_have_is_refused_and_names_them(three):
    with pytest.raises(StoreError, match="'ada' is several runs: ada-1, ada-2"):
        find_run("ada")


def test_a_whole_name_counts_more_than_a_beginning(three):
    made(RUNS / "ada", 1)
    assert find_run("ada") == RUNS / "ada"


def test_where_there_is_none_it_says_what_to_do(here):
    with pytest.raises(StoreError, match="make one with `ghosttape replay demo`"):
        find_run("last")
    with pytest.raises(StoreError, match=r"there is no run 'ada'.*`ghosttape runs` lists all"):
        find_run("ada")
    (here / "notes").mkdir()
    with pytest.raises(StoreError, match=r"holds no run \(there is no run.sqlite in it\)"):
        find_run("notes")


def test_a_folder_without_a_run_hides_no_tag_and_no_run_of_its_name(three, here):
    (here / "bob").mkdir()
    assert find_run("bob") == RUNS / "bob"


def test_a_cell_of_an_experiment_is_found_by_both_names(three):
    cell = made(EXPERIMENTS / "models" / "small", 2000)
    assert find_run("models/small") == cell
    assert run_name(cell) == "models/small"
    assert find_run("last") == cell
    assert [run_name(run) for run in run_folders()] == ["models/small", "ada-1", "ada-2", "bob"]


def test_to_look_at_a_run_or_to_tag_it_does_not_make_it_the_last(three):
    with Store.open(RUNS / "ada-1"):
        tag_run(RUNS / "ada-1", "baseline")
        assert find_run("last") == RUNS / "bob"
    assert find_run("baseline") == RUNS / "ada-1"
    assert find_run("last") == RUNS / "bob"


def test_a_tag_belongs_to_one_run(three):
    assert tag_run(RUNS / "ada-1", "baseline") is None
    assert tag_run(RUNS / "ada-1", "baseline") is None
    assert tag_run(RUNS / "bob", "baseline") == RUNS / "ada-1"
    assert (tags_of(RUNS / "ada-1"), tags_of(RUNS / "bob")) == ((), ("baseline",))
    untag_run(RUNS / "bob", "baseline")
    with pytest.raises(StoreError, match=r"bob has no tag 'baseline' \(its tags: none\)"):
        untag_run(RUNS / "bob", "baseline")


@pytest.mark.parametrize("name", ["last", "", "-x", "a/b", "..", "a b", "x.", "\x1b[1m"])
def test_what_is_a_path_a_flag_or_a_word_of_ours_is_no_name_and_no_tag(three, name):
    for change in (rename_run, tag_run):
        with pytest.raises(StoreError, match="cannot be"):
            change(RUNS / "bob", name)


def test_names_and_tags_do_not_hide_each_other(three):
    with pytest.raises(StoreError, match="'ada-1' is the name of a run"):
        tag_run(RUNS / "bob", "ada-1")
    tag_run(RUNS / "bob", "best")
    with pytest.raises(StoreError, match="'best' is a tag of bob"):
        rename_run(RUNS / "ada-1", "best")


def test_a_renamed_run_is_found_by_its_new_name_alone_and_takes_the_place_of_no_other(three):
    tag_run(RUNS / "bob", "best")
    assert rename_run(RUNS / "bob", "robert") == RUNS / "robert"
    assert find_run("best") == find_run("robert") == find_run("last")
    with pytest.raises(StoreError, match="there is no run 'bob'"):
        find_run("bob")
    with pytest.raises(StoreError, match="is there already"):
        rename_run(RUNS / "ada-1", "ada-2")


def test_a_run_that_is_being_written_is_neither_renamed_nor_deleted(three):
    with Store.open(RUNS / "bob") as store:
        store.lock()
        assert entry_of(RUNS / "bob").state == "being written"
        for change in (delete_run, lambda run: rename_run(run, "robert")):
            with pytest.raises(StoreError, match="bob is being written by another process"):
                change(RUNS / "bob")
        assert find_run("bob")
    delete_run(RUNS / "bob")
    assert not (RUNS / "bob").exists()


def test_a_folder_that_holds_more_than_a_run_is_not_deleted(three):
    (RUNS / "bob" / "thesis.txt").write_text("")
    with pytest.raises(StoreError, match=r"holds more than a run \(thesis.txt\)"):
        delete_run(RUNS / "bob")
    delete_run(RUNS / "bob", force=True)
    assert not (RUNS / "bob").exists()


def test_the_list_has_what_each_run_is_and_a_damaged_one_too(three):
    provider = {"name": "gguf", "model": "/models/small.gguf"}
    made(RUNS / "new", 3000, {"policy": "vscode", "settings": {"provider": provider}})
    with Store.open(RUNS / "new") as store:
        store.put_fact("summary", {"moments": 0, "metrics": {"pass_at_1": {"value": 0.25}}})
    os.utime(RUNS / "new" / "run.sqlite", (3000, 3000))
    (RUNS / "ada-1" / "run.sqlite").write_bytes(b"no database" * 100)
    os.utime(RUNS / "ada-1" / "run.sqlite", (1, 1))
    entries = listed_runs(run_folders())
    assert [(entry.name, entry.state) for entry in entries] == [
        ("new", "finished"),
        ("bob", "stopped"),
        ("ada-2", "stopped"),
        ("ada-1", "unreadable"),
    ]
    new, damaged = entries[0], entries[-1]
    assert (new.provider, new.model, new.what) == ("gguf", "small.gguf", "vscode")
    assert new.pass_at_1 == {"value": 0.25}
    assert new.size > 1000
    assert "the run is damaged" in damaged.problem


def test_a_broken_file_of_tags_is_no_tag(three):
    (RUNS / "bob" / "tags.json").write_text("{")
    assert tags_of(RUNS / "bob") == ()
    tag_run(RUNS / "bob", "best")
    assert find_run("best") == RUNS / "bob"
