"""Commands of tox become commands that can run here, and settings of pytest name the plugins that they need."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.python_candidates import PYTEST, needed_plugins, tox_commands

ROOT = PurePosixPath()


def commands(*lines):
    text = "[testenv]\ncommands =\n" + "".join(f"    {line}\n" for line in lines)
    return [command for command, _ in tox_commands({"tox.ini": text}, ROOT)]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("pytest", PYTEST),
        ("py.test tests", f"{PYTEST} tests"),
        ("python -m pytest tests -k 'not slow'", f"{PYTEST} tests -k 'not slow'"),
        ("python3.11 -m pytest tests", f"{PYTEST} tests"),
        ("pytest --cov=own --cov-report term -n auto -v --durations=5 -m unit tests", f"{PYTEST} -m unit tests"),
        ("pytest --cov own -q --color=yes --junitxml=x.xml tests/unit", f"{PYTEST} tests/unit"),
        ("coverage run -m pytest tests", f"{PYTEST} tests"),
        ("coverage run --source=own --branch -m unittest discover", "python -m unittest discover"),
        ("coverage run runtests.py", "python runtests.py"),
        ("python -m unittest discover -s tests", "python -m unittest discover -s tests"),
        ("python -m django test", "python -m django test"),
        ("python tests/run_tests.py --all", "python tests/run_tests.py --all"),
        ("pytest 'tests; touch x' $(touch x) `touch x`", f"{PYTEST} 'tests; touch x' '$(touch' 'x)' '`touch' 'x`'"),
    ],
)
def test_a_command_of_tests_runs_without_what_it_measures(line, command):
    assert commands(line) == [command]


@pytest.mark.parametrize(
    "line", ["coverage report", "python setup.py sdist", "python -m build", "ruff check", "make test", "pytest 'open", "bash -c 'pytest'", "coverage run", "coverage"]
)  # fmt: skip
def test_a_command_that_runs_no_test_is_none(line):
    assert commands(line) == []


def test_commands_of_environments_that_are_not_for_tests_are_left_out():
    text = "[testenv:docs]\ncommands = pytest docs\n[testenv:py3]\ncommands = pytest tests\n"
    assert list(tox_commands({"tox.ini": text}, ROOT)) == [(f"{PYTEST} tests", "tox.ini [testenv:py3]")]


@pytest.mark.parametrize(
    ("settings", "packages"),
    [
        ('addopts = "--cov=own --cov-report=term -n 4"', {"pytest-cov", "pytest-xdist"}),
        ('addopts = ["--benchmark-skip", "--timeout=5"]', {"pytest-benchmark", "pytest-timeout"}),
        ('addopts = "--no-header --new -nothing"', set()),
        ('asyncio_mode = "auto"', {"pytest-asyncio"}),
        ('addopts = "--asyncio-mode=auto"', {"pytest-asyncio"}),
        ('DJANGO_SETTINGS_MODULE = "a.b"', {"pytest-django"}),
        ("timeout = 5\nenv = ['A=1']", {"pytest-timeout", "pytest-env"}),
        ("addopts = 5", set()),
    ],
)
def test_plugins_that_settings_of_pytest_need_are_known(settings, packages):
    files = {"pyproject.toml": f"[tool.pytest.ini_options]\n{settings}\n"}
    assert needed_plugins(files, ROOT).keys() == packages
