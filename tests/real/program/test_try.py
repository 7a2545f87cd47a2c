"""`ghosttape try` on small repositories, from the console script."""

import os
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import suppress

import pytest

from replay.errors import StoreError
from replay.run.store import Store
from tests.support.places import SCRIPT
from tests.support.small_repository import CODE, FILES, MORE, ORACLE, TEST, commit, git


def records_in(runs):
    """How many moments the one run in a folder has finished."""
    with suppress(StoreError, sqlite3.Error, StopIteration), Store.open(next(runs.iterdir())) as store:
        return sum(1 for _ in store.records())
    return 0


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
def try_(ghosttape_in, tmp_path, environment):
    def run(*words, status=0, folder=tmp_path):
        return ghosttape_in(folder, "try", *words, *ORACLE, status=status, env=environment)

    return run


def test_a_run_that_is_stopped_by_ctrl_c_goes_on_by_the_same_command(try_, repository, tmp_path, environment):
    for number in range(3):
        body = "".join(
            f"\n\ndef more_{number}_{each}(a):\n    size = a + {each}\n    return size\n" for each in range(6)
        )
        tests = "".join(f"\n\ndef test_{number}_{each}():\n    from shapes import more_{number}_{each} as more\n\n    assert more(1) == {each + 1}\n" for each in range(6))  # fmt: skip
        file, test = repository / "shapes.py", repository / "tests/test_shapes.py"
        commit(
            repository,
            {"shapes.py": file.read_text() + body, "tests/test_shapes.py": test.read_text() + tests},
            f"{number}",
        )
    words = ["try", str(repository), *ORACLE, "--last", "3", "--limit", "4", "--json"]
    process = subprocess.Popen([SCRIPT, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})  # fmt: skip
    runs = tmp_path / ".ghosttape/runs"
    while process.poll() is None and not (runs.is_dir() and records_in(runs)):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    assert "the same command goes on from there" in err
    assert 0 < records_in(runs) < 12
    folders = [path.name for path in runs.iterdir()]
    whole = try_(*words[1:2], *words[6:]).json
    assert [path.name for path in runs.iterdir()] == folders
    assert whole["moments"] == 12
    assert whole["verdicts"] == {"passed": 12}
    again = try_(*words[1:2], *words[6:])
    assert "this run is complete (12 moments, 20" in again.err
    assert "shown again: --out DIR makes another" in again.err
    assert again.json == whole
    assert "the language server starts" not in again.err
    clustered = try_(*words[1:2], *words[6:], "--cluster-by", "tape")
    assert "this run is complete" not in clustered.err
    assert clustered.json["cluster_by"] == "tape"


def test_slow_tests_are_told_so_and_given_longer(try_, repository):
    commit(repository, {"tests/test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(3)\n"}, "slow")
    commit(repository, {"shapes.py": CODE + "\n\n" + MORE}, "edge")
    words = (repository, "--last", "1", "--limit", "1")
    told = try_(*words, "--test-timeout", "1", status=2).err
    assert "the tests take longer than 1 s" in told
    assert "--test-timeout SECONDS" in told
    assert "2 tests pass at" in try_(*words, "--test-timeout", "20").err


def test_a_repository_is_cloned_from_its_address_and_fetched_the_next_time(try_, repository, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    command = ["git", "daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", f"--base-path={repository.parent}", str(repository.parent)]  # fmt: skip
    daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        address = f"git://127.0.0.1:{port}/shapes"
        first = try_(address, "--last", "1", "--limit", "1", "--json")
        assert first.json["verdicts"] == {"passed": 1}
        newer = commit(repository, {"README.md": "", "shapes.py": CODE + "\n\n" + MORE}, "edge")
        assert f"- {newer[:10]} edge" in try_(address, "--last", "1", "--limit", "1", "--json").err
    finally:
        daemon.terminate()
        daemon.wait()


def test_the_older_commit_is_tried_in_the_way_that_was_mended_for_the_newest(try_, repository):
    """The tests need a package that a file names and none imports, so the way without it fails first, at each commit."""
    group = FILES["pyproject.toml"] + "[dependency-groups]\ntest = ['attrs>=23']\n"
    needing = "import importlib\n\n\ndef test_attr():\n    importlib.import_module('attr')\n"
    shapes = CODE.replace("return", "size =") + "    return size\n"
    good = commit(repository, {"pyproject.toml": group, "tests/test_attr.py": needing, "shapes.py": shapes}, "size")
    broken = {"shapes.py": shapes.replace("*", "+") + "\n\n" + MORE, "tests/test_more.py": TEST.replace("6", "7")}  # fmt: skip
    bad = commit(repository, broken, "broken")
    words = (repository, "--last", "1", "--limit", "1", "--json")
    outcome = try_(*words)
    assert f"its tests fail at {bad[:10]}, and pass at {good[:10]}" in outcome.err
    assert "installed, as tests ask for it: attrs>=23" in outcome.err
    assert outcome.json["verdicts"] == {"passed": 1}
    after = outcome.err.partition(f"its tests fail there; tried at {good[:10]}")[2]
    assert after.count("trying: ") == 2
    again = try_(*words)
    assert "trying: " not in again.err.partition("its tests fail there; tried at")[2]
    assert f"and pass at {good[:10]}" in again.err


def test_a_repository_that_cannot_be_tested_ends_with_what_helps(try_, repository):
    commit(
        repository, {"tests/test_shapes.py": "import own_secret_part\n" + TEST, "shapes.py": CODE + "\n\n" + MORE}, "x"
    )
    outcome = try_(repository, "--range", "HEAD~1..HEAD", "--json", status=2)
    assert "add it with --requires own-secret-part" in outcome.err
    assert outcome.out == ""
