"""setup.py and noxfile.py are read as far as they are written out, and never run."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.source_code import of_noxfile, of_setup_py, of_words, setup_arguments

ROOT = PurePosixPath()
SETUP = """
import os
from setuptools import setup, find_packages
BASE = ["attrs>=23"]
TESTS: list[str] = ["freezegun"] + BASE
READ = open("requirements.txt").read().splitlines()
TWICE = ["one"]
TWICE = ["two"]
setup(
    name="own" + "-project",
    version=os.environ["V"],
    package_dir={"": "lib", **os.environ},
    install_requires=BASE + ["rich"] + READ,
    tests_require=TESTS,
    extras_require={"test": TESTS, "docs": ("sphinx",), "read": READ, "twice": TWICE, BASE[0]: ["x"]},
)
"""


def test_names_sums_lists_and_tables_are_followed_and_what_is_read_from_files_is_left_out():
    found = [(each.requirement, each.use, each.source) for each in of_setup_py({"setup.py": SETUP}, ROOT)]
    assert found == [
        ("attrs>=23", "run", "setup.py install_requires"),
        ("rich", "run", "setup.py install_requires"),
        ("freezegun", "test", "setup.py tests_require"),
        ("attrs>=23", "test", "setup.py tests_require"),
        ("freezegun", "test", "setup.py extras_require test"),
        ("attrs>=23", "test", "setup.py extras_require test"),
        ("sphinx", "other", "setup.py extras_require docs"),
    ]


def test_the_arguments_that_are_written_out_are_known():
    found = setup_arguments(SETUP)
    assert found["name"] == "own-project"
    assert found["package_dir"] == {"": "lib"}
    assert "version" not in found


@pytest.mark.parametrize("text", ["", "setup(", "print 'x'", "setup(**all)", "x = 1", "\0"])
def test_a_file_that_says_nothing_says_nothing(text):
    assert list(of_setup_py({"setup.py": text}, ROOT)) == []


def test_requirements_in_one_text_are_one_a_line():
    text = "import setuptools\nsetuptools.setup(install_requires='''\nattrs\nrich>=12\n''')"
    assert [each.requirement for each in of_setup_py({"setup.py": text}, ROOT)] == ["attrs", "rich>=12"]


def test_what_sessions_of_nox_install_is_read_by_session():
    text = """
import nox
@nox.session(python=["3.11"])
def tests(session):
    if session.posargs:
        session.install("-r", "requirements.txt", "freezegun", *session.posargs)
    session.install(".", "-e", ".[test]", "-c", "limits.txt", "--index-url", "https://host", extra)
    session.conda_install("numpy")
    session.run("pytest", "rich")
@nox.session
def lint(session):
    session.install("ruff")
"""
    files = {"noxfile.py": text, "requirements.txt": "attrs\n"}
    found = [(each.requirement, each.use, each.source) for each in of_noxfile(files, ROOT)]
    assert sorted(found) == [
        ("attrs", "test", "noxfile.py tests"),
        ("freezegun", "test", "noxfile.py tests"),
        ("numpy", "test", "noxfile.py tests"),
        ("ruff", "other", "noxfile.py lint"),
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("attrs rich>=12", ["attrs", "rich>=12"]),
        ("-r list.txt attrs", ["rich", "attrs"]),
        ("-rlist.txt", ["rich"]),
        ("--upgrade attrs -c attrs --find-links here", ["attrs"]),
        (". ./x /x ../x -e .", []),
        ("https://host/x.whl git+https://host/x", []),
        ("-r", []),
    ],
)
def test_the_words_of_pip_install(words, expected):
    found = of_words(words.split(), {"list.txt": "rich\n"}, ROOT, "run", "x")
    assert [each.requirement for each in found] == expected
