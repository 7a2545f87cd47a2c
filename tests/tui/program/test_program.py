"""The console script, each kind of process once: served, replayed with tests, killed, evaluated, tried, watched.

What does not need a process is tried in this one, beside the commands. All else that does is in tests/real/program.
"""

import os
import subprocess
import time
from contextlib import suppress

import pytest

from replay.errors import StoreError
from replay.run.store import Store
from tests.support.bare_client import URI, Wire, ours
from tests.support.devbench_data import instance, write
from tests.support.places import DEMO, LEDGER, SCRIPT
from tests.support.small_repository import CODE, FILES, ORACLE, commit, git
from tests.support.watch_program import WORDS, Watch, put


@pytest.fixture
def cached(cache, need):
    """The environment in which toolchains are installed once for all tests of the run."""
    need("bwrap", "git", "node", "npm")
    return {"GHOSTTAPE_CACHE": str(cache)}


def test_an_editor_is_served_over_standard_input_and_output():
    wire = Wire(ours("return x + 1"), "def f(x):\n    ")
    place = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}, "context": {"triggerKind": 2}}
    (item,) = wire.ask("textDocument/inlineCompletion", place)
    assert item["insertText"] == "return x + 1"
    wire.close()
    assert wire.status == 0


def test_tapes_in_python_and_in_node_are_replayed_with_their_tests_in_the_sandbox(ghosttape, cached):
    words = ("replay", DEMO, "--provider", "oracle", "--latency", "fixed:0", "--limit", "1", "--json")
    summary = ghosttape(*words, env=cached).json
    assert summary["left_out"] == []
    assert summary["moments"] == 2
    assert summary["verdicts"] == {"passed": 2}


def verdicts(folder):
    """What a run says of each moment that is judged; nothing while its file is being made."""
    with suppress(StoreError), Store.open(folder) as store:
        return {
            record.moment.id: (str(record.ending), record.verdict.name) for record in store.records() if record.verdict
        }
    return {}


def test_a_replay_that_is_killed_is_continued_by_the_same_command(ghosttape, tmp_path, cached):
    words = ("replay", LEDGER, "--provider", "ngram", "--latency", "fixed:0", "--limit", "3", "--json", "--out")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([SCRIPT, *words, "run"], cwd=tmp_path, env={**os.environ, **cached}, **quiet)
    while process.poll() is None and not verdicts(tmp_path / "run"):
        time.sleep(0.05)
    process.kill()
    process.wait()
    before = verdicts(tmp_path / "run")
    assert before
    assert ghosttape(*words, "run", env=cached).json["moments"] == 3
    after = verdicts(tmp_path / "run")
    assert before.items() <= after.items()
    assert len(after) == 3


def test_a_benchmark_is_evaluated_and_a_gate_that_fails_decides_the_status(ghosttape, tmp_path, cached):
    sound = {"prefix": "def double(x):\n", "suffix": "\nassert double(2) == 4", "assertions": "assert double(3) == 6"}
    write(tmp_path / "data", instance(1, "    return 2 * x", **sound))
    words = ("evaluate", "devbench", "--data", "data", "--languages", "python", "--categories", "low_context")
    words += ("--provider", "oracle", "--no-packages", "--fail-under", "moments=2", "--json")
    done = ghosttape(*words, env=cached, status=1)
    assert done.json["verdicts"] == {"passed": 1}
    assert "moments=2: gate failed" in done.err


def test_a_repository_is_tried(ghosttape, tmp_path, cached):
    repository = tmp_path / "shapes"
    repository.mkdir()
    git(repository, "init", "-q", ".")
    commit(repository, FILES, "tests")
    commit(repository, {"shapes.py": CODE}, "area")
    done = ghosttape("try", repository, *ORACLE, "--last", "1", "--limit", "1", "--json", env=cached)
    assert "1 test passes at " in done.err
    assert done.json["verdicts"] == {"passed": 1}


def test_wrong_use_ends_with_status_2_and_says_so_on_standard_error_alone(ghosttape):
    done = ghosttape("replay", "nowhere", "--json", status=2)
    assert (done.out, done.err) == ("", "ghosttape: nowhere: no such file or folder\n")


def test_a_folder_is_watched_until_ctrl_c(tmp_path):
    watch = Watch(tmp_path, [*WORDS, "--plain"])
    try:
        watch.until("are replayed", within_s=600)
        put(tmp_path, "def f(x):\n    return x + 1\n")
        watch.until("small.tape.jsonl: is replayed", within_s=600)
        watch.until("moments", within_s=600)
    finally:
        assert watch.end() == 130
