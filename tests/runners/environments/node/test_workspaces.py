"""The packages of a repository find each other, and the root of workspaces has what all of them need."""

import json

from runners.environments import candidates


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
        "ln -sfn ../.././packages/a node_modules/@x/a",
        "ln -sfn ../.././packages/b node_modules/@x/b",
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
    assert plan.setup == "mkdir -p node_modules && ln -sfn ../../two node_modules/two"
