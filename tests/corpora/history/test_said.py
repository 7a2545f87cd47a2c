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


WORKSPACE = {
    "package.json": '{"workspaces": ["packages/*"], "scripts": {"test": "npm test -w one", "build": "tsc"}}',
    "packages/one/package.json": '{"name": "one", "scripts": {"test": "mocha"}, "dependencies": {"two": "*"}}',
    "packages/one/test.js": "require('two');",
    "packages/two/package.json": '{"name": "two"}',
}
LINKED = "mkdir -p ../../node_modules && ln -sfn ../packages/two ../../node_modules/two"


@pytest.mark.parametrize(
    ("members", "setup"),
    [
        ({}, LINKED),
        ({"setup": "npm run codegen"}, f"{LINKED} && npm run codegen"),
        ({"setup": ""}, LINKED),
        ({"cwd": "./packages/one/"}, LINKED),
        ({"command": "mocha", "setup": "make", "cwd": "."}, f"(cd packages/one && {LINKED}) && make"),
        ({"cwd": "packages/two"}, f"(cd ../one && {LINKED})"),
    ],
)
def test_packages_of_a_workspace_find_each_other_whatever_set_up_is_said(members, setup):
    found = next(Said(members).candidates(WORKSPACE))
    assert found.plan.setup == setup
    assert "linked in node_modules, before it is set up: two" in [each.said for each in found.assumptions]


def test_the_build_of_a_workspace_stays_behind_its_links():
    files = WORKSPACE | {"package.json": WORKSPACE["package.json"].replace("npm test -w one", "mocha"), "test.js": ""}
    built = [each.plan.setup for each in Said({"cwd": "packages"}).candidates(files) if "built" in each.name]
    assert [
        (each.startswith("(cd .. && mkdir -p node_modules && ln -sfn"), each.endswith(") && tsc")) for each in built
    ] == [(True, True)]


def test_without_a_sandbox_nothing_is_linked():
    found = next(Said({"command": "mocha", "setup": "make"}, walled=False).candidates(WORKSPACE))
    assert found.plan.setup == "make"
    assert not [each.said for each in found.assumptions if each.said.startswith("linked")]
