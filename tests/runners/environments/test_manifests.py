"""Files in which projects describe themselves are read whatever is in them, and soon."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from runners.environments.manifests import ini_of, json_of, lines_of, strings_in, table_in, toml_of, yaml_of
from runners.environments.tried_ways import missing_in
from tests.support.manifests import ALWAYS, NAMES, all_ways
from tests.support.scale import examples

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
