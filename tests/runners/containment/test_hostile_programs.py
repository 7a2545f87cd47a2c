"""Each program in `programs` is held by every sandbox, and does its harm where there is none."""

import os
import shutil
import subprocess
import unicodedata

import pytest
from hostile import PROGRAMS, Program

from runners.files import copy_tree, remove_tree
from runners.protocol import Completed, Job
from runners.sandboxes import make
from runners.verdicts import classify

ALL = [Program.read(path) for path in sorted(PROGRAMS.iterdir())]
OPEN = {"wall_s": 30.0, "cpu_s": 100.0, "memory_mb": 4096, "processes": 4096, "output_bytes": 1 << 24}
OPEN |= {"tmp_mb": 4096, "disk_mb": 1 << 20, "open_files": 1 << 16}
each = pytest.mark.parametrize("program", ALL, ids=lambda program: program.name)


def test_there_are_many():
    assert len(ALL) >= 28


@each
async def test_is_held(program, walls, job, host, tmp_path):
    hostile = job(program)
    done = await walls.run(hostile)
    result = classify(done, program.command)
    assert host.harms(done, hostile.project) == set(), done
    assert result.klass in program.ends if program.ends else result.klass not in {"passed", "infrastructure"}, done
    assert not any(unicodedata.category(sign) == "Cc" and sign not in "\n\t" for sign in result.message + result.log)
    copy_tree(hostile.project, tmp_path / "copy")
    for folder in (hostile.project, tmp_path / "copy"):
        remove_tree(folder)
        assert not folder.exists()
    (honest := tmp_path / "honest").mkdir()
    assert (await walls.run(Job(honest, "echo fine"))).stdout == "fine\n"


@each
async def test_would_do_harm_without(program, job, host, tmp_path):
    if lacks := program.lacks():
        pytest.skip(f"such harm takes {lacks}")
    hostile = job(program, HARMLESS="1", limits=OPEN)
    done = bare(hostile) if program.without == "bare" else await make("none").run(hostile)
    harms = {*host.harms(done, hostile.project), *naive(done, hostile.project, tmp_path / "copy")}
    remove_tree(hostile.project)
    assert program.harm in harms, done


def bare(job):
    """Start a command as anyone would."""
    env = {**os.environ, **job.env}
    done = subprocess.run(job.command, shell=True, cwd=job.project, env=env, capture_output=True, text=True, check=False)
    return Completed(done.returncode, None, done.stdout, done.stderr, 0.0)


def naive(done, project, copy):
    """Say what would befall someone who believes what is written and knows only the standard library."""
    if done.exit == 0 and "5 passed in" in done.stdout:
        yield "believed"
    if any(sign in done.stdout for sign in "\x1b\x07"):
        yield "escapes"
    try:
        shutil.copytree(project, copy, symlinks=True)
    except (OSError, shutil.Error, RecursionError):
        yield "uncopyable"
    try:
        shutil.rmtree(project)
    except (OSError, RecursionError):
        yield "unremovable"
