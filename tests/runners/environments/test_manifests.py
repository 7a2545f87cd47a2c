"""Files in which projects describe themselves are read whatever is in them, and soon."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from runners.environments import candidates
from runners.environments.manifests import ini_of, json_of, lines_of, strings_in, table_in, toml_of, yaml_of
from runners.environments.python.candidates import python_project
from runners.environments.remedies import missing_in
from tests.support.scale import examples

NAMES = (
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "tox.toml", "pytest.ini", ".pytest.ini", "noxfile.py",
    "Pipfile", "requirements.txt", "requirements/test.in", ".github/workflows/ci.yml", "tests/test_a.py", "conftest.py",
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
    "test/a.test.js", "vitest.config.ts", "tsconfig.json", ".mocharc.json", "packages/one/package.json",
    "go.mod", "a_test.go", "Cargo.toml", "Cargo.lock", "src/lib.rs", "pom.xml", "build.gradle", "CMakeLists.txt",
)  # fmt: skip
ALWAYS = {"tests/test_a.py": "", "test/a.test.js": "", "a_test.go": "", "src/lib.rs": "#[test]"}
PIECES = some.sampled_from(
    ["[project]", "[testenv]", "[options]", "deps =", "dependencies = [", "\n", "\n  ", "{", "}", "[", "]", '"', "'", ",", ":", "=", "-r ", "-c ", "-e ", "name", "pytest", "^1.2", "||", "{[testenv]deps}", "{posargs:", "&a ", "*a", "<<: ", "- ", "jobs", "steps", "run", "pip install ", "setup(", "install_requires=", "scripts", "test", "mocha", "&&", "|", "\\\n", "\0", "\ud800", "\u2028", "é", "#", ";", "$(", "`", "0" * 5000]
)  # fmt: skip
TEXTS = some.lists(PIECES, max_size=25).map("".join) | some.text(max_size=60)
SHAPES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | TEXTS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KEYS = some.sampled_from(["name", "scripts", "test", "dependencies", "devDependencies", "packages", "importers", ".", "version", "jobs", "steps", "lockfileVersion", "node_modules/mocha", "mocha", "jest"])  # fmt: skip
JSON = some.recursive(SHAPES, lambda inner: some.dictionaries(KEYS, inner, max_size=4), max_leaves=8).map(json.dumps)


def all_ways(files):
    """All ways that some files show; what a mended way would ask of them too."""
    found = list(candidates(files))
    if project := python_project(files):
        assert isinstance(project.unnamed, list)
    return found


@given(some.dictionaries(some.sampled_from(NAMES), TEXTS | JSON, max_size=4))
@example({"package.json": '{"scripts": [], "dependencies": {"a": 1}}'})
@example({"pyproject.toml": "project = 1\ntool = []\ndependency-groups = {a = 1}"})
@example({"pyproject.toml": "[tool.pytest]\nini_options = 1\n[tool.hatch]\nenvs = {a = 1}"})
@example({"pyproject.toml": "[project]\nname = 1\n[project.optional-dependencies]\na = ['1[b]']"})
@example({"pyproject.toml": "[tool.poetry.dependencies]\na = {extras = 1, version = []}"})
@example({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = [1, {}]\npythonpath = [1]"})
@example({"pyproject.toml": "[tool.setuptools.packages.find]\nwhere = ['../..', '/', '']"})
@example({"tox.toml": "[env_run_base]\ncommands = [1, [1], [{}]]\ndeps = [1]"})
@example({"tox.toml": "env = {a = 1}\nenv_run_base = 1"})
@example({"setup.py": "setup(name=1, package_dir=1, install_requires={}, extras_require=1)"})
@example({"setup.py": "setup(package_dir={'': ['x']}, entry_points=5, extras_require={'a': 1})"})
@example({".github/workflows/ci.yml": "jobs: {a: {steps: 1}, b: [], 5: {steps: [{run: 5}]}}"})
@example({"requirements.txt": "-r requirements.txt\n-c requirements.txt\n-r\n-c\n--requirement="})
@example({"pnpm-lock.yaml": "importers: {.: {dependencies: {mocha: {version: 5}}}}", "package.json": '{"name": 1}'})
@example({"package.json": '{"name": "/x", "workspaces": 1, "dependencies": {"/x": "1"}, "scripts": {"test": "mocha"}}'})
@example({"Cargo.toml": "dependencies = 1", "Cargo.lock": "package = 1"})
@settings(max_examples=examples(300))
def test_files_of_any_content_end_nothing(files):
    all_ways({**ALWAYS, **files})


@given(TEXTS | JSON)
def test_logs_of_any_content_can_be_read(text):
    missing_in(text)


MB = 1_000_000
DEEP = 100_000
ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))  # fmt: skip
LONG = {
    "one line": "x" * MB,
    "spaces": " " * MB,
    "brackets": "[" * DEEP,
    "braces": '{"a":' * DEEP,
    "parentheses": "(" * DEEP,
    "minus": "-" * MB,
    "yaml lists": "- " * 20_000,
    "yaml aliases": ALIASES,
    "yaml aliases in steps": ALIASES + "jobs: {a: {steps: *a11}}\n",
    "quotes": '"' * MB,
    "dots": "a." * 300_000,
    "braces of tox": "[testenv]\ndeps = " + "{[testenv]deps}" * 200 + "\n",
    "braces of tox, two": "[testenv]\ndeps = {[a]b}{[a]b}\n[a]\nb = " + "{[a]b}" * 60 + "\n",
    "continued": "x \\\n" * 100_000,
    "factors": "[testenv]\ndeps =\n" + "  " + "py, " * 100_000 + "\n",
    "posargs": "[testenv]\ncommands = pytest " + "{posargs:" * 50_000 + "\n",
    "sum": "setup(install_requires=" + "['a'] + " * 20_000 + "[])",
    "calls": "session.install('a')\n" * 20_000,
    "nested tries": "".join("    " * n + "try:\n" for n in range(90)) + "    " * 90 + "import a\n",
    "tries": "def f():\n" + "    try:\n        import a\n    except ImportError:\n        pass\n" * 3_000,
    "tables": "[a" + ".a" * 5_000 + "]\nb = 1\n",
    "groups": "[dependency-groups]\n" + "".join(f"g{n} = [" + ", ".join(f'{{include-group = "g{m}"}}' for m in range(14)) + "]\n" for n in range(14)),
    "extras": "[project]\nname = 'a'\n[project.optional-dependencies]\n" + "".join(f"g{n} = ['a[" + ",".join(f"g{m}" for m in range(14)) + "]']\n" for n in range(14)),
    "scripts": json.dumps({"scripts": {f"{'test' if not n else f's{n}'}": " && ".join(f"npm run s{m}" for m in range(30)) for n in range(30)}}),
    "script": json.dumps({"scripts": {"test": "npm run " + "-s " * 100_000 + "x"}}),
    "npm silent": json.dumps({"scripts": {"test": "npm" + " --silent" * 50_000 + "!"}}),
    "pattern": json.dumps({"scripts": {"test": 'pnpm run "/' + "^" * 100_000 + '/"', "^": "x"}}),
    "ranges": json.dumps({"scripts": {"test": "mocha"}, "dependencies": {"mocha": "1 || " * 50_000 + "!"}}),
    "yarn": '"a@1":\n' + "  x y\n" * 150_000,
    "yarn names": "a:\n" * 100_000,
    "requirements": "-r requirements.txt\n" * 20_000,
    "both": "-r requirements.txt\n-c requirements.txt\n-r tests/requirements.txt\n" * 30,
    "cmake": "include" + " " * MB,
    "go": "require" + " " * MB,
    "workflow": "jobs: {a: {steps: [{run: '" + "python -m " * 50_000 + "'}]}}",
    "quoted": "'" + "a/" * 300_000,
}  # fmt: skip


@pytest.mark.parametrize("content", LONG)
def test_content_that_is_long_or_deep_takes_no_long(content):
    text = LONG[content]
    for name in NAMES:
        began = time.process_time()
        all_ways(
            {**ALWAYS, "package.json": '{"scripts": {"test": "mocha"}, "dependencies": {"mocha": "^1"}}', name: text}
        )
        assert time.process_time() - began < 6, name


@pytest.mark.parametrize("content", LONG)
def test_a_log_that_is_long_takes_no_long(content):
    began = time.process_time()
    missing_in(LONG[content])
    missing_in(f"refused {LONG[content]} redis {LONG[content]} not connect")
    assert time.process_time() - began < 6


@pytest.mark.parametrize(
    ("read", "text", "table"),
    [
        (toml_of, "a = 1", {"a": 1}),
        (toml_of, "a = [", {}),
        (json_of, '{"a": 1}', {"a": 1}),
        (json_of, "[1]", {}),
        (json_of, "{", {}),
        (yaml_of, "a: 1", {"a": 1}),
        (yaml_of, "- 1", {}),
        (yaml_of, "a: 1\n---\nb: 2", {}),
        (yaml_of, "!!python/object/apply:os.system [touch x]", {}),
        (ini_of, "[a]\nb = 1\n 2\nc\n[a]\nd = %(b)s", {"a": {"b": "1\n2", "c": "", "d": "%(b)s"}}),
        (ini_of, "b = 1", {}),
    ],
)
def test_a_file_is_a_table_and_a_broken_one_is_empty(read, text, table):
    assert read(text) == table


def test_members_of_another_shape_are_empty():
    assert table_in({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert table_in({"a": 1}, "a", "b") == {}
    assert list(strings_in({"a": ["x", 1, "y"], "b": "x"}, "a")) == ["x", "y"]
    assert list(strings_in({"b": "x"}, "b")) == []


def test_lines_are_those_that_say_something():
    assert lines_of("a # b\n# c\n\n; d\n  e \\\n f#g\n") == ["a", "e   f#g"]
