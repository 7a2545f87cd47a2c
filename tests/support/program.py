"""The program as a person starts it: the console script, in a process and a folder of its own."""

import json
import os
import subprocess
from contextlib import chdir
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pytest
import typer.testing
from typer.testing import CliRunner

from tests.support.places import SCRIPT
from tui.cli.app import app

typer.testing._get_command = cache(typer.testing._get_command)
"""To make the command line of its declarations takes a tenth of a second: once for each process, not for each command."""


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


def run_here(folder, *words, status=0, env=None, stdin=None):
    """Run a command in this process: one of its own takes a second to begin."""
    with chdir(folder):
        done = CliRunner().invoke(app, list(map(str, words)), env=env, input=stdin)
    assert status is None or done.exit_code == status, (
        f"status {done.exit_code}\n{done.stderr}\n{done.stdout}\n{done.exception!r}"
    )
    return Outcome(done.exit_code, done.stdout, done.stderr)


def both_of(folder, *words, **rest):
    """What a command that runs in this process writes to standard output and to standard error."""
    done = run_here(folder, *words, **rest)
    return done.out, done.err


@pytest.fixture(scope="session")
def ghosttape_in():
    """Run the console script in a folder, with some words."""
    return run_in


@pytest.fixture(scope="session")
def ghosttape_here():
    """As `ghosttape_in`, but in this process."""
    return run_here


@pytest.fixture
def here(tmp_path):
    """As `ghosttape`, but in this process."""
    return partial(run_here, tmp_path)


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
