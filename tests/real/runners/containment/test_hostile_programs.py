"""Each program in `programs` is held by every sandbox, and does its harm where there is none."""

import asyncio
import os
import shutil
import subprocess
import time

import pytest

from runners.files import remove_tree
from runners.protocol import Completed
from runners.sandboxes import make
from tests.support.containment import hold
from tests.support.hostile_programs import PROGRAMS, Program

ALL = [Program.read(path) for path in sorted(PROGRAMS.iterdir())]
OPEN = {"wall_s": 30.0, "cpu_s": 100.0, "memory_mb": 4096, "processes": 4096, "output_bytes": 1 << 24}
OPEN |= {"tmp_mb": 4096, "disk_mb": 1 << 20, "open_files": 1 << 16}
each = pytest.mark.parametrize("program", ALL, ids=lambda program: program.name)


def test_there_are_many():
    assert len(ALL) == 56  # as the docs say


@each
async def test_is_held(program, walls, job, host, cache):
    await hold(program, walls, job, host, cache)


@each
async def test_would_do_harm_without(program, job, host):
    if lacks := program.lacks():
        pytest.skip(f"such harm takes, and this machine lacks: {lacks}")
    hostile = job(program, HARMLESS="1", limits=OPEN)
    done = bare(hostile) if program.without == "bare" else await make("none").run(hostile)
    harms = {*host.harms(done, hostile.project), *naive(program.harm, done, hostile.project)}
    deadline = time.monotonic() + 20
    while (
        program.harm not in harms and time.monotonic() < deadline
    ):  # who was killed dies when there is a processor for it
        await asyncio.sleep(0.02)
        harms |= host.harms(done, hostile.project)
    remove_tree(hostile.project)
    assert program.harm in harms, done


def bare(job):
    """Start a command as anyone would."""
    env = {**os.environ, **job.env}
    done = subprocess.run(
        job.command, shell=True, cwd=job.project, env=env, capture_output=True, text=True, check=False
    )
    return Completed(done.returncode, None, done.stdout, done.stderr, 0.0)


def naive(harm, done, project):
    """Say what would befall someone who believes what is written and knows only the standard library."""
    if done.exit == 0 and " passed in" in done.stdout:
        yield "believed"
    if any(sign in done.stdout for sign in "\x1b\x07"):
        yield "escapes"
    step = {
        "uncopyable": lambda: shutil.copytree(project, project.with_name("copy")),
        "unremovable": lambda: shutil.rmtree(project),
    }
    try:
        step.get(harm, str)()
    except (OSError, shutil.Error, RecursionError):
        yield harm
