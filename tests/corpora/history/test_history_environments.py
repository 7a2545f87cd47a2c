"""How the project of a commit is tested is found out from its files."""

import pytest
import tomli_w
from hypothesis import example, given
from hypothesis import strategies as some

from replay.importers.building.project_tests import detect_tests

PYTEST = "python -m pytest -q -p no:cacheprovider"


def test_a_package_in_a_src_folder_is_found_by_its_tests():
    files = {"pyproject.toml": "", "src/pkg/__init__.py": "", "tests/test_a.py": "import pkg"}
    assert detect_tests(files).command == f'PYTHONPATH="$PWD/src" {PYTEST}'
    assert detect_tests(files | {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]'}).command == PYTEST


def test_a_package_beside_its_tests_needs_nothing_more():
    assert (
        detect_tests({"pyproject.toml": "", "pkg/__init__.py": "", "tests/test_a.py": "import pkg"}).command == PYTEST
    )


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
    assert [item.partition(">")[0].lower() for item in detect_tests(files).requires] == ["pytest", "freezegun"]


def test_a_script_that_is_only_called_like_a_test_does_not_say_where_the_tests_are():
    files = {
        "pyproject.toml": "",
        "profiler/requirements.txt": "",
        "profiler/test_for_profiler.py": "",
        "tests/test_a.py": "",
    }
    assert detect_tests(files).cwd == "."


def test_settings_that_are_no_toml_are_no_settings():
    assert detect_tests({"pyproject.toml": "= [", "tests/test_a.py": ""}).command == PYTEST


def test_other_projects_are_what_detect_says_and_some_say_nothing():
    node = {"package.json": '{"scripts": {"test": "node --test"}}', "test/a.test.js": ""}
    assert detect_tests(node).toolchain == "node"
    assert detect_tests({"a.txt": ""}) is None


def test_a_project_does_not_require_itself():
    listed = '[project]\nname = "shapes"\n[dependency-groups]\nall = ["shapes[tests]", "hypothesis"]\n'
    files = {"pyproject.toml": listed, "tests/test_a.py": "import shapes\nimport hypothesis\n"}
    assert [item.partition(">")[0] for item in detect_tests(files).requires] == ["pytest", "hypothesis"]


TEXT = some.sampled_from(["pytest>=8", "freezegun", "a b", ""]) | some.text(max_size=4)
MEMBERS = some.recursive(
    some.booleans() | some.integers() | TEXT,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


@given(MEMBERS, MEMBERS, MEMBERS)
@example(1, 1, 1)
@example({"name": 1, "optional-dependencies": ["freezegun"]}, ["freezegun"], {"pytest": 1})
@example({"optional-dependencies": {"dev": 1}}, {"dev": 1}, {"pytest": {"ini_options": []}})
def test_members_of_any_shape_in_a_pyproject_file_end_no_import(project, groups, tool):
    manifest = tomli_w.dumps({"project": project, "dependency-groups": groups, "tool": tool})
    files = {"pyproject.toml": manifest, "src/pkg/__init__.py": "", "tests/test_a.py": "import freezegun"}
    assert detect_tests(files).toolchain == "python"
