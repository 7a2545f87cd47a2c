"""Where the packages of a project lie, and whether it must be built."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.python_candidates import (
    build_requires,
    needs_build,
    project_name,
    project_root,
    pytest_options,
    source_folders,
)

ROOT = PurePosixPath()


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        ({"src/own/__init__.py": ""}, ["src"]),
        ({"own/__init__.py": "", "src/main.c": ""}, []),
        ({"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["lib"]', "lib/own.py": ""}, ["lib"]),
        ({"pyproject.toml": '[tool.setuptools.package-dir]\n"" = "lib"', "lib/own.py": ""}, ["lib"]),
        ({"pyproject.toml": '[tool.poetry]\npackages = [{include = "own", from = "lib"}]', "lib/own.py": ""}, ["lib"]),
        ({"pyproject.toml": '[tool.hatch.build.targets.wheel]\npackages = ["lib/own"]', "lib/own/a.py": ""}, ["lib"]),
        ({"pyproject.toml": '[tool.hatch.build.targets.wheel]\nsources = ["lib"]', "lib/own/a.py": ""}, ["lib"]),
        ({"pyproject.toml": '[tool.pdm.build]\npackage-dir = "lib"', "lib/own/a.py": ""}, ["lib"]),
        ({"setup.cfg": "[options]\npackage_dir =\n  =lib\n  other=there", "lib/a.py": "", "there/a.py": ""}, ["lib"]),
        ({"setup.cfg": "[options.packages.find]\nwhere = lib", "lib/a.py": ""}, ["lib"]),
        ({"setup.py": "from setuptools import setup\nsetup(package_dir={'': 'lib'})", "lib/a.py": ""}, ["lib"]),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]', "src/a.py": ""}, []),
        ({"pytest.ini": "[pytest]\npythonpath = . src", "src/a.py": ""}, []),
        ({"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["."]', "own/a.py": ""}, []),
    ],
)
def test_the_folders_of_packages(files, folders):
    assert source_folders(files, ROOT) == folders


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"pytest.ini": "[pytest]\naddopts = -x", "tox.ini": "[pytest]\naddopts = -y"}, {"addopts": "-x"}),
        ({".pytest.ini": "[pytest]\naddopts = -x"}, {"addopts": "-x"}),
        (
            {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-x"', "setup.cfg": "[tool:pytest]\naddopts = -y"},
            {"addopts": "-x"},
        ),
        ({"pyproject.toml": '[tool.pytest]\naddopts = ["-x"]'}, {"addopts": ["-x"]}),
        ({"tox.ini": "[pytest]\naddopts = -x", "setup.cfg": "[tool:pytest]\naddopts = -y"}, {"addopts": "-x"}),
        ({"setup.cfg": "[tool:pytest]\naddopts = -y"}, {"addopts": "-y"}),
        ({"setup.cfg": "[pytest]\naddopts = -y"}, {}),
    ],
)
def test_settings_of_pytest_are_those_that_pytest_would_take(files, options):
    assert pytest_options(files, ROOT) == options


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"pyproject.toml": '[project]\nname = "own"', "setup.cfg": "[metadata]\nname = x"}, "own"),
        ({"pyproject.toml": '[tool.poetry]\nname = "own"'}, "own"),
        ({"setup.cfg": "[metadata]\nname = own"}, "own"),
        ({"setup.py": "import setuptools\nNAME = 'own'\nsetuptools.setup(name=NAME)"}, "own"),
        ({"pyproject.toml": "[project]\nname = 5"}, ""),
    ],
)
def test_the_name_of_a_project(files, name):
    assert project_name(files, ROOT) == name


@pytest.mark.parametrize(
    ("files", "folder", "root"),
    [
        ({"pyproject.toml": "", "tests/a.py": ""}, "tests", "."),
        ({"one/setup.py": "", "one/tests/a.py": "", "pyproject.toml": ""}, "one/tests", "one"),
        ({"tests/requirements.txt": "", "setup.cfg": ""}, "tests", "."),
        ({"one/requirements.txt": "", "setup.cfg": ""}, "one/tests", "one"),
        ({"tests/pyproject.toml": ""}, "tests", "tests"),
        ({"a/b/c.py": ""}, "a/b", "."),
    ],
)
def test_a_project_is_the_nearest_folder_that_describes_one(files, folder, root):
    assert str(project_root(files, PurePosixPath(folder))) == root


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"own.py": "x = 1"}, ""),
        ({"setup.py": "from setuptools import setup\nsetup(ext_modules=[made()])"}, "it has compiled parts"),
        ({"pyproject.toml": '[project.entry-points.pytest11]\nown = "own"'}, "pytest finds it by its entry point"),
        (
            {"setup.py": "from setuptools import setup\nsetup(entry_points={'pytest11': ['own=own']})"},
            "pytest finds it by its entry point",
        ),
        ({"pyproject.toml": "[tool.setuptools_scm]\nwrite_to = 'x'"}, "a build writes its version"),
        ({"pyproject.toml": "[tool.hatch.build.hooks.vcs]\nversion-file = 'x'"}, "a build writes its version"),
        ({"own.py": "from importlib.metadata import version"}, "own.py may ask for what is installed"),
        ({"own.py": "import pkg_resources"}, "own.py may ask for what is installed"),
    ],
)
def test_why_a_project_must_be_built(files, why):
    assert needs_build(files, ROOT) == why


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("", ("setuptools", "wheel")),
        ('[build-system]\nrequires = ["setuptools>=61"]', ("setuptools>=61", "wheel")),
        ('[build-system]\nrequires = ["hatchling", "hatch-vcs"]', ("hatchling", "hatch-vcs", "editables")),
        ('[build-system]\nrequires = ["flit_core"]', ("flit_core",)),
    ],
)
def test_what_a_build_needs(text, packages):
    assert build_requires({"pyproject.toml": text}, ROOT) == packages
