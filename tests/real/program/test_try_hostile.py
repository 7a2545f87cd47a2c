"""A repository that is tried does nothing outside of the sandbox, whatever its files and its settings of git say.

All traps of a kind lie in one repository, and each has a name of its own. Without a sandbox each of them springs.
"""

import os
import re
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.repository_traps import BACKEND, BUILT, MOCHA, NODE, PLAIN, PYTHON, SETUP_PY

KINDS = {"python": (PLAIN, PYTHON), "setup": (BUILT, SETUP_PY), "backend": (BUILT, BACKEND), "node": (MOCHA, NODE)}
CASES = [pytest.param(kind, each, id=f"{kind}-{each.name}") for kind, (_, traps) in KINDS.items() for each in traps]
ORACLE = ("--provider", "oracle", "--latency", "fixed:0", "--last", "1", "--limit", "1", "--json")


@dataclass
class Outside:
    """What traps may reach: a folder, and a port on which all that is said is kept."""

    folder: Path
    port: int
    heard: list = field(default_factory=list)

    def listen(self, server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                try:
                    self.heard.append(connection.recv(4096).decode("utf-8", "replace") or "nothing")
                except OSError:
                    self.heard.append("nothing")

    def sprung(self, name):
        """Whether a trap wrote its file, or said its name."""
        return (self.folder / name).exists() or any(re.search(rf"\b{name}\b", said) for said in self.heard)

    def text(self, trap, text):
        """A text of a trap with the ways to spring it."""
        shell = f"bash -c 'echo >{self.folder}/{trap}; echo {trap} >/dev/tcp/127.0.0.1/{self.port}'"
        ways = {
            "@SH@": shell,
            "@PY@": f'__import__("os").system("{shell}")',
            "@JS@": f'require("child_process").spawnSync("bash", ["-c", "{shell[9:-1]}"])',
            "@URL@": f"http://127.0.0.1:{self.port}/{trap}",
            "@PLACE@": str(self.folder),
            "@NAME@": trap,
        }
        for token, meant in ways.items():
            text = text.replace(token, meant)
        return text


@pytest.fixture(scope="module")
def reachable(tmp_path_factory):
    """A function that gives a folder and a port which traps may reach, until the tests end."""
    servers = []

    def give(name):
        servers.append(socket.create_server(("127.0.0.1", 0)))
        found = Outside(tmp_path_factory.mktemp(name), servers[-1].getsockname()[1])
        threading.Thread(target=found.listen, args=(servers[-1],), daemon=True).start()
        return found

    yield give
    for server in servers:
        server.close()


@pytest.fixture(scope="module")
def outside(reachable):
    return reachable("outside")


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com", *words], check=True)


def files_of(kind, outside):
    """Path → text of the files of a repository with all traps of a kind."""
    base, traps = KINDS[kind]
    texts = {path: outside.text("manifest", text) for path, text in base.items()}
    return texts | {path: outside.text(each.name, text) for each in traps for path, text in each.files.items()}


def repository(folder, kind, outside):
    """A repository with two commits and all traps of a kind, the second of which has the code; git's own are set last, so that making it springs none."""
    files = files_of(kind, outside)
    code = "index.js" if kind == "node" else "shapes/__init__.py"
    for path, text in {**files, code: ""}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(0o755 if path.endswith(".sh") else 0o644)
    for each in KINDS[kind][1]:
        for path, target in each.links.items():
            (folder / path).symlink_to(outside.text(each.name, target))
    git(folder.parent, "init", "-q", folder)
    git(folder, "add", "--force", ".")
    git(folder, "commit", "-qm", "one")
    (folder / code).write_text(files[code])
    (folder / "a.md").write_text("2\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "two")
    for each in KINDS[kind][1]:
        for hook in each.hooks:
            place = folder / ".git/hooks" / hook
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"#!/bin/bash\n{outside.text(each.name, '@SH@')}\n")
            place.chmod(0o755)
        for name, value in each.settings.items():
            git(folder, "config", name, outside.text(each.name, value))
    return folder


@pytest.fixture(scope="module")
def tried(tmp_path_factory, cache, outside, ghosttape_in, need):
    """A function that tries the repository with all traps of a kind, once, with the whole command; how it ended."""
    need("bwrap", "git", "node", "npm")
    done = {}

    def give(kind):
        if kind not in done:
            folder = repository(tmp_path_factory.mktemp(kind) / "shapes", kind, outside)
            place = folder if kind == "python" else folder.parent
            kept = {"GHOSTTAPE_CACHE": str(cache)}
            done[kind] = ghosttape_in(place, "try", folder, *ORACLE, status=None, env=kept)
        return done[kind]

    return give


@pytest.fixture(scope="module")
def unwalled(tmp_path_factory, reachable):
    """A function that gives the repository with all traps of a kind for commands that run without a sandbox, and what they reach."""
    made = {}

    def give(kind):
        if kind not in made:
            reached = reachable(f"reached-{kind}")
            made[kind] = repository(tmp_path_factory.mktemp(kind) / "shapes", kind, reached), reached
        return made[kind]

    return give


@pytest.mark.parametrize("kind", ["python", "setup", "node"])
def test_a_hostile_repository_is_tried_and_its_tests_run(kind, tried):
    outcome = tried(kind)
    assert outcome.status == 0, outcome.err
    assert outcome.json["verdicts"] == {"passed": 1}


def test_a_build_that_fails_is_told_with_what_to_do(tried):
    outcome = tried("backend")
    assert outcome.status == 2
    assert "shapes cannot be tested here" in outcome.err


@pytest.mark.parametrize(("kind", "trap"), CASES)
def test_no_trap_springs_in_the_sandbox(kind, trap, tried, outside):
    tried(kind)
    assert not outside.sprung(trap.name)


def test_nothing_is_written_or_opened_under_any_other_name(tried, outside):
    for kind in KINDS:
        tried(kind)
    assert list(outside.folder.iterdir()) == []
    assert outside.heard == []


@pytest.mark.parametrize(("kind", "trap"), CASES)
def test_without_a_sandbox_each_trap_springs(kind, trap, unwalled):
    folder, reached = unwalled(kind)
    if not reached.sprung(trap.name):  # one run of pytest springs several
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        command = ["bash", "-c", trap.control]
        subprocess.run(
            command, cwd=folder, capture_output=True, check=False, timeout=60, env={**os.environ, "PATH": path}
        )
    assert reached.sprung(trap.name)
