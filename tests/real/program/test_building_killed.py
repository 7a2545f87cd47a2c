"""`ghosttape corpora build codev` killed between its stages and inside of each: the same command goes on, and the corpus is the one of a build that nobody killed."""

import json
import signal
import subprocess
import time

import pytest

from tests.support.block_builds import BUILD, lay_out, run
from tests.support.places import SCRIPT

PATIENCE_S = 240.0


def found(folder, name):
    """The files that a stage left, if it did."""
    return [*(folder / ".ghosttape/codev").rglob(name)]


def has_tried(folder):
    return any(b"\n" in file.read_bytes() for file in found(folder, "samples.jsonl"))


MOMENTS = {
    "when it is known how the repository is tested": lambda folder: found(folder, "environment.json"),
    "while its tests are watched": lambda folder: found(folder, "lock.json"),
    "between chains and samples": lambda folder: found(folder, "chains.json"),
    "while blocks are tried": has_tried,
}
"""In the order in which a build comes to them."""


def kill_at(folder, is_there):
    """Start the build, and kill it as soon as something is there; whether it was still at work."""
    with subprocess.Popen([SCRIPT, *BUILD], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + PATIENCE_S
        while process.poll() is None and not is_there(folder):
            assert time.monotonic() < until, "it never came so far"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        said = process.stderr.read().decode()
        assert process.wait() in {-signal.SIGKILL, 0}, said
        return process.returncode == -signal.SIGKILL


def corpus(folder):
    """The lines of the corpus; of its head not where the repository lies."""
    head, *samples = ((json.loads(line)) for line in (folder / "app.jsonl").read_text().splitlines())
    for repository in head["repositories"]:
        del repository["folder"]
    return head, samples


@pytest.fixture
def folder(tmp_path, need):
    need("bwrap")
    lay_out(tmp_path)
    return tmp_path


def test_a_build_that_is_killed_in_every_stage_goes_on_and_ends_as_one_that_was_not(folder, tmp_path_factory):
    whole = tmp_path_factory.mktemp("whole")
    lay_out(whole)
    known = json.loads(run(whole, *BUILD)[0])
    met = [kill_at(folder, is_there) for is_there in MOMENTS.values()]
    assert met[0], "most of the work comes behind the first moment"
    assert (folder / "app.jsonl").exists() != all(met), "a build that no kill met has ended"
    before = {
        file.name: file.read_bytes() for name in ("environment.json", "chains.json") for file in found(folder, name)
    }
    told = json.loads(run(folder, *BUILD)[0])
    assert {**told, "repository": known["repository"]} == known
    assert corpus(folder) == corpus(whole)
    assert before == {file.name: file.read_bytes() for name in before for file in found(folder, name)}
    (tried,) = found(folder, "samples.jsonl")
    keys = [json.loads(line)["key"] for line in tried.read_text().splitlines()]
    assert len(keys) == len(set(keys)), "nothing is tried twice"
