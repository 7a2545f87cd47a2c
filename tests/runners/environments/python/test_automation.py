"""What tox and workflows say is read from each of their forms."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.automation import UNKNOWN, of_tox, of_workflows, tox_environments

ROOT = PurePosixPath()
INI = """
[tox]
envlist = py311
[base]
deps = freezegun
more = -r{toxinidir}/requirements.txt
[testenv]
deps =
    {[base]deps}
    {[base]more}
    django42: Django>=4.2,<5
    !py311,py312: respx
    typing-extensions; python_version < "3.12"
commands =
    - pytest {posargs:tests} --cov={envsitepackagesdir}/own
    {envpython} -m unittest
[testenv:docs]
deps = sphinx
commands = sphinx-build
[testenv:py3-unit]
deps = {[testenv]deps}
    rich
"""


@pytest.fixture
def requirements():
    return {"requirements.txt": "attrs\n"}


def environments(files):
    return [(each.name, each.use, each.commands) for each in tox_environments(files, ROOT)]


def packages(files):
    return [(each.requirement, each.use, each.source) for each in of_tox(files, ROOT)]


EXPECTED = ["freezegun", "attrs", "Django<5,>=4.2", "respx", 'typing-extensions; python_version < "3.12"']


@pytest.mark.parametrize("name", ["tox.ini", "setup.cfg"])
def test_dependencies_are_read_with_references_factors_and_lists(name, requirements):
    found = packages({name: INI, **requirements})
    assert [requirement for requirement, use, source in found if source == f"{name} [testenv]"] == EXPECTED
    assert [requirement for requirement, use, source in found if source == f"{name} [testenv:py3-unit]"] == [
        *EXPECTED,
        "rich",
    ]
    assert ("sphinx", "other", f"{name} [testenv:docs]") in found
    assert {use for _, use, source in found if "docs" not in source} == {"test"}


def test_commands_have_the_defaults_of_what_a_person_may_add():
    found = environments({"tox.ini": INI})
    assert found[0] == ("", "test", (f"pytest tests --cov={UNKNOWN}/own", "python -m unittest"))
    assert found[1][1] == "other"


def test_a_reference_in_a_circle_ends():
    text = "[testenv]\ndeps = {[testenv]deps}\n  attrs\n  {[none]deps}\n"
    assert {requirement for requirement, *_ in packages({"tox.ini": text})} == {"attrs"}


def test_the_ini_in_a_pyproject_file_and_the_tables_of_tox_are_read():
    legacy = '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ndeps = freezegun\ncommands = pytest tests\n"""\n'
    assert packages({"pyproject.toml": legacy}) == [("freezegun", "test", "pyproject.toml [testenv]")]
    native = """
[env_run_base]
deps = ["freezegun", "-r list.txt"]
commands = [["pytest", "-k", "not slow", { replace = "posargs" }, "tests"]]
[env.docs]
deps = ["sphinx"]
[env."3.11"]
deps = ["respx"]
"""
    files = {"tox.toml": native, "list.txt": "attrs\n"}
    assert packages(files) == [
        ("freezegun", "test", "tox.toml [env_run_base]"),
        ("attrs", "test", "tox.toml [env_run_base]"),
        ("sphinx", "other", "tox.toml [env.docs]"),
        ("respx", "test", "tox.toml [env.3.11]"),
    ]
    assert environments(files)[0] == ("", "test", ("pytest -k 'not slow' tests",))
    own = "[tool.tox.env_run_base]\ndeps = ['freezegun']\n"
    assert packages({"pyproject.toml": own}) == [("freezegun", "test", "pyproject.toml [env_run_base]")]


@pytest.mark.parametrize(
    ("name", "use"), [("py311", "test"), ("3.11", "test"), ("py-django42", "test"), ("pypy3", "test"), ("unit", "test"), ("lint", "other"), ("docs", "other"), ("mypy", "other"), ("coverage-report", "other")]
)  # fmt: skip
def test_an_environment_is_for_tests_by_its_name(name, use):
    assert [each.use for each in tox_environments({"tox.ini": f"[testenv:{name}]\n"}, ROOT)] == [use]


def test_what_workflows_install_with_pip_is_read():
    text = """
jobs:
  build:
    steps:
      - uses: actions/checkout@v4
      - run: |
          python -m pip install --upgrade pip
          pip install freezegun \\
            "rich>=12" && echo pip install none
          uv pip install -r list.txt; pip3 install -e .
          pip install 'unbalanced
      - run: [1]
      - 7
  other: {steps: {a: b}}
"""
    files = {".github/workflows/tests.yml": text, "list.txt": "attrs\n", "docs/tests.yml": text}
    found = [(each.requirement, each.use, each.source) for each in of_workflows(files, ROOT)]
    assert found == [
        ("pip", "test", ".github/workflows/tests.yml"),
        ("freezegun", "test", ".github/workflows/tests.yml"),
        ("rich>=12", "test", ".github/workflows/tests.yml"),
        ("none", "test", ".github/workflows/tests.yml"),
        ("attrs", "test", ".github/workflows/tests.yml"),
    ]
    assert {each.use for each in of_workflows({".github/workflows/deploy.yaml": text}, ROOT)} == {"other"}
