"""The ways to test a JavaScript or TypeScript project."""

import json

import pytest

from runners.environments import candidates
from runners.environments.node.node_candidates import is_test

TEST = "const x = require('left-pad');\n"


def package(test="mocha", name="own", **more):
    return json.dumps({"name": name, "scripts": {"test": test}, **more})


def ways(files):
    return [(each.plan.command, each.plan.cwd, each.plan.setup, each.plan.requires) for each in candidates(files)]


def test_first_the_packages_that_tests_name_then_all_then_after_the_build():
    manifest = package(
        devDependencies={"mocha": "^10", "left-pad": "^1", "eslint": "^8", "@types/node": "18", "typescript": "~5.0"},
        dependencies={"unused": "^1"},
        scripts={"test": "eslint . && mocha", "build": "tsc -p ."},
    )
    narrow = ("@types/node@18", "left-pad@^1", "mocha@^10", "typescript@~5.0")
    wide = ("@types/node@18", "eslint@^8", "left-pad@^1", "mocha@^10", "typescript@~5.0", "unused@^1")
    assert ways({"package.json": manifest, "test/a.test.js": TEST}) == [
        ("mocha", ".", "", narrow),
        ("mocha", ".", "", wide),
        ("mocha", ".", "tsc -p .", wide),
    ]


@pytest.mark.parametrize(
    "said", ["git+ssh://git@host/x.git", "file:..", "link:../x", "workspace:*", "npm:other@1", "http://host/x.tgz", "github:a/b", "a/b", "latest; touch x", "$(touch x)", "^1 `touch x`", "*;x", ""]
)  # fmt: skip
def test_what_no_registry_can_serve_is_left_out(said):
    manifest = package(devDependencies={"mocha": "^10", "left-pad": said})
    assert all(requires == ("mocha@^10",) for *_, requires in ways({"package.json": manifest, "test/a.js": TEST}))


@pytest.mark.parametrize(
    ("said", "kept"),
    [("^1.2.3", "^1.2.3"), ("~1.2", "~1.2"), ("1.x", "1.x"), (">=1", ">=1"), ("*", "*"), ("1.2.3-beta.1", "1.2.3-beta.1"), ("^1 || ^2", "^2"), ("1.0.0 || >=2.0.0-rc.1", ">=2.0.0-rc.1")],
)  # fmt: skip
def test_plain_ranges_are_kept_and_of_several_the_last(said, kept):
    manifest = package(devDependencies={"mocha": said})
    assert ways({"package.json": manifest, "test/a.js": ""})[0][3] == (f"mocha@{kept}",)


def test_locked_versions_take_the_place_of_ranges():
    manifest = package(devDependencies={"mocha": "^10", "left-pad": "^1"})
    lock = json.dumps({"packages": {"node_modules/mocha": {"version": "10.2.0"}}})
    files = {"package.json": manifest, "package-lock.json": lock, "test/a.js": TEST}
    assert ways(files)[0][3] == ("left-pad@^1", "mocha@10.2.0")
    assert "with the versions of package-lock.json (npm)" in next(candidates(files)).assumptions[-1].source


def test_packages_of_a_workspace_find_each_other():
    files = {
        "package.json": package("lerna run test", "root", devDependencies={"mocha": "^10"}, workspaces=["packages/*"]),
        "packages/one/package.json": package(
            "mocha", "@own/one", dependencies={"@own/two": "workspace:*", "two; x": "1"}
        ),
        "packages/two/package.json": package("echo none", "@own/two"),
        "packages/three/package.json": package("echo none", "two; x"),
        "packages/one/test/a.test.js": TEST,
    }
    command, cwd, setup, requires = ways(files)[0]
    assert (command, cwd, requires) == ("mocha", "packages/one", ("mocha@^10",))
    assert setup == (
        "mkdir -p ../../node_modules/@own && ln -sfn ../../packages/two ../../node_modules/@own/two"
        " && mkdir -p ../../node_modules && ln -sfn ../packages/three '../../node_modules/two; x'"
    )


def test_without_a_script_the_runner_that_is_installed_is_used():
    manifest = json.dumps({"devDependencies": {"vitest": "^1", "jest": "^29"}})
    found = [command for command, *_ in ways({"package.json": manifest, "src/a.test.ts": ""})]
    assert list(dict.fromkeys(found)) == ["vitest run", "jest"]


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": package()},
        {"package.json": package(), "node_modules/x/test/a.js": ""},
        {"node_modules/x/package.json": package(), "node_modules/x/test/a.js": ""},
        {"package.json": package("make test"), "test/a.js": ""},
        {"package.json": "[]", "test/a.js": ""},
        {"package.json": "{", "test/a.js": ""},
    ],
)
def test_without_tests_or_a_known_runner_there_is_no_way(files):
    assert ways(files) == []


@pytest.mark.parametrize(
    ("path", "test"),
    [("a.test.ts", True), ("a-spec.mjs", True), ("test.js", True), ("test/a.js", True), ("__tests__/a.tsx", True), ("test/a.json", False), ("latest.js", False), ("node_modules/x/a.test.js", False), ("src/contest/a.js", False)],
)  # fmt: skip
def test_a_test_is_known_by_its_name_or_folder(path, test):
    assert is_test(path) == test


def test_of_two_languages_the_one_with_more_tests_comes_first():
    node = {"package.json": package(devDependencies={"mocha": "1"}), "test/a.js": "", "test/b.js": ""}
    python = {"setup.py": "", "tests/test_a.py": ""}
    more = {"tests/test_b.py": "", "tests/test_c.py": ""}
    assert [each.plan.toolchain for each in candidates(node | python)] == ["node", "python", "python"]
    assert [each.plan.toolchain for each in candidates(node | python | more)] == ["python", "python", "node"]
