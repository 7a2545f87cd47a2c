"""The VS Code extension from a clean checkout of its folder: installed, checked, tested, packaged."""

import fcntl
import json
import os
import shutil
import subprocess
import zipfile
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = "vscode-ext"
MOST_BYTES = 2 << 20
"""The package is downloaded by every window that installs it."""


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
        listed = subprocess.run(["git", "ls-files", "-z", FOLDER], cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, listed.stdout.split("\0")):
            target = copy / Path(name).relative_to(FOLDER)
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


def test_the_lock_file_installs_just_what_it_says(npm, extension):
    wanted = json.loads((extension / "package.json").read_text())["devDependencies"]
    installed = json.loads(npm("ls", "--json", "--depth=0"))
    assert set(installed["dependencies"]) == set(wanted)
    assert "problems" not in installed


def test_the_types_are_right(npm):
    npm("run", "typecheck")


def test_the_linter_finds_nothing(npm):
    npm("run", "lint")


def test_the_extensions_own_tests_pass(npm):
    out = npm("run", "test")
    assert "passed" in out
    assert "failed" not in out


def test_a_package_comes_out_with_the_program_in_it_and_no_sources(npm, extension):
    npm("run", "package")
    (package,) = extension.glob("*.vsix")
    assert package.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(package) as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("extension/package.json"))
    assert f"extension/{manifest['main'].removeprefix('./')}" in names
    assert not [name for name in names if name.endswith(".ts") or "node_modules" in name]
