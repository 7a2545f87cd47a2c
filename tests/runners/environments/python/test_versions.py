"""The interpreter for a project, by what its files say of versions of Python."""

import sys
from pathlib import PurePosixPath

import pytest

from runners.environments import candidates
from runners.environments.python.versions import chosen_python, wanted_pythons
from runners.toolchains.interpreters import Interpreter

ROOT = PurePosixPath()
OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
NEWER, OLDER = f"3.{sys.version_info.minor + 1}", f"3.{sys.version_info.minor - 1}"


class FakeInstalled:
    """Interpreters that are installed, with the series that were asked to start."""

    def __init__(self, *versions):
        self.versions = {version.rpartition(".")[0]: version for version in versions}
        self.started = []

    @property
    def series(self):
        return sorted(self.versions, key=lambda name: int(name.partition(".")[2]), reverse=True)

    def interpreter(self, series):
        self.started.append(series)
        version = self.versions.get(series)
        return Interpreter(version, version, "/opt/python", "python3", "python3") if version else None


def said(files):
    return [(each.said, each.source, each.binding) for each in wanted_pythons(files, ROOT)]


def chosen(files, *versions, toolchain=""):
    found = chosen_python(files, ROOT, toolchain, lambda: FakeInstalled(*versions))
    return found.toolchain, found.version


def project(wanted):
    return {"pyproject.toml": f"[project]\nrequires-python = '{wanted}'"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (project(">=3.8,<3.11"), (">=3.8,<3.11", "pyproject.toml [project] requires-python", True)),
        (
            {"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.8'"},
            (">=3.8,<4", "pyproject.toml [tool.poetry.dependencies] python", True),
        ),
        (
            {"pyproject.toml": "[tool.poetry.dependencies]\npython = '~2.7 || ^3.6'"},
            (">=2.7,<2.8 || >=3.6,<4", "pyproject.toml [tool.poetry.dependencies] python", True),
        ),
        (
            {"pyproject.toml": "[tool.flit.metadata]\nrequires-python = '>=3.6'"},
            (">=3.6", "pyproject.toml [tool.flit.metadata]", True),
        ),
        (
            {"setup.cfg": "[options]\npython_requires = >=3.7"},
            (">=3.7", "setup.cfg [options] python_requires", True),
        ),
        (
            {"setup.py": "from setuptools import setup\nsetup(python_requires='<3.9')"},
            ("<3.9", "setup.py python_requires", True),
        ),
        ({".python-version": "# mine\n3.9.18\npypy3.10-7.3\n3.8\n"}, ("3.9, 3.8", ".python-version", False)),
        ({"tox.ini": "[tox]\nenvlist = py27, py36, py310"}, ("2.7, 3.6, 3.10", "tox.ini [tox] envlist", False)),
        ({"tox.ini": "[tox]\nenvlist = py3{8,9}-{a,b}, lint"}, ("3.8, 3.9", "tox.ini [tox] envlist", False)),
        (
            {"tox.ini": "[tox]\nenv_list = py3{9-11}, py{312-313}"},
            ("3.9, 3.10, 3.11, 3.12, 3.13", "tox.ini [tox] envlist", False),
        ),
        ({"tox.ini": "[tox]\nenvlist = {py38,py39}{,-x}, pypy3, pytest-check"}, ("3.8, 3.9", "tox.ini [tox] envlist", False)),
        (
            {"tox.ini": "[tox]\nenvlist = py,lint\n[testenv]\nbasepython = python3.8"},
            ("3.8", "tox.ini [tox] envlist", False),
        ),
        (
            {"pyproject.toml": "[tool.tox]\nenv_list = ['py3.9', 'py3.10', 'style']"},
            ("3.9, 3.10", "pyproject.toml [tool.tox] env_list", False),
        ),
        (
            {"tox.toml": "env_list = ['a']\n[env_run_base]\nbase_python = ['py312']"},
            ("3.12", "tox.toml env_list", False),
        ),
    ],
)  # fmt: skip
def test_each_place_says_its_versions(files, expected):
    assert said(files) == [expected]


@pytest.mark.parametrize(
    "files",
    [
        project("new ones"),
        {"pyproject.toml": "[project]\nrequires-python = 3"},
        {"tox.ini": "[tox]\nenvlist = py, py39"},
        {"tox.ini": "[tox]\nenvlist = py3"},
        {"tox.ini": "[tox]\nenvlist = pypy39, jython, docs"},
        {".python-version": "my-own-environment\n"},
        {"setup.py": "from setuptools import setup\nsetup(python_requires=VERSIONS)"},
        {"pyproject.toml": "[tool.poetry.dependencies]\npython = '*'"},
        project(",".join(f"!=3.{n}" for n in range(300))),
        {"tox.ini": "[tox]\nenvlist = " + "py3{0-999}," * 9000},
    ],
)
def test_what_cannot_be_read_or_takes_any_version_says_nothing(files):
    assert said(files) == []
    assert chosen(files, "3.9.1") == ("python", sys.version.split()[0])


def test_the_interpreter_that_runs_ghosttape_wins_if_it_fits_though_newer_ones_are_there():
    assert chosen(project(">=3.8"), f"{NEWER}.0", "3.9.1")[0] == "python"


def test_of_others_the_newest_one_that_fits_wins():
    assert chosen(project("<3.10"), f"{NEWER}.0", "3.9.1", "3.8.20") == ("python3.9", "3.9.1")
    assert chosen(project(">=3.7,<3.9"), "3.9.1", "3.8.20") == ("python3.8", "3.8.20")
    assert chosen(project(f">={NEWER}"), f"{NEWER}.2", "3.9.1") == (f"python{NEWER}", f"{NEWER}.2")


def test_all_three_numbers_of_an_installed_version_count():
    assert chosen(project("<=3.9.5"), "3.9.18", "3.8.20") == ("python3.8", "3.8.20")


def test_interpreters_are_started_only_if_their_series_may_fit():
    there = FakeInstalled(f"{NEWER}.0", "3.9.1", "3.8.20", "3.7.16")
    chosen_python(project("<3.10,!=3.9.*"), ROOT, find=lambda: there)
    assert there.started == ["3.8"]


def test_what_it_is_worked_on_with_counts_within_what_is_binding():
    files = project(">=3.8") | {"tox.ini": "[tox]\nenvlist = py37,py38,py39"}
    assert chosen(files, "3.10.1", "3.9.1", "3.8.20", "3.7.16") == ("python3.9", "3.9.1")
    assert chosen(files | {".python-version": "3.8"}, "3.9.1", "3.8.20") == ("python3.8", "3.8.20")


def test_what_it_is_worked_on_with_is_no_obstacle_where_none_of_it_is_installed():
    assert chosen(project(">=3.8") | {".python-version": "3.9"}, "3.8.20")[0] == "python"
    files = project("<3.10") | {".python-version": "3.9"}
    assert chosen(files, "3.8.20") == ("python3.8", "3.8.20")


@pytest.mark.parametrize(
    ("wanted", "series"), [("<3.9", "3.8"), (">=3.7,<3.10", "3.9"), (">=3.30", "3.30"), ("<3", "2.7"), ("==3.8.4", "3.8")]
)  # fmt: skip
def test_where_none_is_installed_the_nearest_series_that_fits_is_named(wanted, series):
    assert chosen(project(wanted)) == (f"python{series}", f"{series}.0")


def test_versions_that_exclude_each_other_say_nothing():
    assert chosen(project(">=3.9,<3.8"), "3.9.1")[0] == "python"


def test_what_a_person_asks_for_counts_before_the_files():
    assert chosen(project("<3.9"), "3.9.1", "3.8.20", toolchain="python3.9") == ("python3.9", "3.9.1")
    assert chosen(project("<3.9"), "3.8.20", toolchain="python")[0] == "python"


FILES = {
    "pyproject.toml": f"""
[project]
requires-python = "<{OLDER}.0"
dependencies = ["attrs; python_version < '{OWN}'", "rich; python_version >= '{OWN}'"]
""",
    "tests/test_a.py": "",
}


def test_a_candidate_has_the_interpreter_and_what_is_for_it():
    found = next(candidates(FILES, "python3.9"))
    assert found.plan.toolchain == "python3.9"
    assert [name.partition(";")[0] for name in found.plan.requires] == ["pytest>=8.3,<9", "attrs"]


def test_another_interpreter_is_said_with_the_place_that_wants_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "")
    for name in ("HOME", "PYENV_ROOT", "UV_PYTHON_INSTALL_DIR", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    said = next(candidates({**FILES, **project("<3.9")})).assumptions[0]
    assert (said.said, said.source, said.flag) == (
        "Python 3.8 runs it, as it is for <3.9",
        "pyproject.toml [project] requires-python",
        "--toolchain",
    )


def test_where_an_installer_takes_both_the_interpreter_that_runs_ghosttape_is_tried_last(monkeypatch):
    monkeypatch.setattr("runners.environments.python.python_candidates.chosen_python", with_old_ones)
    found = list(candidates({"tests/test_a.py": "", ".python-version": "3.9"}))
    assert [(each.plan.toolchain, each.name) for each in found] == [
        ("python3.9", "pytest"),
        ("python3.9", "pytest, built"),
        ("python", "pytest, as ghosttape runs"),
        ("python", "pytest, built, as ghosttape runs"),
    ]


def with_old_ones(files, root, toolchain=""):
    return chosen_python(files, root, toolchain, lambda: FakeInstalled("3.9.1"))
