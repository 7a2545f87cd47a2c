"""The sandboxes that must hold the hostile programs, and what those are run on."""

import shutil
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

import pytest

from runners.files import copy_tree, remove_tree
from runners.project import ProjectPlan, prepare
from runners.protocol import Job, Limits, Mount
from runners.sandboxes import AUTO, fault, make
from runners.toolchains import Layer
from runners.verdicts import against_baseline, classify
from tests.support.hostile_programs import FAILING, Host

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


async def hold(program, walls, job, host, cache):
    """Run a hostile program in a sandbox: it harms nothing, ends as it must, and leaves nothing that disturbs the next one."""
    hostile = job(program)
    folder = hostile.project.parent
    done = await walls.run(hostile)
    result = await verdict(program, walls, cache) if program.harm == "believed" else classify(done, program.command)
    assert host.harms(done, hostile.project) == set(), done
    assert (
        result.verdict_class in program.ends
        if program.ends
        else result.verdict_class not in {"passed", "infrastructure"}
    ), done
    assert not any(unicodedata.category(sign) == "Cc" and sign not in "\n\t" for sign in result.message + result.log)
    with suppress(OSError):  # some are nested too deeply to be copied, which is said and does not hang
        copy_tree(hostile.project, folder / "copy")
    for left in (hostile.project, folder / "copy"):
        remove_tree(left)
        assert not left.exists()
    (honest := folder / "honest").mkdir()
    assert (await walls.run(Job(honest, "echo fine"))).stdout == "fine\n"
    assert host.victim.poll() is None  # nor has it been dying since


async def verdict(program, walls, cache):
    """Judge a program that is part of a project as ghosttape does: by what the finished project's tests were."""
    honest = {program.file: "", "test_it.py": "def test_it():\n    assert 1 == 1\n"}
    plan = ProjectPlan("python", ("iniconfig>=2", "pytest>=8"), command=program.command, timeout_s=60.0)
    project = await prepare(honest, plan, walls, cache, lambda _: None)
    try:
        finished = await project.run({})
        assert finished.verdict_class == "passed"
        return against_baseline(await project.run({program.file: program.text, "test_it.py": FAILING}), finished)
    finally:
        project.close()
