"""Scripts that are called through package managers and tools for many packages run where, and with what, these programs themselves run them."""

import json
import os
import shutil
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from runners.environments.node.packages import Packages
from runners.environments.node.runners import ScriptReader, settings_of
from tests.support.scale import sampled

RUNNER = '#!/bin/sh\nprintf "%s" "$(pwd -P)" >> "$GHOSTTAPE_LIST"; for word in "$@"; do printf "\\t%s" "$word" >> "$GHOSTTAPE_LIST"; done; echo >> "$GHOSTTAPE_LIST"\n'


def package(name, **scripts):
    return json.dumps({"name": name, "version": "1.0.0", "private": True, "scripts": scripts})


def repository(test, **scripts):
    """A workspace of three packages, two of which have tests; the root's script is `test`."""
    manager = {"packageManager": "npm@11.0.0"} if test.startswith("turbo") else {}
    names = {name.replace("__", ":"): text for name, text in scripts.items()}
    root = json.loads(package("root", test=test, **names)) | {"workspaces": ["packages/*", "tools/one"]}
    one = json.loads(package("@own/one", test="own-runner one", unit="own-runner unit"))
    return {
        "package.json": json.dumps(root | manager),
        "pnpm-workspace.yaml": "packages:\n  - packages/*\n  - tools/one\n",
        "nx.json": "{}",
        "turbo.json": json.dumps(
            {"globalPassThroughEnv": ["GHOSTTAPE_LIST"], "tasks": {"test": {"cache": False}, "unit": {"cache": False}}}
        ),
        "lerna.json": json.dumps({"version": "independent", "packages": ["packages/*", "tools/one"]}),
        "packages/one/package.json": json.dumps(one | {"dependencies": {"two": "*"}}),
        "packages/two/package.json": package("two", test="own-runner 'two words'"),
        "packages/two/fixture/package.json": package("fixture", test="own-runner fixture"),
        "tools/one/package.json": package("tools-one", lint="eslint ."),
    }


def read(files):
    parts = ScriptReader(Packages(files)).parts(PurePosixPath(), "test")
    found = [(str(part.folder), settings_of(part.words)[1]) for part in parts]
    return [(folder, *words[1:]) for folder, words in found if words[0] == "own-runner"]


@pytest.fixture
def ran(tmp_path):
    """A function that lets npm run the test script of a repository, and says where the runner was started, with which words."""

    def run(files):
        for path, text in files.items():
            file = tmp_path / "repository" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        if local := shutil.which(files["package.json"].partition('"test": "')[2].split()[0]):
            (tmp_path / "repository/node_modules").symlink_to(Path(local).absolute().parent.parent)
        program, listed = tmp_path / "bin/own-runner", tmp_path / "listed"
        program.parent.mkdir()
        program.write_text(RUNNER)
        program.chmod(0o755)
        listed.touch()
        own = {"PATH": f"{program.parent}:{os.environ['PATH']}", "GHOSTTAPE_LIST": str(listed)}
        quiet = {"NX_DAEMON": "false", "NX_TUI": "false", "TURBO_TELEMETRY_DISABLED": "1", "CI": "1"}
        command = ["npm", "--no-update-notifier", "test"]
        done = subprocess.run(
            command,
            check=False,
            cwd=tmp_path / "repository",
            env=os.environ | own | quiet,
            capture_output=True,
            text=True,
            timeout=120,
        )
        lines = [line.split("\t") for line in listed.read_text().splitlines()]
        root = (tmp_path / "repository").resolve()
        started = [(os.path.relpath(where, root), *words) for where, *words in lines]
        return started, done.stdout + done.stderr

    return run


BOTH = [("packages/two", "two words"), ("packages/one", "one")]
TWO, ONE = BOTH
CASES = [
    ("npm test --workspaces --if-present", BOTH),
    ("npm -ws --if-present run test", BOTH),
    ("npm -w two test", [TWO]),
    ("npm --workspace=@own/one run test", [ONE]),
    ("npm test -w packages/two -w @own/one", BOTH),
    ("npm test --workspace packages --if-present", BOTH),
    ("npm run unit -- --grep 'a b'", [(".", "unit", "--grep", "a b")]),
    ("npm run unit plain", [(".", "unit", "plain")]),
    ("npm run outer -- --grep a", [(".", "unit", "--grep", "a")]),
    ("npm --prefix packages/one run unit", [("packages/one", "unit")]),
    ("CI=1 npm run unit", [(".", "unit")]),
    ("cd packages/one && npm run unit", [("packages/one", "unit")]),
    ("(cd packages/one && own-runner -w 2) && own-runner x", [("packages/one", "-w", "2"), (".", "x")]),
    ("cd packages/one && own-runner a; cd ../two && own-runner b", [("packages/one", "a"), ("packages/two", "b")]),
    ("pnpm -r test", BOTH),
    ("pnpm -r run test", BOTH),
    ("pnpm recursive run test", BOTH),
    ("pnpm --filter two test", [TWO]),
    ("pnpm -F one run test", [ONE]),
    ("pnpm --filter=./packages/two test", [TWO]),
    ("pnpm --filter '!two' -r test", [ONE]),
    ("pnpm --filter '@own/*' --workspace-concurrency=1 run test", [ONE]),
    ("pnpm --filter 'two...' test", [TWO]),
    ("pnpm run unit --grep a", [(".", "unit", "--grep", "a")]),
    ("pnpm -C packages/one unit", [("packages/one", "unit")]),
    ("pnpm -r exec own-runner x", [("packages/two", "x"), ("packages/one", "x"), ("tools/one", "x")]),
    ("yarn workspaces run unit", [("packages/one", "unit")]),
    ("yarn workspace two test", [TWO]),
    ("yarn workspace @own/one run unit --grep a", [("packages/one", "unit", "--grep", "a")]),
    ("yarn --cwd packages/one unit", [("packages/one", "unit")]),
    ("yarn -s unit --grep a", [(".", "unit", "--grep", "a")]),
    ("lerna run test --stream", BOTH),
    ("lerna run test --scope @own/one --concurrency 1", [ONE]),
    ("lerna run unit -- --grep a", [("packages/one", "unit", "--grep", "a")]),
    ("lerna run test --ignore two", [ONE]),
    ("turbo run test --concurrency 1", BOTH),
    ("turbo test --filter=two", [TWO]),
    ("turbo run unit -F @own/one -- --grep a", [("packages/one", "unit", "--grep", "a")]),
    ("nx run-many -t test", BOTH),
    ("nx run-many --target=test -p two", [TWO]),
    ("nx run-many -t test --exclude two", [ONE]),
    ("nx run @own/one:unit", [("packages/one", "unit")]),
    ("nx unit @own/one", [("packages/one", "unit")]),
]

OTHERS = {"pnpm", "yarn", "lerna", "turbo", "nx"}
INSTALLED = [
    ("npm exec -- own-runner x", [(".", "x")]),
    ("npx --yes -p own-package own-runner x", [(".", "x")]),
    ("bunx own-runner x", [(".", "x")]),
    ("bun run unit --grep a", [(".", "unit", "--grep", "a")]),
    ("bun test", []),
    ("yarn workspaces foreach -Apt --exclude two run test", [ONE]),
    ("npm ci", []),
    ("pnpm install", []),
    ("cd .. && own-runner x", []),
]
"""Calls of what would have to be installed from a registry."""


@pytest.mark.parametrize(("script", "wanted"), CASES + INSTALLED)
def test_a_call_is_read_as_it_runs(script, wanted):
    found = read(repository(script, unit="own-runner unit", outer="npm run unit --"))
    assert sorted(found) == sorted(wanted)


@pytest.mark.sampled
@pytest.mark.parametrize("script", sampled([script for script, _ in CASES]))
def test_a_call_runs_as_it_is_read(script, ran, need):
    need("npm")
    for program in OTHERS & {*script.split()}:
        if shutil.which(program) is None:
            pytest.skip(f"not on PATH, and no part of what tests need: {program}")
    files = repository(script, unit="own-runner unit", outer="npm run unit --")
    started, said = ran(files)
    assert sorted(read(files)) == sorted(started), said
