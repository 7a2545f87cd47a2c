"""Sandboxes for tests: each that works here, a container engine of the tests' own, and programs that run in them."""

import asyncio
import os
import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from runners.programs import cold
from runners.protocol import Job, Limits
from runners.sandboxes import AUTO, fault, make, pick
from runners.toolchains import toolchain
from runners.warm import warm
from tests.support.container_engine import DockerDaemon

NAMES = tuple(filter(None, os.environ.get("GHOSTTAPE_TEST_SANDBOXES", "").split(","))) or AUTO
TOOLS = {
    "python": (),
    "javascript": ("node", "npm"),
    "typescript": ("node", "npm"),
    "java": ("javac",),
    "cpp": ("g++",),
}


@pytest.fixture
def missing(lacking):
    return lacking


@pytest.fixture(scope="session")
def container_engine(lacking):
    """A container engine for the whole test run."""
    if reason := DockerDaemon.fault():
        lacking(reason)
    made = DockerDaemon(tempfile.mkdtemp(prefix="ghosttape-engine-"))
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture
def docker(container_engine, monkeypatch):
    """The sandbox of the engine; `pick` and other processes find it too."""
    monkeypatch.setenv("DOCKER_HOST", container_engine.address)
    return make("docker")


def sandbox_of(request):
    """The sandbox that a test is run with, by its name."""
    if request.param == "docker":
        return request.getfixturevalue("docker")
    if reason := fault(request.param):
        request.getfixturevalue("lacking")(f"{request.param} does not work here: {reason}")
    return make(request.param)


@pytest.fixture(params=NAMES)
def sandbox(request):
    """Each sandbox that needs no container engine; `make test-real` runs the same tests in containers."""
    return sandbox_of(request)


@pytest.fixture
def bubblewrap(lacking):
    if reason := fault("bubblewrap"):
        lacking(f"bubblewrap does not work here: {reason}")
    return make("bubblewrap")


@pytest.fixture(scope="session")
def python(cache):
    """The layer of an interpreter with pytest and a package of no size."""
    return asyncio.run(toolchain("python").layer(("iniconfig>=2", "pytest>=8"), cache, lambda _: None))


@pytest.fixture(scope="session")
def need_for(need):
    """Return a function that skips the test unless what builds and runs programs of a language is on PATH."""
    return lambda language: need(*TOOLS[language])


class Shared:
    """Runs programs of slow compilers in warm workers, whose verdicts are the same (`warm/test_equality.py`), others in fresh sandboxes."""

    SLOW = frozenset({"typescript", "java"})

    def __init__(self, fresh, workers):
        self.fresh, self.workers = fresh, workers

    async def run(self, program, *, timeout_s):
        runs = self.workers if program.language in self.SLOW else self.fresh
        return await runs.run(program, timeout_s=timeout_s)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def fresh_programs(cache):
    """Return what runs programs in fresh sandboxes."""
    made = await cold(pick(), cache, lambda _: None)
    yield made
    await made.close()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def programs(fresh_programs, cache):
    """Return what runs programs, once for the whole test run: to start a compiler costs as much as ten programs."""
    workers = await warm(pick(), cache, lambda _: None, workers=1)
    yield Shared(fresh_programs, workers)
    await workers.close()


@pytest.fixture
def alive():
    """Return a function that says whether any process of this machine has a word on its command line."""

    def search(word):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if word.encode() in (process / "cmdline").read_bytes():
                    return True
            except OSError:
                continue
        return False

    return search


@pytest.fixture
def run(sandbox, tmp_path):
    """Return a function that runs a command in a sandbox, in a project of its own."""
    project = tmp_path / "project"
    project.mkdir()

    async def run(command, layer=None, **limits):
        mounts, env = (layer.mounts, layer.env) if layer else ((), {})
        return await sandbox.run(
            Job(project, command, env=env, mounts=mounts, limits=Limits(**{"wall_s": 20.0, **limits}))
        )

    return run
