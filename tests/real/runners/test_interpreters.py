"""Interpreters of Python beside the one that runs ghosttape: where they are looked for, and projects that are tested with them."""

import os
import sys

import pytest

from runners.environments import NotTestable, WayTester, candidates
from runners.errors import ToolchainMissing
from runners.project import ProjectPlan, prepare
from runners.protocol import Job
from runners.toolchains import language_of, toolchain
from runners.toolchains.interpreters import installed, interpreter_of, own_interpreter

OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
LONE = {"PYENV_ROOT": "/nowhere", "UV_PYTHON_INSTALL_DIR": "/nowhere", "PATH": ""}


def ignore(line):
    """Take no note of progress."""


def program(folder, name, version="", implementation="cpython"):
    """A program that answers as an interpreter of this version does; without one it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    said = (
        f'{{"version": "{version}", "build": "{version} built", "prefix": "{folder.parent}", "program": "{file}", '
        f'"library": "{name}", "implementation": "{implementation}"}}'
    )
    file.write_text(f"#!/bin/sh\necho '{said}'\n" if version else "#!/bin/sh\nexit 1\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def another():
    """The series of an interpreter that is installed here beside the one that runs the tests."""

    def find():
        there = installed()
        return next((name for name in there.series if name != OWN and there.interpreter(name)), "")

    return find()


@pytest.fixture
def other(another, lacking):
    return another or lacking("no other Python is installed here")


def test_pyenv_and_uv_are_looked_at_before_the_path(tmp_path):
    pyenv = program(tmp_path / "pyenv/versions/3.9.18/bin", "python3.9", "3.9.18")
    older = program(tmp_path / "pyenv/versions/3.9.2/bin", "python3.9", "3.9.2")
    uv = program(tmp_path / "uv/cpython-3.12.1-linux-x86_64-gnu/bin", "python3.12", "3.12.1")
    path = program(tmp_path / "bin", "python3.9", "3.9.1")
    program(tmp_path / "bin", "python3.9-config", "3.9.1")
    environ = {
        "PYENV_ROOT": str(tmp_path / "pyenv"),
        "UV_PYTHON_INSTALL_DIR": str(tmp_path / "uv"),
        "PATH": f"{tmp_path / 'bin'}:bin",
    }
    assert installed(environ).programs == {"3.9": (pyenv, older, path), "3.12": (uv,)}
    assert installed(environ).series == ["3.12", "3.9"]


def test_folders_of_the_path_that_are_not_absolute_do_not_count(tmp_path, monkeypatch):
    program(tmp_path / "bin", "python3.9", "3.9.1")
    monkeypatch.chdir(tmp_path)
    assert installed(LONE | {"PATH": "bin:."}).programs == {}


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("strangers/bin", "strangers/bin"),
        ("strangers/deep/er/bin", "linked"),
        ("here/bin", "here/bin"),
        ("elsewhere/node_modules/.bin", "elsewhere/node_modules/.bin"),
        ("strangers/.pyenv/versions/3.9.1/bin", ""),
    ],
)
def test_a_program_that_a_repository_may_have_brought_is_never_started(place, path, tmp_path, monkeypatch):
    brought = program(tmp_path / place, "python3.9", "3.9.1")
    brought.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (tmp_path / "strangers/.git").mkdir(parents=True, exist_ok=True)
    (tmp_path / "here").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / "here")
    if path == "linked":
        (tmp_path / "linked").symlink_to(brought.parent)
    monkeypatch.setenv("PATH", f"{tmp_path / path}:/usr/bin:/bin" if path else "/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "strangers/.pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", "/nowhere")
    assert next(candidates({"tox.ini": "[tox]\nenvlist = py39", "test_a.py": ""})).plan.toolchain == "python"
    assert not (tmp_path / "started").exists()
    assert brought not in installed().programs.get("3.9", ())


def test_a_link_to_a_program_of_a_repository_does_not_count_either(tmp_path):
    (tmp_path / "strangers/.git").mkdir(parents=True)
    brought = program(tmp_path / "strangers/bin", "python3.9", "3.9.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3.9").symlink_to(brought)
    assert installed(LONE | {"PATH": str(tmp_path / "bin")}).programs == {}


def test_pyenv_is_a_clone_itself_and_a_home_may_be_one(tmp_path, monkeypatch):
    for clone in (tmp_path / "home/.git", tmp_path / "home/pyenv/.git"):
        clone.mkdir(parents=True)
    pyenv = program(tmp_path / "home/pyenv/versions/3.9.18/bin", "python3.9", "3.9.18")
    path = program(tmp_path / "home/bin", "python3.9", "3.9.1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "home")
    environ = LONE | {"PYENV_ROOT": str(tmp_path / "home/pyenv"), "PATH": str(path.parent)}
    assert installed(environ).programs == {"3.9": (pyenv, path)}


def test_what_does_not_answer_or_is_something_else_is_passed_over(tmp_path):
    program(tmp_path / "a", "python3.9")
    program(tmp_path / "b", "python3.9", "3.8.1")
    program(tmp_path / "c", "python3.9", "3.9.1", implementation="pypy")
    right = program(tmp_path / "d", "python3.9", "3.9.7")
    there = installed(LONE | {"PATH": ":".join(str(tmp_path / name) for name in "abcd")})
    found = there.interpreter("3.9")
    assert (found.version, found.program, found.series) == ("3.9.7", str(right), "3.9")
    assert there.interpreter("3.10") is None


def test_a_series_that_is_too_old_to_be_followed_is_never_chosen(tmp_path):
    program(tmp_path, "python3.6", "3.6.15")
    assert installed(LONE | {"PATH": str(tmp_path)}).series == []
    with pytest.raises(ToolchainMissing, match=r"Python 3\.6 is too old: .*Python 3\.7 and later"):
        interpreter_of("3.6")


def test_the_own_series_is_the_interpreter_that_runs_ghosttape():
    assert interpreter_of("") == interpreter_of(OWN) == own_interpreter()
    assert own_interpreter().prefix == sys.base_prefix


async def test_a_version_that_is_not_installed_is_named_with_how_to_get_it(cache):
    said = r"Python 3\.98 is not installed here: get it with `uv python install 3\.98` or `pyenv install 3\.98`"
    with pytest.raises(ToolchainMissing, match=said):
        await toolchain("python3.98").layer((), cache, ignore)


def test_a_toolchain_with_a_version_belongs_to_its_language():
    assert [language_of(name) for name in ("python3.9", "python", "node", "node20")] == [
        "python",
        "python",
        "node",
        "node20",
    ]
    with pytest.raises(ToolchainMissing, match="choose one of python"):
        toolchain("node3.9")


async def test_an_older_or_newer_interpreter_runs_in_the_sandbox_and_cannot_be_written(other, sandbox, cache, tmp_path):
    layer = await toolchain(f"python{other}").layer(("iniconfig==2.0.0",), cache, ignore)
    command = (
        "python -c 'import iniconfig, ssl, ctypes, sys; print(\"%d.%d\" % sys.version_info[:2], sys.prefix)'; "
        "touch \"$(python -c 'import sys; print(sys.base_prefix)')/written\" /venv/written 2>&1 | wc -l"
    )
    done = await sandbox.run(Job(tmp_path, command, env=layer.env, mounts=layer.mounts))
    assert done.stdout.split() == [other, "/venv", "2"]


async def test_tests_run_with_it_and_are_counted_by_name(other, bubblewrap, cache):
    test = f"import sys\n\n\ndef test_a():\n    assert '%d.%d' % sys.version_info[:2] == '{other}'\n"
    plan = ProjectPlan(f"python{other}", ("pytest>=7.4,<9",), command="python -m pytest -q -p no:cacheprovider")
    project = await prepare({"test_a.py": test}, plan, bubblewrap, cache, ignore)
    try:
        result = await project.run({})
    finally:
        project.close()
    assert (result.verdict_class, result.tests) == ("passed", {"test_a.py::test_a"})


async def test_layers_of_two_interpreters_are_two(other, cache):
    mine = await toolchain("python").layer((), cache, ignore)
    theirs = await toolchain(f"python{other}").layer((), cache, ignore)
    assert mine.mounts[0].source != theirs.mounts[0].source
    assert os.path.basename(next(theirs.mounts[0].source.glob("lib/python*"))) == f"python{other}"  # noqa: PTH119


async def test_a_project_for_another_version_is_tested_with_it(other, bubblewrap, cache):
    files = {
        "pyproject.toml": f"[project]\nrequires-python = '=={other}.*'",
        "tests/test_a.py": f"import sys\n\n\ndef test_a():\n    assert sys.version_info[1] == {other.partition('.')[2]}\n",
    }
    found = await WayTester(bubblewrap, cache, ignore).first_working(files, candidates(files))
    assert (found.candidate.plan.toolchain, len(found.trials)) == (f"python{other}", 1)
    assert found.candidate.assumptions[0].said == f"Python {other} runs it, as it is for =={other}.*"


async def test_a_project_for_a_version_that_is_not_here_is_not_tried_and_says_what_to_install(bubblewrap, tmp_path):
    files = {"pyproject.toml": "[project]\nrequires-python = '>=3.30'", "tests/test_a.py": "def test_a():\n    pass\n"}
    with pytest.raises(NotTestable) as caught:
        await WayTester(bubblewrap, tmp_path, ignore).first_working(files, candidates(files))
    said = (
        "Python 3.30 is not installed here: get it with `uv python install 3.30` or `pyenv install 3.30` "
        "(it is for >=3.30: pyproject.toml [project] requires-python); --toolchain names another version"
    )
    assert caught.value.remedies == (said,)
    assert len(caught.value.trials) == 1
    assert not list(tmp_path.iterdir()), "nothing is installed before"


async def test_where_the_version_that_it_is_worked_on_with_fails_the_own_one_is_tried(other, bubblewrap, cache):
    files = {
        ".python-version": other,
        "tests/test_a.py": f"import sys\n\n\ndef test_a():\n    assert '%d.%d' % sys.version_info[:2] == '{OWN}'\n",
    }
    found = await WayTester(bubblewrap, cache, ignore).first_working(files, candidates(files))
    assert found.candidate.plan.toolchain == "python"
    assert found.trials[0].candidate.plan.toolchain == f"python{other}"
