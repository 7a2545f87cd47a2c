"""A `ghosttape.toml` counts for the repository that it is of, and for no other."""

from contextlib import nullcontext

import pytest

from corpora.history.repository.commits import Repository
from tests.support.small_repository import commit, git
from tui.commands.options.configuration import parsed_file
from tui.commands.quickstart.quickstart import file_tests, refuse_other_file
from tui.errors import ConfigurationError

SAYS = '[tests]\ncommand = "make {}"\n'


@pytest.fixture
def app(tmp_path):
    """A repository with a file of its own in its commit."""
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    commit(folder, {"ghosttape.toml": SAYS.format("committed"), "sub/a.py": ""}, "first")
    return folder


@pytest.fixture
def found_by(monkeypatch):
    """What counts for a repository, named from a folder with or without a file."""

    def find(current, folder, text="", named=None):
        monkeypatch.chdir(current)
        if text:
            (current / "ghosttape.toml").write_text(text)
        with Repository(str(folder)) as repository:
            return file_tests(named or str(folder), folder, repository)

    return find


def command(found):
    return found.tests.command if found.tests else None


def test_the_repositorys_own_file_counts_as_it_lies_there(found_by, app, tmp_path):
    found = found_by(tmp_path, app)
    assert (command(found), found.where, found.ignored) == ("make committed", str(app / "ghosttape.toml"), False)
    (app / "ghosttape.toml").write_text(SAYS.format("changed"))
    assert command(found_by(tmp_path, app)) == "make changed"


def test_a_file_in_another_folder_counts_only_if_it_was_written_for_the_repository(found_by, app, tmp_path):
    found = found_by(tmp_path, app, SAYS.format("other"))
    assert (command(found), found.ignored, found.repository) == ("make committed", True, str(app))
    found = found_by(tmp_path, app, f'repository = "{app}"\n{SAYS.format("saved")}')
    assert (command(found), found.where) == ("make saved", "ghosttape.toml")
    assert found_by(tmp_path, app, f'repository = "{app}2"\n{SAYS.format("saved")}').ignored


def test_a_file_within_the_repository_counts_unless_it_was_written_for_another(found_by, app):
    found = found_by(app / "sub", app, SAYS.format("inner"))
    assert (command(found), found.where, found.repository) == ("make inner", "ghosttape.toml", "")
    found = found_by(app / "sub", app, f'repository = "https://host/x"\n{SAYS.format("other")}')
    assert (command(found), found.ignored) == ("make committed", True)


def test_of_a_clone_the_newest_commit_is_read_and_its_address_is_what_a_saved_file_names(found_by, app, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(app), "clone")
    found = found_by(tmp_path, tmp_path / "clone", named="https://host/app")
    assert (command(found), found.where, found.repository) == ("make committed", "ghosttape.toml of app", "https://host/app")  # fmt: skip
    saved = f'repository = "https://host/app"\n{SAYS.format("saved")}'
    assert command(found_by(tmp_path, tmp_path / "clone", saved, named="https://host/app")) == "make saved"


def test_a_repository_without_a_file_says_nothing(found_by, app, tmp_path):
    (app / "ghosttape.toml").unlink()
    found = found_by(tmp_path, app)
    assert (found.tests, found.where) == (None, "")


@pytest.mark.parametrize("text", ["[tests", "[tests]\ncommand = 1", "[tests]\nnetwork = true", '[tests]\ntoolchain = "x"'])  # fmt: skip
def test_a_malformed_file_is_named(found_by, app, tmp_path, text):
    (app / "ghosttape.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=str(app / "ghosttape.toml")):
        found_by(tmp_path, app)


def test_what_cannot_be_saved_is_refused_before_anything_is_tried(found_by, app, tmp_path):
    whole = f'repository = "{app}"\n[tests]\ntoolchain = "none"\ncommand = "make"\ntimeout_s = 30.0\n'
    refuse_other_file(found_by(tmp_path, app), {})
    refuse_other_file(found_by(tmp_path, app, whole), {"command": "make"})
    for text, over in (
        (whole, {"command": "other"}),
        (f'repository = "{app}"\n{SAYS}', {}),
        (whole.replace(str(app), "x"), {}),
    ):
        with pytest.raises(ConfigurationError, match=r"--save would write ghosttape\.toml, which is there already"):
            refuse_other_file(found_by(tmp_path, app, text), over)


@pytest.mark.parametrize(
    ("named", "other"), [("", False), ("{app}", False), ("https://host/app", True), ("{app}2", True)]
)
def test_a_file_that_was_written_for_another_repository_does_not_count_when_one_is_mined(app, named, other):
    says = f'repository = "{named.format(app=app)}"\n{SAYS.format("saved")}'
    assert parsed_file(says.encode(), "ghosttape.toml").is_of_another(app) is other


@pytest.mark.parametrize(
    ("also", "refused"), [((), False), (("attrs>=23",), False), (("pytest",), True), (("freezegun",), True)]
)
def test_packages_that_a_flag_adds_to_a_saved_file_are_refused_too(found_by, app, tmp_path, also, refused):
    """One that stands there last, in the same words, is what would be written again."""
    whole = f'repository = "{app}"\n[tests]\ntoolchain = "none"\ncommand = "make"\ntimeout_s = 30.0\nrequires = ["pytest", "attrs>=23"]\n'
    found = found_by(tmp_path, app, whole)
    with pytest.raises(ConfigurationError, match="--save would write") if refused else nullcontext():
        refuse_other_file(found, {}, also)
