"""Where runs are kept: git passes over it, and a folder that is in use for something else is refused."""

import subprocess

import pytest

from replay.errors import StoreError
from replay.run.folders import RUNS, make_folder
from replay.run.store import Store


def test_git_passes_over_a_folder_of_ghosttape_from_its_first_run_on(tmp_path):
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    Store.create(tmp_path / RUNS / "one", {}).close()
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, check=True, capture_output=True)
    assert status.stdout == b""


def test_one_that_is_there_stays_as_it_is_and_no_other_folder_gets_a_file(tmp_path):
    (tmp_path / ".ghosttape").mkdir()
    make_folder(tmp_path / RUNS)
    make_folder(tmp_path / "runs" / "one")
    assert not list(tmp_path.rglob(".gitignore"))


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(tmp_path):
    (tmp_path / "test_one.py").write_text("")
    for begun in (Store.create, Store.continued):
        with pytest.raises(
            StoreError, match=r"holds no run, but something else \(test_one\.py\): choose another --out"
        ):
            begun(tmp_path, {})
    assert [each.name for each in tmp_path.iterdir()] == ["test_one.py"]


def test_an_empty_folder_and_one_with_the_rest_of_a_run_are_taken(tmp_path):
    Store.continued(tmp_path, {}).close()
    for file in tmp_path.glob("run.sqlite*"):
        file.unlink()
    (tmp_path / "live.jsonl").write_text("")
    Store.continued(tmp_path, {}).close()
    assert (tmp_path / "run.sqlite").exists()
