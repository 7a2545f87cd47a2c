"""The packages of a repository find each other, and the root of workspaces has what all of them need."""

import json
import shlex
import time
from pathlib import PurePosixPath

import pytest

from runners.environments import candidates
from runners.environments.node.packages import Packages


def package(**members):
    return json.dumps(members)


FILES = {
    "package.json": package(
        workspaces=["packages/*"], scripts={"test": "node --test"}, devDependencies={"typescript": "^5.0.0"}
    ),
    "packages/a/package.json": package(name="@x/a", dependencies={"mdast": "^4.0.0"}),
    "packages/a/index.js": "import {b} from '@x/b'; import 'mdast';",
    "packages/b/package.json": package(name="@x/b"),
    "test/a.test.js": "import '@x/a';",
}


def test_the_root_of_workspaces_links_all_and_needs_what_they_need():
    plan = next(candidates(FILES)).plan
    assert plan.requires == ("mdast@^4.0.0", "typescript@^5.0.0")
    links = [part for part in plan.setup.split(" && ") if part.startswith("ln")]
    assert links == [
        "ln -sfn ../../packages/a node_modules/@x/a",
        "ln -sfn ../../packages/b node_modules/@x/b",
    ]


def test_a_package_beside_others_links_those_that_it_wants():
    files = {
        "one/package.json": package(
            name="one", scripts={"test": "node --test"}, dependencies={"two": "workspace:*", "ms": "^2.0.0"}
        ),
        "one/a.test.js": "import 'two'; import 'ms';",
        "two/package.json": package(name="two"),
        "three/package.json": package(name="three"),
    }
    plan = next(candidates(files)).plan
    assert (plan.cwd, plan.requires) == ("one", ("ms@^2.0.0",))
    assert plan.setup == "mkdir -p ../node_modules && ln -sfn ../two ../node_modules/two"


@pytest.mark.parametrize("way", ["package.json", "object", "pnpm-workspace.yaml", "lerna.json"])
def test_the_packages_of_a_workspace_are_those_that_it_names(way):
    patterns = ["packages/**", "!**/fixtures/**", "tools/{a,b}"]
    manifest = {"package.json": {"workspaces": patterns}, "object": {"workspaces": {"packages": patterns}}}
    folders = ["packages/x/y", "packages/x/fixtures/z", "tools/a", "tools/c", "packages/x"]
    files = {f"{folder}/package.json": package(name=folder.replace("/", "-")) for folder in folders}
    files["package.json"] = package(**manifest.get(way, {}))
    if way.startswith(("pnpm", "lerna")):
        files[way] = json.dumps({"packages": patterns})
    found = Packages(files).members(PurePosixPath())
    assert sorted(map(str, found)) == ["packages/x", "packages/x/y", "tools/a"]


OF_OTHERS = {
    "examples/m/package.json": package(name="mocha"),
    "test/fixtures/lodash/package.json": package(name="lodash"),
}


@pytest.mark.parametrize("workspaces", [None, ["packages/*"]])
def test_packages_of_examples_and_fixtures_take_the_place_of_none(workspaces):
    manifest = package(
        scripts={"test": "mocha"}, devDependencies={"mocha": "^10", "lodash": "^4"}, workspaces=workspaces
    )
    files = {"package.json": manifest, "test/a.test.js": "import 'lodash';", **OF_OTHERS}
    plan = next(candidates(files)).plan
    assert (plan.requires, plan.setup) == (("lodash@^4", "mocha@^10"), "")


@pytest.mark.parametrize("said", ["workspace:^", "file:test/fixtures/lodash", "link:./test/fixtures/lodash/"])
def test_a_range_that_names_a_package_of_the_repository_means_it(said):
    manifest = package(scripts={"test": "mocha"}, devDependencies={"mocha": "^10", "lodash": said})
    files = {"package.json": manifest, "test/a.test.js": "import 'lodash';", **OF_OTHERS}
    plan = next(candidates(files)).plan
    assert plan.requires == ("mocha@^10",)
    assert plan.setup.endswith("ln -sfn ../test/fixtures/lodash node_modules/lodash")


def test_packages_that_others_need_come_first_and_circles_end():
    names = {"a": "b", "b": "c", "c": "d"}
    files = {f"packages/{name}/package.json": package(name=name, dependencies={on: "*"}) for name, on in names.items()}
    files["package.json"] = package(workspaces=["packages/*"])
    assert [str(each) for each in Packages(files).members(PurePosixPath())] == [
        "packages/c",
        "packages/b",
        "packages/a",
    ]
    files["packages/d/package.json"] = package(name="d", devDependencies={"a": "*"})
    packages = Packages(files)
    assert len(packages.members(PurePosixPath())) == 4
    assert {str(each) for each in packages.closure([PurePosixPath("packages/a")])} == {
        "packages/b",
        "packages/c",
        "packages/d",
    }


def test_a_package_needs_what_the_packages_that_it_needs_want():
    files = {
        "package.json": package(workspaces=["packages/*"]),
        "packages/a/package.json": package(
            name="a", scripts={"test": "mocha"}, dependencies={"b": "*", "mocha": "^10"}
        ),
        "packages/a/test.js": "import 'b';",
        "packages/b/package.json": package(name="b", dependencies={"c": "*"}),
        "packages/c/package.json": package(name="c", dependencies={"ms": "^2"}),
        "packages/c/index.js": "import 'ms';",
        "packages/other/package.json": package(name="other", dependencies={"left-pad": "*"}),
    }
    plan = next(each.plan for each in candidates(files) if each.plan.cwd == "packages/a")
    assert plan.requires == ("mocha@^10", "ms@^2")
    assert [part.split()[-1] for part in plan.setup.split(" && ") if part.startswith("ln")] == [
        "../../node_modules/b",
        "../../node_modules/c",
    ]


def test_ranges_are_looked_up_in_the_catalogs_of_pnpm():
    files = {
        "pnpm-workspace.yaml": "packages: [packages/*]\ncatalog: {mocha: ^10.1.0}\ncatalogs: {old: {ms: ^1.0.0}}\n",
        "package.json": package(),
        "packages/a/package.json": package(
            name="a", scripts={"test": "mocha"}, devDependencies={"mocha": "catalog:", "ms": "catalog:old"}
        ),
        "packages/a/test.js": "import 'ms';",
    }
    assert next(candidates(files)).plan.requires == ("mocha@^10.1.0", "ms@^1.0.0")


def test_locked_versions_of_a_workspace_of_pnpm_are_those_of_its_packages():
    lock = {
        "lockfileVersion": "9.0",
        "importers": {"packages/a": {"devDependencies": {"mocha": {"version": "10.2.0"}}}},
    }
    files = {
        "pnpm-workspace.yaml": "packages: [packages/*]\n",
        "pnpm-lock.yaml": json.dumps(lock),
        "package.json": package(scripts={"test": "pnpm -r test"}),
        "packages/a/package.json": package(name="a", scripts={"test": "mocha"}, devDependencies={"mocha": "^10"}),
        "packages/b/package.json": package(name="b", scripts={"test": "mocha b"}),
        "packages/a/test.js": "",
    }
    found = next(candidates(files)).plan
    assert (found.command, found.requires) == (
        "(cd packages/a && mocha) && (cd packages/b && mocha b)",
        ("mocha@10.2.0",),
    )


@pytest.mark.parametrize("name", ["../../x", "/x", "..", "a; touch x", "$(touch x)"])
def test_no_name_of_a_package_leads_out_or_is_read_by_the_shell(name):
    files = {
        "package.json": package(workspaces=["p/*"], scripts={"test": "node --test"}),
        "p/a/package.json": package(name=name, bin={"$(touch y)": "cli.js", "ok": "../../../etc/passwd"}),
        "p/a/cli.js": "",
        "test.js": "",
    }
    setup = next(candidates(files)).plan.setup
    assert "etc/passwd" not in setup
    assert "touch y" not in setup
    assert setup == "" if name.startswith(("..", "/")) else shlex.quote(f"node_modules/{name}") in setup


def test_a_chain_of_calls_that_nobody_writes_ends():
    scripts = {f"s{number}": f"npm run s{number + 1}" for number in range(2000)} | {"test": "npm run s0 && mocha x"}
    files = {"package.json": package(scripts=scripts), "test.js": ""}
    assert next(candidates(files)).plan.command == "mocha x"
    nested = package(scripts={"test": " ".join(["pnpm exec"] * 2000) + " mocha"})
    assert list(candidates({"package.json": nested, "test.js": ""})) == []


def test_packages_that_all_call_all_are_read_in_no_time():
    """Read one by one there would be 20 calls in each of 300 × 20 scripts, each of them in 300 packages."""
    scripts = {f"s{number}": f"pnpm -r s{(number + 1) % 20}; mocha x{number}" for number in range(20)}
    files = {"package.json": package(workspaces=["*"], scripts={"test": "pnpm -r s0"})}
    for number in range(300):
        files[f"p{number}/package.json"] = package(
            name=f"p{number}", scripts=scripts, devDependencies={f"p{(number + 1) % 300}": "*"}
        )
        files[f"p{number}/a.test.js"] = ""
    began = time.process_time()
    assert len(next(candidates(files)).plan.command) <= 20_000
    assert time.process_time() - began < 20


def test_a_pattern_that_nobody_writes_matches_nothing():
    files = {"package.json": package(workspaces=["**/" * 30 + "x"]), "a/" * 30 + "package.json": package(name="a")}
    assert Packages(files).members(PurePosixPath()) == []
