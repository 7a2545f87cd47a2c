"""Which part of a script runs the tests, and how it runs without npm."""

from shlex import quote

import pytest

from runners.environments.node.scripts import runner_command, script_parts


def commands(test, **scripts):
    manifest = {"scripts": {"test": test, **{name.replace("__", ":"): text for name, text in scripts.items()}}}
    return [command for words in script_parts(manifest, "test") if (command := runner_command(words))]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("mocha", ("mocha", "mocha")),
        ("eslint . && mocha test/*.js; echo done", ("mocha 'test/*.js'", "mocha")),
        ("c8 --reporter=text mocha", ("mocha", "mocha")),
        ("nyc mocha --recursive", ("mocha --recursive", "mocha")),
        ("cross-env NODE_ENV=test jest --coverage", ("NODE_ENV=test jest", "jest")),
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
    ],
)
def test_the_command_of_a_test_script(script, command):
    assert commands(script) == [command]


@pytest.mark.parametrize(
    "script", ["eslint .", "node build.js", "tsc --noEmit", "mocha 'open", "", "echo mocha", "make test", "exit 1"]
)
def test_a_script_that_runs_no_test_has_no_command(script):
    assert commands(script) == []


@pytest.mark.parametrize(
    "script", ["npm run unit", "npm run -s unit", "yarn unit", "pnpm unit", "pnpm run unit", "npm run --silent unit -- --x", "bun run unit", "run-s lint unit", "npm-run-all lint unit"]
)  # fmt: skip
def test_a_script_that_is_called_stands_in_its_place(script):
    assert commands(script, unit="mocha", lint="eslint .") == [("mocha", "mocha")]


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
    assert list(script_parts(manifest, "test")) == []


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
    assert list(script_parts({"scripts": scripts}, "test")) == [["node", "--conditions", "x", "test.js"]]
