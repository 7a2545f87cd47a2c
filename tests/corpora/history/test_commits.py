"""What is read of commits, beside git's own commands for people."""

import subprocess

import pytest

from corpora.errors import HistoryError
from corpora.history.repository.commit_selection import CommitSelection
from corpora.history.repository.commits import Repository


@pytest.fixture
def commits(repo):
    """All commits of the repository, the newest first."""
    return list(Repository(str(repo.path)).walk(CommitSelection()))


def test_patches_are_named_as_git_names_the_difference_to_the_first_parent(repo, commits):
    found = Repository(str(repo.path)).patch_ids(commits)
    assert {repo.shas[name] for name in ("merge", "odd", "renamed")} <= set(found)
    for commit in commits:
        if commit.parents:
            patch = repo.git("diff", "--no-renames", commit.parents[0], commit.sha)
            named = subprocess.run(
                ["git", "patch-id", "--stable"], input=patch, capture_output=True, check=True, env=repo.environment
            )
            assert found.get(commit.sha, "") == named.stdout.decode().partition(" ")[0]


@pytest.mark.parametrize("alike", [50, 100])
def test_changed_files_are_those_that_git_shows(repo, commits, alike):
    found = Repository(str(repo.path)).changes(commits, alike)
    assert list(found) == [commit.sha for commit in commits]
    for commit in commits:
        if commit.parents:
            said = repo.git("diff", "--name-status", "-z", f"-M{alike}%", commit.parents[0], commit.sha).decode()
            told = [[each.status, each.before, *[each.after] * (each.status == "R")] for each in found[commit.sha]]
            fields = iter(said.split("\0")[:-1])
            assert sorted(told) == sorted(
                [one[0], next(fields), *[next(fields) for _ in range(one[0] == "R")]] for one in fields
            )
    renamed = {each.after: each.status for each in found[repo.shas["renamed"]]}
    assert renamed["README.rst"] == "R"
    assert renamed["src/shapes/plane.py"] == ("R" if alike == 50 else "A")


def test_the_first_commit_has_all_its_files_and_an_empty_one_none(repo, commits):
    found = Repository(str(repo.path)).changes(commits)
    assert {each.after for each in found[repo.shas["first"]]} == set(repo.first) | {"link"}
    assert {each.mode for each in found[repo.shas["module"]]} == {"160000"}


def test_a_clone_that_lacks_trees_or_texts_is_refused(repo, commits, tmp_path):
    repo.git("config", "uploadpack.allowFilter", "true")
    for name in ("tree:0", "blob:none"):
        clone = tmp_path / name.replace(":", "-")
        repo.git("clone", "-q", "--no-checkout", f"--filter={name}", repo.path.as_uri(), str(clone))
    for name, alike in (("tree-0", 100), ("tree-0", 50), ("blob-none", 50)):
        with pytest.raises(HistoryError, match="lacks an object"):
            Repository(str(tmp_path / name)).changes(commits, alike)
    for name in ("tree-0", "blob-none"):
        with pytest.raises(HistoryError, match="lacks an object"):
            Repository(str(tmp_path / name)).patch_ids(commits)
    without_texts = Repository(str(tmp_path / "blob-none")).changes(commits, 100)
    assert without_texts == Repository(str(repo.path)).changes(commits, 100)
