"""What is tried is called as the folder that a person named, whatever its origin is; a clone of an address as its last part."""

from corpora.history import CommitSelection
from corpora.history.history_import import typed_commits
from corpora.history.repository.commits import Repository
from corpora.history.request import HistoryRequest
from tests.support.small_repository import CODE, FILES, commit, git
from tui.commands.quickstart.repository import name_of


def made(folder, origin):
    folder.mkdir(parents=True)
    git(folder, "init", "-q", ".")
    git(folder, "remote", "add", "origin", origin)
    commit(folder, FILES, "tests")
    commit(folder, {"shapes.py": CODE}, "area")
    return folder


def test_a_folder_that_is_named_gives_the_name_and_that_of_its_tapes(tmp_path):
    folder = made(tmp_path / "all fail", "https://host/small")
    with Repository(str(folder), name_of(str(folder), folder)) as repository:
        assert repository.name == "all-fail"
    request = HistoryRequest(str(folder), tmp_path / "tapes", CommitSelection(last=1), name=name_of(".", folder))
    (tape,) = typed_commits(request)
    assert tape.tape.startswith(f"{tmp_path}/tapes/all-fail-")


def test_a_clone_of_an_address_is_called_as_its_last_part(tmp_path):
    folder = made(tmp_path / "host-small-1a2b3c4d", "https://host/small.git")
    with Repository(str(folder), name_of("https://host/small.git", folder)) as repository:
        assert repository.name == "small"
