"""The VS Code extension from a clean copy of its folder."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.support.kept import kept_folder
from tests.support.places import ROOT

EXTENSION = "vscode-ext"


def npm_in(folder, *words):
    done = subprocess.run(
        ["npm", *words],
        cwd=folder,
        env={**os.environ, "CI": "true", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
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
        _install(copy)
        return copy

    return once("extension", make)


def _install(copy):
    """What the extension requires, as its lock file names it: installed, or copied from a run before."""
    kept = kept_folder("extension") / "node_modules"
    if kept.is_dir():
        shutil.copytree(kept, copy / "node_modules", symlinks=True)
        return
    npm_in(copy, "ci", "--no-audit", "--no-fund")
    half = Path(tempfile.mkdtemp(dir=kept.parent)) / kept.name
    shutil.copytree(copy / "node_modules", half, symlinks=True)
    with suppress(OSError):  # another run of the tests was first
        half.rename(kept)


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
