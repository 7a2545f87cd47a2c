"""`ghosttape try` on small repositories, in this process."""

import base64
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.small_repository import CODE, FILES, MORE, ORACLE, TEST, commit, git

PATIENT = ("--test-timeout", "600")
"""A busy machine has the time that it needs to install what tests require."""


@pytest.fixture
def repository(tmp_path):
    """A repository in which a function was written in its second commit."""
    folder = tmp_path / "shapes"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    commit(folder, FILES, "tests")
    commit(folder, {"shapes.py": CODE}, "area")
    return folder


@pytest.fixture
def environment(cache, need):
    need("bwrap", "git")
    return {"GHOSTTAPE_CACHE": str(cache)}


@pytest.fixture
def try_(ghosttape_here, tmp_path, environment):
    def run(*words, status=0, folder=tmp_path):
        return ghosttape_here(folder, "try", *words, *ORACLE, *PATIENT, status=status, env=environment)

    return run


def test_a_repository_that_passes_is_replayed_with_what_is_taken_for_granted_and_saved(try_, repository, tmp_path):
    outcome = try_(repository, "--last", "1", "--limit", "1", "--save", "--json")
    assert outcome.json["verdicts"] == {"passed": 1}
    assert "1 test passes at " in outcome.err
    for hint in ("(change it with --test-command)", "(change it with --requires)", "(choose with --last"):
        assert hint in outcome.err
    file = tmp_path / "ghosttape.toml"
    text = file.read_text()
    assert "# - its tests are run by: python -m pytest" in text
    changed = text.replace("python -m pytest -q", "python -m pytest -q --strict-markers")
    file.write_text(changed)
    again = try_(repository, "--last", "1", "--limit", "1", "--save")
    assert "trying: python -m pytest -q --strict-markers" in again.err
    assert (
        "- its tests are run by: python -m pytest -q --strict-markers -p no:cacheprovider (as ghosttape.toml says)"
        in again.err
    )
    assert file.read_text() == changed


def test_a_file_of_another_project_does_not_count_and_none_is_saved_over_it(try_, repository, tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[tests]\ncommand = "false"\n')
    outcome = try_(repository, "--limit", "1", "--json")
    assert "[tests] of ghosttape.toml in the current folder does not count: it is not of this repository" in outcome.err
    assert outcome.json["verdicts"] == {"passed": 1}
    refused = try_(repository, "--save", status=2).err
    assert "--save would write ghosttape.toml, which is there already" in refused
    assert "trying" not in refused


def test_where_the_newest_tests_fail_sessions_begin_at_the_nearest_commit_that_passes(try_, repository):
    good = git(repository, "rev-parse", "HEAD")
    bad = commit(repository, {"shapes.py": CODE.replace("*", "+") + "\n\n" + MORE, "tests/test_more.py": TEST.replace("6", "7"), "tests/test_one.py": "def test_one():\n    pass\n"}, "broken")  # fmt: skip
    outcome = try_(repository, "--limit", "1", "--json")
    assert f"its tests fail at {bad[:10]}, and pass at {good[:10]}" in outcome.err
    assert outcome.json["verdicts"] == {"passed": 1}
    assert f"- {good[:10]} area" in outcome.err
    assert f"- {bad[:10]}" not in outcome.err


def test_a_folder_that_is_no_repository_is_said(try_, tmp_path):
    (tmp_path / "plain").mkdir()
    assert "is no git repository" in try_(tmp_path / "plain", status=2).err
    assert "neither a folder nor the address" in try_(tmp_path / "none", status=2).err


def test_a_repository_without_a_commit_or_without_code_is_said(try_, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    assert "no commit" in try_(folder, status=2).err
    commit(folder, {"README.md": "# Shapes\n"}, "readme")
    assert "no commit of HEAD has code to type" in try_(folder, status=2).err
    assert "HEAD, by nobody names no commit" in try_(folder, "--author", "nobody", status=2).err


def test_without_walls_nothing_of_the_repository_runs_unless_the_command_is_said(try_, repository, tmp_path):
    commit(repository, {"conftest.py": f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"}, "trap")
    assert "--sandbox none would run the commands" in try_(repository, "--sandbox", "none", status=2).err
    assert not (tmp_path / "ran").exists()


def test_a_way_that_failed_is_not_tried_again_for_the_same_commit_unless_that_is_asked(try_, repository):
    failing = {"tests/test_shapes.py": TEST.replace("6", "7"), "shapes.py": CODE + "\n\n" + MORE}
    commit(repository, failing, "x")
    words, again = (repository, "--range", "HEAD~1..HEAD"), "--try-again tries them"
    first, second = try_(*words, status=2).err, try_(*words, status=2).err
    assert ("did not work before" in first, again in first) == (False, False)
    assert ("did not work before" in second, again in second) == (True, True)
    assert "did not work before" not in try_(*words, "--try-again", status=2).err
    commit(
        repository,
        {"tests/test_shapes.py": TEST, "shapes.py": CODE + "\n\n" + MORE + "\n\n" + MORE.replace("edge", "rim")},
        "mended",
    )
    assert "1 test passes at" in try_(*words).err


class Private(SimpleHTTPRequestHandler):
    """Serves files to whoever has user and password."""

    def do_GET(self):
        sent = base64.b64encode(b"ada:ghp_SECRETTOKEN").decode()
        if self.headers["Authorization"] == f"Basic {sent}":
            return super().do_GET()
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def log_message(self, *_):
        pass


@contextmanager
def private(folder):
    """A server of the repositories in a folder; gives its host and port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Private, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_user_and_password_of_an_address_are_neither_shown_nor_written(try_, repository, tmp_path, environment):
    git(tmp_path, "clone", "-q", "--bare", str(repository), "served/shapes.git")
    git(tmp_path / "served/shapes.git", "update-server-info")
    folder = tmp_path / "here"
    folder.mkdir()
    with private(tmp_path / "served") as host:
        address = f"http://ada:ghp_SECRETTOKEN@{host}/shapes.git"
        words = ("--last", "1", "--limit", "1", "--json")
        said = [
            try_(address, *words, "--save", folder=folder),
            try_(address, *words, folder=folder),
            try_(address.replace("shapes", "none"), *words, folder=folder, status=2),
            try_(address.replace("ada:", ""), *words, folder=folder, status=2),
        ]
    assert said[0].json["verdicts"] == {"passed": 1}
    assert "(as ghosttape.toml says)" in said[1].err
    assert f'repository = "http://{host}/shapes.git"' in (folder / "ghosttape.toml").read_text()
    assert f"http://{host}/none.git cannot be cloned" in said[2].err
    assert "SECRET" not in "".join(each.out + each.err for each in said)
    files = [path for place in (folder, Path(environment["GHOSTTAPE_CACHE"])) for path in place.rglob("*")]
    assert not [path for path in files if "SECRET" in path.name]
    assert not [path for path in files if path.is_file() and b"ghp_SECRETTOKEN" in path.read_bytes()]
    assert len(list(folder.glob(".ghosttape/clones/*"))) == 1


def test_files_that_are_no_text_links_and_programs_are_there_for_the_tests(try_, repository, tmp_path):
    test = "import os\nimport pathlib\nimport subprocess\n\nHERE = pathlib.Path(__file__).parent\n\n\ndef test_all():\n    assert (HERE / 'data.bin').read_bytes() == bytes([255, 0])\n    assert os.readlink(HERE / 'led') == 'data.bin'\n    assert not os.path.lexists(HERE / 'out')\n    assert subprocess.check_output([HERE / 'run.sh']) == b'ran\\n'\n"
    tests = repository / "tests"
    (tests / "data.bin").write_bytes(b"\xff\x00")
    (tests / "led").symlink_to("data.bin")
    (tests / "out").symlink_to("/etc/passwd")
    (tests / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tests / "run.sh").chmod(0o755)
    commit(
        repository,
        {"tests/test_files.py": test, "shapes.py": CODE.replace("return", "size =") + "    return size\n"},
        "files",
    )
    outcome = try_(repository, "--last", "1", "--limit", "1", "--json")
    assert "2 tests pass at " in outcome.err
    assert outcome.json["verdicts"] == {"passed": 1}
    assert len(list(tmp_path.glob(".ghosttape/try/shapes/tapes-*/blobs/*"))) == 1


def test_where_no_interpreter_fits_one_sentence_says_which_is_wanted_and_nothing_is_installed(
    ghosttape_here, try_, repository, environment, tmp_path
):
    wanted = FILES["pyproject.toml"] + 'requires-python = ">=3.30"\n'
    commit(repository, {"pyproject.toml": wanted, "shapes.py": CODE + "\n\n" + MORE}, "newer")
    alone = environment | {"GHOSTTAPE_CACHE": str(tmp_path / "cache")}  # the usual cache is that of all tests
    lines = ghosttape_here(tmp_path, "try", repository, *ORACLE, status=3, env=alone).err.splitlines()
    said = "ghosttape: shapes cannot be tested here: Python 3.30 is not installed here: get it with `uv python install 3.30` or `pyenv install 3.30` (it is for >=3.30: pyproject.toml [project] requires-python); --toolchain names another version"
    assert lines[-1] == said
    assert not any("installing" in line or "did not work" in line for line in lines)
    assert list((tmp_path / "cache").glob("layers/python/*")) == []
    assert try_(repository, "--toolchain", "python", "--limit", "1", "--json").json["verdicts"] == {"passed": 1}
