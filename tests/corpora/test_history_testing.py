"""How the project of a commit is tested is found out from its files."""

import pytest

from corpora.history.testing import how_tested

PYTEST = "python -m pytest -q -p no:cacheprovider"


def test_a_package_in_a_src_folder_is_found_by_its_tests():
    files = {"pyproject.toml": "", "src/pkg/__init__.py": "", "tests/test_a.py": "import pkg"}
    assert how_tested(files).command == f"PYTHONPATH=src {PYTEST}"
    assert how_tested(files | {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]'}).command == PYTEST


def test_a_package_beside_its_tests_needs_nothing_more():
    assert how_tested({"pyproject.toml": "", "pkg/__init__.py": "", "tests/test_a.py": "import pkg"}).command == PYTEST


@pytest.mark.parametrize(
    "listed",
    [
        {"pyproject.toml": '[dependency-groups]\ntests = ["freezegun>=1", "sphinx", {include-group = "x"}]'},
        {"pyproject.toml": '[project.optional-dependencies]\ndev = ["freezegun>=1", "sphinx"]'},
        {"requirements/tests.in": "# what tests need\nfreezegun>=1 # time\nsphinx\n-r other.txt\n"},
        {"setup.py": "", "tests/requirements.txt": "", "requirements-test.txt": "Freezegun>=1\nsphinx\n"},
    ],
)
def test_what_the_project_lists_and_a_test_imports_is_required(listed):
    files = {"setup.cfg": "", "tests/test_a.py": "import os\nfrom freezegun import freeze_time\n"} | listed
    assert [item.partition(">")[0].lower() for item in how_tested(files).requires] == ["pytest", "freezegun"]


def test_a_script_that_is_only_called_like_a_test_does_not_say_where_the_tests_are():
    files = {
        "pyproject.toml": "",
        "profiler/requirements.txt": "",
        "profiler/test_for_profiler.py": "",
        "tests/test_a.py": "",
    }
    assert how_tested(files).cwd == "."


def test_settings_that_are_no_toml_are_no_settings():
    assert how_tested({"pyproject.toml": "= [", "tests/test_a.py": ""}).command == PYTEST


def test_other_projects_are_what_detect_says_and_some_say_nothing():
    node = {"package.json": '{"scripts": {"test": "node --test"}}', "test/a.test.js": ""}
    assert how_tested(node).toolchain == "node"
    assert how_tested({"a.txt": ""}) is None


def test_a_project_does_not_require_itself():
    listed = '[project]\nname = "shapes"\n[dependency-groups]\nall = ["shapes[tests]", "hypothesis"]\n'
    files = {"pyproject.toml": listed, "tests/test_a.py": "import shapes\nimport hypothesis\n"}
    assert [item.partition(">")[0] for item in how_tested(files).requires] == ["pytest", "hypothesis"]
