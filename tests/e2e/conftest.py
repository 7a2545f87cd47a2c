"""The program as a person starts it: the console script, in a process and a folder of its own."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from contextlib import chdir, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from pytest_lsp import LanguageClient
from typer.testing import CliRunner

from tests.e2e.recorded_editor import Editor
from tui.cli.app import app

sys.path.insert(0, str(Path(__file__).parent))  # so that tests here can share ablation_answers.py
sys.path.insert(0, str(Path(__file__).parents[1] / "corpora"))  # and the data in the forms of benchmarks
SCRIPT = str(Path(sys.executable).with_name("ghosttape"))
ROOT = Path(__file__).parents[2]
EXTENSION = "vscode-ext"


@dataclass
class Outcome:
    """How a command ended. `json` is what it printed, which must be one document and nothing else."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def run_in(folder, *words, status=0, timeout=600, env=None):
    """Run the console script with some words in a folder."""
    done = subprocess.run(
        [SCRIPT, *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert status is None or done.returncode == status, f"status {done.returncode}\n{done.stderr}\n{done.stdout}"
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_here(folder, *words, status=0):
    """Run a command that starts no other program in this process: one of its own takes a second to begin."""
    with chdir(folder):
        done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == status, f"status {done.exit_code}\n{done.stderr}\n{done.stdout}\n{done.exception!r}"
    return Outcome(done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def ghosttape_in():
    """Run the console script in a folder, with some words."""
    return run_in


@pytest.fixture(scope="session")
def ghosttape_here():
    """As `ghosttape_in`, for a command that starts no other program: it runs in this process."""
    return run_here


@pytest.fixture
def ghosttape(tmp_path):
    """Run the console script with some words, in an empty folder."""
    return partial(run_in, tmp_path)


@dataclass(frozen=True)
class SeededRun:
    """A run of the bundled tapes, 4 moments of each, that comes out the same each time: its options, and its folder."""

    words: tuple
    folder: Path


@pytest.fixture(scope="session")
def seeded_run(once, run_folder, need):
    """The run that others are compared with; it is made once for all workers."""
    need("bwrap", "node", "npm")
    words = ("replay", "demo", "--provider", "ngram", "--latency", "fixed:80", "--seed", "1", "--limit", "4")

    def make():
        run_in(run_folder, *words, "--out", run_folder / "seeded")
        return run_folder / "seeded"

    return SeededRun(words, once("seeded-run", make))


@pytest.fixture
async def start(tmp_path):
    """Start a recorded editor with a server of its own in the folder `work`."""
    root = tmp_path / "work"
    root.mkdir()
    editors = []

    async def begin(*words, **rest):
        editors.append(Editor(LanguageClient(), root))
        return await editors[-1].start(*words, **rest)

    yield begin
    for editor in editors:
        with suppress(ProcessLookupError):  # it has ended, and nobody was told yet
            editor.kill()
        await editor.client.stop()


@pytest.fixture
def into(tmp_path):
    return tmp_path / "recordings"


def npm_in(folder, *words):
    done = subprocess.run(
        ["npm", *words],
        cwd=folder,
        env={**os.environ, "CI": "true", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"npm {' '.join(words)}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def extension(need, once, run_folder):
    """A copy of the extension's own files, with what they require installed: one for all workers."""
    need("node", "npm", "git")

    def make():
        copy = run_folder / "extension"
        listed = subprocess.run(
            ["git", "ls-files", "-z", EXTENSION], cwd=ROOT, check=True, capture_output=True, text=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            target = copy / Path(name).relative_to(EXTENSION)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
        assert (copy / "package-lock.json").is_file(), "git knows the extension's files"
        npm_in(copy, "ci", "--no-audit", "--no-fund")
        return copy

    return once("extension", make)


@pytest.fixture
def npm(extension, run_folder):
    """A function that runs npm there; one worker at a time, because they write into one folder."""
    with (run_folder / "npm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield partial(npm_in, extension)


@pytest.fixture(scope="session")
def vsix(extension, once, run_folder):
    """The package of the extension, as this checkout makes it."""

    def make():
        with (run_folder / "npm.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            npm_in(extension, "run", "package")
        (package,) = extension.glob("*.vsix")
        return package

    return once("vsix", make)
