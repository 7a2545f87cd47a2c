"""Which part of a script runs the tests, and how it runs without npm."""

import json
from pathlib import PurePosixPath
from shlex import quote

import pytest

from runners.environments.node.packages import Packages
from runners.environments.node.runners import ScriptReader, runner_command

ROOT = PurePosixPath()


def parts_of(files):
    return list(ScriptReader(Packages(files)).parts(ROOT, "test"))


def scripts_file(test, **scripts):
    named = {"test": test, **{name.replace("__", ":"): text for name, text in scripts.items()}}
    return {"package.json": json.dumps({"scripts": named})}


def commands(test, **scripts):
    parts = parts_of(scripts_file(test, **scripts))
    assert {part.folder for part in parts} <= {ROOT}
    return [command for part in parts if (command := runner_command(part.words))]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("mocha", ("mocha", "mocha")),
        ("eslint . && mocha test/*.js; echo done", ("mocha 'test/*.js'", "mocha")),
        ("c8 --reporter=text mocha", ("mocha", "mocha")),
        ("nyc mocha --recursive", ("mocha --recursive", "mocha")),
        ("cross-env NODE_ENV=test jest --coverage", ("NODE_ENV=test jest", "jest")),
        ("cross-env CI=1 npm run unit", ("CI=1 ava x", "ava")),
        ("NODE_PATH=$PWD/lib:${HOME} jest", ("NODE_PATH=$PWD/lib:${HOME} jest", "jest")),
        ("NODE_ENV=test npx jest --watch", ("NODE_ENV=test jest", "jest")),
        ("cross-env NODE_OPTIONS='--a --b' jest", ("NODE_OPTIONS='--a --b' jest", "jest")),
        ("vitest", ("vitest run", "vitest")),
        ("vitest run --coverage", ("vitest run", "vitest")),
        ("vitest --watch=false src", ("vitest run src", "vitest")),
        ("pnpm exec vitest", ("vitest run", "vitest")),
        ("tap --100", ("tap --disable-coverage --allow-incomplete-coverage", "tap")),
        ("xo && c8 ava", ("ava", "ava")),
        ("node --test", ("node --test", "")),
        ("node test/index.js", ("node test/index.js", "")),
        ("tsx --test src/*.spec.ts", ("tsx --test src/*.spec.ts", "tsx")),
        ("tape 'test/**/*.js' | tap-spec", ("tape 'test/**/*.js'", "tape")),
        ("jest -t 'a; b && c|d' 2>&1 | tee log", ("jest -t 'a; b && c|d'", "jest")),
        ("mocha >log.txt test", ("mocha", "mocha")),
        ("jest -w 2", ("jest -w 2", "jest")),
        ("jest --watchAll false --coverage --coverageReporters text lcov --ci", ("jest --ci", "jest")),
        ("jest --coverageThreshold '{}' src --changedSince main", ("jest src", "jest")),
        ("vitest -w src", ("vitest run src", "vitest")),
        ("vitest --coverage.reporter text --coverage.enabled src", ("vitest run src", "vitest")),
        ("vitest run --coverage --coverage.thresholds.lines=90 run", ("vitest run run", "vitest")),
        ("vitest --changed HEAD~1 --pool forks", ("vitest run --pool forks", "vitest")),
        ("vitest watch --typecheck.tsconfig x.json", ("vitest run", "vitest")),
        ("mocha -R dot -O a=b --watch-files x -w test", ("mocha test", "mocha")),
        ("ava --tap --serial -w", ("ava --serial", "ava")),
        ("tap --coverage-report text -b", ("tap --disable-coverage --allow-incomplete-coverage -b", "tap")),
        ("node --test --experimental-test-coverage --test-coverage-lines 90 a.js", ("node --test a.js", "")),
        ("tsx watch --test a.ts", ("tsx --test a.ts", "tsx")),
        ("c8 --reporter lcov -r text --all mocha a", ("mocha a", "mocha")),
        ("nyc -r lcov --all -x 'a/**' mocha a", ("mocha a", "mocha")),
        ("dotenv -e .env.test -- jest", ("jest", "jest")),
        ("env -u HOME A=1 jest", ("A=1 jest", "jest")),
        ("cross-env-shell 'A=1 jest -i'", ("A=1 jest -i", "jest")),
        ("./node_modules/.bin/mocha x", ("mocha x", "mocha")),
        ("npx -y jest x", ("jest x", "jest")),
        ("yarn run jest x", ("jest x", "jest")),
        ("pnpm vitest --ui", ("vitest run", "vitest")),
        (
            "node --experimental-vm-modules node_modules/jest/bin/jest.js --coverage a",
            ("node --experimental-vm-modules /node_modules/jest/bin/jest.js a", "jest"),
        ),
    ],
)
def test_the_command_of_a_test_script(script, command):
    assert commands(script, unit="ava x") == [command]


@pytest.mark.parametrize(
    "script",
    [
        "eslint .",
        "node build.js",
        "tsc --noEmit",
        "mocha 'open",
        "",
        "echo mocha",
        "make test",
        "exit 1",
        "vitest bench",
        "bun test",
        "cd ../.. && mocha",
    ],
)
def test_a_script_that_runs_no_test_has_no_command(script):
    assert commands(script) == []


@pytest.mark.parametrize(
    "script", ["npm run unit", "npm run -s unit", "yarn unit", "pnpm unit", "pnpm run unit", "npm run --silent unit", "bun run unit", "run-s lint unit", "npm-run-all lint unit"]
)  # fmt: skip
def test_a_script_that_is_called_stands_in_its_place(script):
    assert commands(script, unit="mocha", lint="eslint .") == [("mocha", "mocha")]


def test_arguments_behind_a_script_that_is_called_are_its_own():
    assert commands("npm run unit -- --x", unit="mocha") == [("mocha --x", "mocha")]
    assert commands("run-s 'unit -- --x'", unit="eslint . && mocha") == [("mocha --x", "mocha")]


def test_patterns_of_names_call_all_that_match():
    scripts = {"test__one": "mocha one", "test__two": "jest", "test__two__deep": "ava", "lint": "eslint ."}
    assert commands("run-p test:*", **scripts) == [("mocha one", "mocha"), ("jest", "jest")]
    assert commands('pnpm run "/^test:.*/"', **scripts) == [("mocha one", "mocha"), ("jest", "jest"), ("ava", "ava")]
    assert commands('pnpm run "/(a+)+$/"', **scripts) == []


def test_scripts_that_call_each_other_end():
    assert commands("npm run test") == []
    assert set(commands("npm run a && mocha", a="npm run test")) == {("mocha", "mocha")}


@pytest.mark.parametrize(
    "text", ["$(touch x)", "`touch x`", "a;touch x", "a|touch x", ">x", "&touch", "'", "a b", "$x"]
)
def test_words_of_a_command_and_values_of_variables_are_no_shell(text):
    assert runner_command(["mocha", text])[0] == f"mocha {quote(text)}"
    if text != "$x":
        assert runner_command([f"A={text}", "mocha"])[0] == f"A={quote(text)} mocha"


@pytest.mark.parametrize("manifest", [{}, {"scripts": 5}, {"scripts": {"test": 5}}, {"scripts": {"test": None}}])
def test_a_manifest_of_another_shape_has_no_script(manifest):
    assert parts_of({"package.json": json.dumps(manifest)}) == []


def test_a_shell_expands_patterns_where_node_may_not():
    assert runner_command(["node", "--test", "test/*.ts"]) == ("node --test test/*.ts", "")
    assert runner_command(["node", "--test", "test/**/*.ts"]) == ("bash -O globstar -c 'node --test test/**/*.ts'", "")
    assert runner_command(["node", "--test", "test/$(touch x).js"]) == ("node --test 'test/$(touch x).js'", "")


def test_a_script_behind_a_program_that_measures_is_followed():
    scripts = {
        "test": "npm run cover",
        "cover": "c8 --100 --reporter lcov -- npm run api",
        "api": "node --conditions x test.js",
    }
    (part,) = parts_of({"package.json": json.dumps({"scripts": scripts})})
    assert part.words == ("node", "--conditions", "x", "test.js")
