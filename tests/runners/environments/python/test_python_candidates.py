"""The ways to test a Python project, in the order in which they are tried."""

import sys

import pytest

from runners.environments import candidates
from runners.environments.python.python_candidates import PYTEST, PYTEST_REQUIREMENT, SITE, python_project

MANIFEST = """
[project]
name = "own"
dependencies = ["attrs"]
[dependency-groups]
test = ["freezegun", "respx", "pytest-mock", "own"]
docs = ["sphinx"]
"""


def ways(files):
    return list(candidates(files))


@pytest.fixture
def files():
    return {
        "pyproject.toml": MANIFEST,
        "own/__init__.py": "",
        "tests/test_a.py": "import freezegun, own",
        "tox.ini": "[testenv]\ndeps = rich\ncommands = pytest tests/unit\n",
    }


def test_first_what_tests_import_then_all_that_is_for_tests_then_tox_then_the_same_built(files):
    found = [(each.name, sorted(each.plan.requires), bool(each.plan.setup)) for each in ways(files)]
    narrow = sorted(["attrs", "freezegun", "pytest-mock", PYTEST_REQUIREMENT])
    wide = sorted([*narrow, "respx", "rich"])
    build = ["setuptools", "wheel"]
    assert found == [
        ("pytest", narrow, False),
        ("pytest with all test packages", wide, False),
        (f"tox: {PYTEST} tests/unit", wide, False),
        ("pytest, built", sorted([*narrow, *build]), True),
        ("pytest with all test packages, built", sorted([*wide, *build]), True),
        (f"tox: {PYTEST} tests/unit, built", sorted([*wide, *build]), True),
    ]


def test_what_is_taken_for_granted_is_said_with_its_place_and_its_flag(files):
    said = [(each.said, each.source, each.flag) for each in ways(files)[0].assumptions]
    version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    assert said == [
        (f"{version} runs it, as it runs ghosttape", "", "--toolchain"),
        (f"its tests are run by: {PYTEST}", "", "--test-command"),
        (f"installed: {PYTEST_REQUIREMENT}", "", "--requires"),
        ("installed: attrs", "pyproject.toml [project]", "--requires"),
        ("installed: freezegun, pytest-mock", "pyproject.toml [dependency-groups] test", "--requires"),
    ]


def test_a_built_project_is_found_beside_its_sources():
    files = {"src/own/__init__.py": "", "pyproject.toml": "", "tests/test_a.py": ""}
    plain, built = ways(files)
    assert plain.plan.command == f'PYTHONPATH="$PWD/src" {PYTEST}'
    assert built.plan.command == f'PYTHONPATH="$PWD/src:$PWD:$PWD/{SITE}" {PYTEST}'


def test_a_project_in_a_folder_is_tested_there():
    files = {"back/setup.py": "", "back/tests/test_a.py": "", "front/x.py": ""}
    first = ways(files)[0]
    assert first.plan.cwd == "back"
    assert "the project is the folder back" in [each.said for each in first.assumptions]


def test_versions_of_the_nearer_source_count():
    files = {
        "pyproject.toml": '[project]\ndependencies = ["attrs>=23"]',
        "requirements.txt": "attrs==20\nrich\n",
        "tests/test_a.py": "",
    }
    assert ways(files)[0].plan.requires == (PYTEST_REQUIREMENT, "attrs>=23", "rich")


def test_a_project_asks_for_its_own_pytest():
    files = {"pyproject.toml": '[dependency-groups]\ntest = ["pytest>=7"]', "tests/test_a.py": ""}
    assert ways(files)[0].plan.requires == ("pytest>=7",)


def test_plugins_that_the_settings_need_are_installed_even_if_nothing_names_them():
    files = {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-n 2"', "tests/test_a.py": ""}
    assert "pytest-xdist" in ways(files)[0].plan.requires


def test_what_tests_import_and_nothing_installs_is_known():
    files = {"pyproject.toml": MANIFEST, "tests/test_a.py": "import freezegun, yaml, hypothesis, pytest, setuptools"}
    assert python_project(files).unnamed == ["hypothesis", "yaml"]


@pytest.mark.parametrize(
    "files", [{}, {"pyproject.toml": MANIFEST, "own/a.py": ""}, {"tests/data.py": ""}, {"tests/conftest.py": ""}]
)
def test_without_tests_there_is_no_way(files):
    assert ways(files) == []


@pytest.mark.parametrize("name", ["test_a.py", "a_test.py", "a_tests.py", "tests.py", "test.py"])
def test_a_module_of_tests_shows_a_project(name):
    assert [each.plan.toolchain for each in ways({name: ""})] == ["python", "python"]


GROUPS = """
[dependency-groups]
tests-random = ["pytest>=8.1", "pytest-randomly", "pytest-xdist", "pytest-mock"]
tests = ["pytest>=8.2", "pytest-timeout"]
"""


def requires(pyproject, test=""):
    return [each.plan.requires for each in ways({"pyproject.toml": pyproject, "tests/test_a.py": test})]


def test_a_group_for_tests_in_random_order_brings_nothing_where_another_has_pytest():
    found = requires(GROUPS)
    assert found[0] == ("pytest>=8.2", "pytest-timeout")
    assert not any("pytest-randomly" in each for each in found)


def test_a_group_with_the_only_pytest_brings_all_but_what_changes_the_order():
    only = GROUPS.partition("tests = ")[0]
    assert requires(only)[0] == ("pytest>=8.1", "pytest-xdist", "pytest-mock")


@pytest.mark.parametrize("name", ["pytest-randomly", "pytest-random-order", "pytest-reverse"])
def test_what_changes_the_order_is_installed_where_tests_import_it_or_the_settings_have_its_flag(name):
    listed = f'[dependency-groups]\ntests = ["pytest", "{name}"]\n'
    assert requires(listed)[0] == ("pytest",)
    assert requires(listed, f"import {name.replace('-', '_')}")[0] == ("pytest", name)
    flag = f'[tool.pytest.ini_options]\naddopts = "-q --{name.removeprefix("pytest-")}"\n'
    assert requires(listed + flag)[0] == ("pytest", name)
