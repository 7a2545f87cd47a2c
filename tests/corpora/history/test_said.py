"""What a person, or a model, says of the tests counts over what the files of a project show."""

import pytest

from corpora.history.environments import Said

FILES = {"requirements-test.txt": "pytest<9\nfreezegun>=1\n", "tests/test_a.py": "import freezegun\n"}
WANTED = {
    "pyproject.toml": "[project]\nrequires-python = '>=3.30'\ndependencies = [\"attrs; python_version < '3.10'\", \"rich; python_version >= '3.10'\"]\n",
    "tests/test_a.py": "",
}


def test_a_version_that_is_said_takes_the_place_of_the_one_that_files_show():
    shown = next(Said().candidates(FILES)).plan.requires
    assert {"freezegun>=1"} < set(shown)
    said = next(Said(also=("Freezegun==1.5", "attrs")).candidates(FILES)).plan.requires
    assert said == (*(item for item in shown if item != "freezegun>=1"), "Freezegun==1.5", "attrs")


def test_no_toolchain_is_what_lies_on_the_machine():
    ways = list(Said({"toolchain": "none", "command": "make test"}).candidates(FILES))
    assert [(each.plan.toolchain, each.plan.command) for each in ways] == [("system", "make test")]


def test_a_version_of_python_that_is_said_counts_over_the_files_with_the_packages_that_are_for_it():
    [found, *_] = Said({"toolchain": "python3.9"}).candidates(WANTED)
    assert found.plan.toolchain == "python3.9"
    assert [item.partition(";")[0] for item in found.plan.requires] == ["pytest>=8.3,<9", "attrs"]
    assert [each.said for each in found.assumptions if each.source == "as you say"] == ["its toolchain: python3.9"]


@pytest.mark.parametrize(
    ("toolchain", "expected"), [("python", "python"), ("node", "node"), ("none", "system"), ("", "python3.30")]
)
def test_the_files_say_which_python_only_where_nobody_else_does(toolchain, expected):
    members = {"command": "check"} | ({"toolchain": toolchain} if toolchain else {})
    [found] = Said(members).candidates(WANTED)
    assert (found.plan.toolchain, found.plan.command) == (expected, "check")


def test_members_say_where_they_come_from():
    said = Said({"toolchain": "python", "command": "make"}, origins={"command": "the model wise"})
    [found] = said.candidates(WANTED)
    shown = {each.said: each.source for each in found.assumptions}
    assert shown["its tests are run by: make"] == "as the model wise says"
    assert shown["its toolchain: python"] == "as you say"
