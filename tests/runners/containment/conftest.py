"""The sandboxes that must hold the hostile programs, and what those are run on."""

import shutil
import sys
from pathlib import Path

import pytest

from runners.protocol import Job, Limits, Mount
from runners.sandboxes import AUTO, fault, make
from runners.toolchains import Layer
from tests.support.hostile_programs import Host

WALLS = [*AUTO, "docker"]  # one more: its name, and a fixture of that name


@pytest.fixture
def host(tmp_path):
    (folder := tmp_path / "host").mkdir()
    made = Host(folder)
    yield made
    made.close()


@pytest.fixture(params=WALLS)
def walls(request, missing):
    """Each sandbox that promises walls."""
    if request.param not in AUTO:
        return request.getfixturevalue(request.param)
    if reason := fault(request.param):
        missing(f"{request.param} does not work here: {reason}")
    return make(request.param)


@pytest.fixture(scope="session")
def interpreter():
    """This interpreter with the packages of the tests, shown as it lies here: there is nothing to install."""
    base, packages = Path(sys.base_prefix), Path(pytest.__file__).parents[1]
    own = () if base.is_relative_to("/usr") else (Mount(base, str(base)),)
    env = {"PATH": f"{base}/bin:/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": "/packages"}
    return Layer((*own, Mount(packages, "/packages")), env)


@pytest.fixture
def job(host, interpreter, tmp_path):
    """Return a function that makes a job of a program, in a project of its own."""

    def make(program, **more):
        project = tmp_path / "project"
        shutil.rmtree(project, ignore_errors=True)
        program.lay_out(project)
        limits = Limits(**{"wall_s": 30.0, **program.limits, **more.pop("limits", {})})
        env = {**interpreter.env, **host.environment(), **more}
        return Job(project, program.command, env=env, mounts=interpreter.mounts, limits=limits)

    return make
