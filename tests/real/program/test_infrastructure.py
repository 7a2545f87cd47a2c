"""The machine fails in mid-run: nothing of that is blamed on a model, and the same command goes on when it works again."""

import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from replay.errors import StoreError
from replay.run.store import Store
from tests.support.container_engine import DockerDaemon
from tests.support.devbench_data import instance, write
from tests.support.places import SCRIPT
from tests.support.waiting import PATIENCE_S

TASKS = 16 + 2 * (os.cpu_count() or 1)


@pytest.fixture
def data(tmp_path):
    """A benchmark of sound tasks, each of which takes a moment."""
    text = "import time\ndef double(x, more={}):\n"
    sound = (
        instance(
            n, "    return 2 * x", prefix=text.format(n), suffix=f"\ntime.sleep(0.1)\nassert double({n}) == {2 * n}"
        )
        for n in range(TASKS)
    )
    write(tmp_path / "data", *sound)
    return tmp_path / "data"


class Command:
    """`ghosttape evaluate` on the benchmark, into one folder, as often as it is told to begin."""

    def __init__(self, data, folder, *words, **env):
        corpus = ["evaluate", "devbench", "--data", data, "--provider", "oracle", "--languages", "python"]
        corpus += ["--categories", "low_context", "--no-packages"]
        self.words = [SCRIPT, *corpus, "--out", folder / "run", "--json", *words]
        self.folder, self.env = folder, {**os.environ, "GHOSTTAPE_CACHE": str(folder / "cache"), **env}

    def begin(self):
        with (self.folder / "said").open("w") as said:
            streams = {"stdout": subprocess.DEVNULL, "stderr": said}
            self.process = subprocess.Popen(self.words, cwd=self.folder, env=self.env, **streams)
        return self.process

    def end(self):
        """Wait for its end; return its status and what it said."""
        return self.process.wait(PATIENCE_S), (self.folder / "said").read_text()

    def verdicts(self):
        """Return the names of the verdicts so far."""
        with suppress(StoreError, sqlite3.Error), Store.open(self.folder / "run") as store:
            return [record.verdict.name for record in store.records() if record.verdict]
        return []

    def wait_for_verdicts(self, number):
        while len(self.verdicts()) < number:
            assert self.process.poll() is None, self.end()
            time.sleep(0.05)

    def again(self):
        """Begin once more and see it through: all is as if nothing had happened."""
        self.begin()
        status, said = self.end()
        assert (status, self.verdicts()) == (0, ["passed"] * TASKS), said


@pytest.fixture
def place(tmp_path):
    """A small file system of its own."""
    folder = tmp_path / "place"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", folder], check=False).returncode:
        pytest.skip("this user may not mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def sandboxes(process):
    """Return the outermost processes of the sandboxes that a process has started."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    return [child for child in found if _name(child) == "bwrap"]


def _name(process):
    with suppress(OSError):
        return Path(f"/proc/{process}/comm").read_text().strip()
    return ""


def test_warm_workers_that_are_killed_again_and_again_are_not_blamed_on_the_answers(data, tmp_path, need):
    need("bwrap")
    command = Command(data, tmp_path, "--sandbox", "bubblewrap", "--workers", "warm", TMPDIR=str(tmp_path))
    process = command.begin()
    command.wait_for_verdicts(2)
    killed = 0
    while killed < TASKS // 4 and process.poll() is None:
        for sandbox in sandboxes(process.pid):
            with suppress(ProcessLookupError):
                os.kill(sandbox, signal.SIGKILL)
                killed += 1
        time.sleep(0.1)
    status, said = command.end()
    verdicts = command.verdicts()
    assert killed > 2
    assert set(verdicts) <= {"passed", "infrastructure"}
    assert len(verdicts) == TASKS
    assert (status, "could not be tested here" in said) == ((1, True) if "infrastructure" in verdicts else (0, False))
    assert list(tmp_path.glob("ghosttape-*")) == []
    command.again()


def test_a_disk_that_stays_full_stops_the_run_which_goes_on_when_there_is_room(data, tmp_path, place, need):
    need("bwrap")
    command = Command(data, tmp_path, "--sandbox", "bubblewrap", TMPDIR=str(place))
    command.begin()
    command.wait_for_verdicts(2)
    with suppress(OSError):
        (place / "others").write_bytes(bytes(24 << 20))
    status, said = command.end()
    assert status == 3
    assert "10 runs of tests in a row failed" in said
    assert "make room, or set TMPDIR" in said
    assert f"The same command with --out {tmp_path / 'run'} goes on from there" in said
    assert set(command.verdicts()) == {"passed", "infrastructure"}
    (place / "others").unlink()
    command.again()
    assert list(place.iterdir()) == []


def test_an_engine_that_is_killed_and_comes_back_costs_no_verdict(data, tmp_path, lacking):
    if reason := DockerDaemon.fault():
        lacking(reason)
    with tempfile.TemporaryDirectory(prefix="ghosttape-engine-") as folder:
        engine = DockerDaemon(folder)
        engine.start()
        try:
            command = Command(data, tmp_path, "--sandbox", "docker", DOCKER_HOST=engine.address)
            command.begin()
            command.wait_for_verdicts(2)
            engine.end()
            engine.revive()
            status, said = command.end()
            assert set(command.verdicts()) <= {"passed", "infrastructure"}, said
            assert status == int("infrastructure" in command.verdicts())
            if status:
                command.again()
            assert engine.containers() == []
        finally:
            engine.close()
