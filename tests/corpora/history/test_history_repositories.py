"""Repositories that are odd, incomplete or hostile, as history is imported from them."""

import os
import subprocess

import pytest

from corpora.errors import HistoryError
from replay.judge.tape_project import starting_files
from replay.tapes import tape
from tests.support.history_requests import imported_tapes


def test_a_file_that_is_too_large_is_left_out(make_repo, tmp_path):
    large = make_repo(tmp_path / "large")
    large.commit("first", {"a.py": "a = 1\n", "large.txt": "x" * 300_000})
    large.commit("second", {"a.py": "a = 2\n", "large.txt": "y" * 300_000, "vendor/b.py": "b\n", "c.min.js": "c\n"})
    report = imported_tapes(large.path, "HEAD", 1, tmp_path / "out")
    assert {each.path: each.reason for each in report.tapes[0].left_out} == {
        "large.txt": "over 256 KiB",
        "vendor/b.py": "generated or vendored",
        "c.min.js": "generated or vendored",
    }
    made = tape.read(tmp_path / "out" / report.tapes[0].tape)
    assert starting_files(made) == {"vendor/b.py": "b\n", "c.min.js": "c\n"}


def test_a_large_header_belongs_to_the_project(make_repo, tmp_path):
    repo = make_repo(tmp_path / "headers")
    header = "// x\n" * 60_000
    repo.commit("first", {"a.py": "a = 1\n", "doctest.hpp": header, "large.h": "x" * 1_050_000})
    repo.commit("second", {"a.py": "a = 2\n"})
    report = imported_tapes(repo.path, "HEAD", 1, tmp_path / "out")
    assert starting_files(tape.read(tmp_path / "out" / report.tapes[0].tape)) == {"doctest.hpp": header}
    assert report.tapes[0].lacking == {"over 1024 KiB": 1}


def test_paths_that_a_tape_cannot_hold_are_left_out(make_repo, tmp_path):
    odd = make_repo(tmp_path / "odd")
    odd.commit("first", {"a.py": "a = 1\n"})
    (odd.path / os.fsdecode(b"caf\xe9.py")).write_text("b = 1\n", encoding="utf-8")
    odd.commit("second", {"a.py": "a = 2\n", "back\\slash.py": "c = 1\n"})
    report = imported_tapes(odd.path, "HEAD", 1, tmp_path / "out")
    [typed] = report.tapes
    assert {each.path: each.reason for each in typed.left_out} == {
        "caf\ufffd.py": "a path that a tape cannot hold",
        "back\\slash.py": "a path that a tape cannot hold",
    }
    assert typed.lacking == {"a path that a tape cannot hold": 2}
    assert starting_files(tape.read(tmp_path / "out" / typed.tape)) == {}


@pytest.mark.parametrize(
    ("revisions", "said"),
    [
        ("nowhere..HEAD", "nowhere"),
        ("HEAD..HEAD~1", "names no commit: is the older revision on the left"),
        ("--all", "rev-list.* says"),
    ],
)
def test_a_range_that_is_not_there_is_named(repo, tmp_path, revisions, said):
    with pytest.raises(HistoryError, match=said):
        imported_tapes(repo.path, revisions, 1, tmp_path)


def test_what_is_no_repository_is_named(tmp_path):
    with pytest.raises(HistoryError, match="no such folder"):
        imported_tapes(tmp_path / "none", "HEAD", 1, tmp_path)
    with pytest.raises(HistoryError, match="not a git repository"):
        imported_tapes(tmp_path, "HEAD", 1, tmp_path)


def test_a_folder_that_cannot_be_written_is_named(repo, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HistoryError, match="cannot be written"):
        imported_tapes(repo.path, "HEAD", 1, tmp_path / "file")


def test_a_shallow_clone_is_refused_where_a_parent_lacks_and_read_where_not(repo, tmp_path):
    repo.git("clone", "-q", "--depth", "2", repo.path.as_uri(), str(tmp_path / "shallow"))
    with pytest.raises(HistoryError, match="git fetch --unshallow"):
        imported_tapes(tmp_path / "shallow", "HEAD~1", 1, tmp_path / "out")
    report = imported_tapes(tmp_path / "shallow", "HEAD~1..HEAD", 1, tmp_path / "out")
    assert [each.commit for each in report.tapes] == [repo.shas["prose 2"]]
    assert report.repository == "shapes"


def test_a_partial_clone_is_refused_and_nothing_is_fetched(repo, tmp_path):
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", repo.path.as_uri(), str(clone))
    with pytest.raises(HistoryError, match="git fetch --refetch --no-filter"):
        imported_tapes(clone, "HEAD~1..HEAD", 1, tmp_path / "out")


def test_a_clone_that_lacks_a_blob_is_refused_with_its_name(make_repo, tmp_path):
    damaged = make_repo(tmp_path / "damaged")
    damaged.commit("first", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    damaged.commit("second", {"a.py": "a = 2\n"})
    blob = damaged.git("rev-parse", "HEAD:b.py").decode().strip()
    (damaged.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(HistoryError, match=rf"lacks an object.*\({blob[:10]} is missing\)"):
        imported_tapes(damaged.path, "HEAD", 1, tmp_path / "out")


def test_nothing_of_the_repository_is_run(repo, tmp_path):
    marker = tmp_path / "ran"
    clone = tmp_path / "clone"
    repo.git("clone", "-q", repo.path.as_uri(), str(clone))
    for name in ("diff.external", "core.fsmonitor", "filter.x.smudge", "diff.x.textconv"):
        subprocess.run(["git", "config", name, f"touch {marker}"], cwd=clone, env=repo.environment, check=True)
    (clone / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n", encoding="utf-8")
    assert imported_tapes(clone, "HEAD", 1, tmp_path / "out").tapes
    assert not marker.exists()
