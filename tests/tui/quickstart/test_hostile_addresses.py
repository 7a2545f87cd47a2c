"""What calls itself the address of a repository is no command, no option, and no way to another folder."""

import asyncio
import hashlib
import re
import subprocess

import pytest

from corpora.history.repository.commits import Repository
from tui.commands.quickstart.repository import local_folder
from tui.errors import ConfigurationError, LackingError, TuiError


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com", *words], check=True)


@pytest.mark.parametrize(
    "address",
    [
        "ext::bash -c touch% sprung",
        "ext::bash% -c% 'touch% sprung'",
        "--upload-pack=touch sprung",
        "-utouch sprung",
        "fd::17",
        "file:///etc",
        "ssh://-oProxyCommand=touch${IFS}sprung/x",
        "-oProxyCommand=touch${IFS}sprung@host:x",
        "-oProxyCommand@host:;touch${IFS}sprung",
        "git://127.0.0.1:1/$(touch${IFS}sprung)",
        "git://127.0.0.1:1/`touch${IFS}sprung`;touch${IFS}sprung",
    ],
)
def test_an_address_is_no_command_and_no_folder_of_the_person(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main", ".")
    (tmp_path / ".ghosttape/clones").mkdir(parents=True)
    with pytest.raises((ConfigurationError, TuiError)):
        asyncio.run(local_folder(address))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".ghosttape", ".git"]
    assert list((tmp_path / ".ghosttape/clones").iterdir()) == []
    assert (tmp_path / ".git/HEAD").read_text() == "ref: refs/heads/main\n"


@pytest.mark.parametrize("address", ["https://..", "https://.git", "https://.", "ssh://a@..", "git://-.."])
def test_an_address_that_names_a_folder_above_the_clones_is_refused(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".ghosttape/clones").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="no address of a repository"):
        asyncio.run(local_folder(address))


def test_a_clone_that_was_broken_off_does_not_lead_git_to_the_repository_of_the_person(tmp_path, monkeypatch):
    """The folder of a clone may be empty, and the one that it lies in may be a clone itself, with an origin to fetch from."""
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main", ".")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")
    before = (tmp_path / ".git/HEAD").read_text()
    name = f"host-x-{hashlib.sha256(b'https://host/x').hexdigest()[:8]}"
    (tmp_path / ".ghosttape/clones" / name).mkdir(parents=True)
    monkeypatch.setattr("tui.commands.quickstart.repository._PROTOCOLS", "file")
    git(tmp_path, "remote", "add", "origin", str(tmp_path))
    with pytest.raises(TuiError, match="not a git repository"):
        asyncio.run(local_folder("https://host/x"))
    assert (tmp_path / ".git/HEAD").read_text() == before
    assert [path.name for path in (tmp_path / ".git/refs/heads").iterdir()] == ["main"]


def test_an_address_that_cannot_be_reached_and_one_of_a_file_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LackingError, match=r"cannot be cloned or fetched: .*unable to connect.*: is the address right"):
        asyncio.run(local_folder("git://127.0.0.1:1/x"))
    with pytest.raises(ConfigurationError, match="name the folder itself, without file://: /src/app"):
        asyncio.run(local_folder("file:///src/app"))


def test_an_address_with_a_helper_of_git_ends_the_command_with_what_it_is(here, tmp_path):
    assert "neither a folder nor the address" in here("try", f"ext::touch {tmp_path}/sprung", status=2).err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", ["https://host/..", "x:..", "../..git", "https://host/$(touch${IFS}sprung).git", "/a/."]
)
def test_the_name_that_a_repository_gives_itself_is_no_way_to_another_folder(url, tmp_path):
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "config", "remote.origin.url", url)
    with Repository(str(tmp_path)) as found:
        assert re.fullmatch(r"[\w.-]*[\w-][\w.-]*", found.name)
