"""Requirement files are read as pip reads them, without what no package index can serve."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.source_code import of_requirement_file, of_requirement_files

ROOT = PurePosixPath()


def names(files, path="requirements.txt"):
    return [each.requirement for each in of_requirement_file(files, path, "run", path)]


def test_options_addresses_folders_comments_and_hashes_are_left_out():
    text = """# all
attrs>=23  # classes
--index-url https://host/simple
-i https://host/simple
--find-links ./wheels
-e .
-e git+https://host/x#egg=x
git+https://host/y
./here
evil @ https://host/evil.whl
rich==13.0 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
typing-extensions; python_version < "3.11"
"""
    assert names({"requirements.txt": text}) == [
        "attrs>=23",
        "rich==13.0",
        'typing-extensions; python_version < "3.11"',
    ]


def test_files_that_it_names_are_read_in_its_place_wherever_they_lie():
    files = {
        "requirements/test.txt": "-r base.txt\n--requirement=../more.in\n-rother.txt\nfreezegun\n",
        "requirements/base.txt": "attrs\n",
        "requirements/other.txt": "respx\n-r test.txt\n-r ../../../none.txt\n",
        "more.in": "rich\n",
    }
    assert names(files, "requirements/test.txt") == ["attrs", "rich", "respx", "freezegun"]


def test_constraints_limit_what_is_asked_for_and_ask_for_nothing():
    files = {
        "requirements.txt": "-c limits/constraints.txt\nAttrs\nrich>=12\nplain\n",
        "limits/constraints.txt": "attrs==23.1\nrich==13\nunused==1\n-c more.txt\n",
        "limits/more.txt": "plain<2\n",
    }
    assert names(files) == ["Attrs==23.1", "rich>=12", "plain<2"]


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("requirements.txt", "run"),
        ("requirements.in", "run"),
        ("requirements-dev.txt", "test"),
        ("dev-requirements.txt", "test"),
        ("test_requirements.pip", "test"),
        ("requirements/tests.txt", "test"),
        ("requirements/base.in", "run"),
        ("reqs/docs.txt", "other"),
        ("requirements-lint.txt", "other"),
        ("requirements-test-typing.txt", "other"),
        ("tests/requirements.txt", "test"),
        ("notes.txt", None),
        ("docs/requirements.txt", None),
        ("a/b/c/requirements/x.txt", None),
        ("requirements.md", None),
    ],
)
def test_which_files_are_lists_and_what_they_are_for(path, use):
    found = list(of_requirement_files({path: "attrs\n"}, ROOT))
    assert [each.use for each in found] == ([use] if use else [])


def test_files_of_another_project_of_the_repository_are_not_read():
    files = {"one/requirements.txt": "attrs\n", "two/requirements.txt": "rich\n"}
    assert [each.requirement for each in of_requirement_files(files, PurePosixPath("one"))] == ["attrs"]
