"""How a project is tested, read from its own files."""

import json

import msgspec
import pytest
import tomli_w
from hypothesis import example, given
from hypothesis import strategies as some

from replay.importers.building import project_tests
from replay.importers.building.project_tests import detect_tests
from replay.tapes import tape as tapes
from replay.tapes.coding import decoding, json_of
from runners.project import ProjectPlan


def package(script="vitest run", **fields):
    return json.dumps({"scripts": {"test": script}, **fields})


def test_a_package_with_a_runner_and_test_files_is_tested_in_its_folder():
    files = {"lib/package.json": package(devDependencies={"vitest": "^1.6.0"}), "lib/a.test.ts": ""}
    assert detect_tests(files) == tapes.Tests("node", "vitest run", requires=("vitest@^1.6.0",), cwd="lib")


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("vitest", "vitest run"),
        ("vitest --watch --globals", "vitest run --globals"),
        ("tsc -p . && vitest run", "vitest run"),
        ("jest --watchAll", "jest"),
        ("node --test", "node --test"),
        ("node --test test/", "node --test test/"),
    ],
)
def test_the_command_is_a_run_that_ends(script, command):
    assert detect_tests({"package.json": package(script), "test/a.js": ""}).command == command


@pytest.mark.parametrize("script", ["yarn workspace a test", "make check", "echo no && exit 1", 7])
def test_a_script_that_calls_no_known_runner_says_nothing(script):
    assert detect_tests({"package.json": package(script), "a.test.js": ""}) is None


@pytest.mark.parametrize("manifest", ["", "[]", "{", '{"scripts": []}', '{"scripts": {}}'])
def test_a_package_that_cannot_be_read_says_nothing(manifest):
    assert detect_tests({"package.json": manifest, "a.test.js": ""}) is None


def test_a_runner_without_test_files_says_nothing():
    assert detect_tests({"package.json": package(), "src/a.ts": ""}) is None


def test_packages_that_only_the_build_names_are_left_out():
    wanted = {
        "vitest": "^1.6.0",
        "rollup": "4.22.4",
        "@rollup/plugin-typescript": "11.1.6",
        "zod": "~3.2",
        "jsdom": "*",
    }
    files = {
        "package.json": package(dependencies=wanted, devDependencies={"@types/node": "^20", "typescript": "5"}),
        "rollup.config.mjs": "import ts from '@rollup/plugin-typescript'; import { defineConfig } from 'rollup';",
        "vitest.config.ts": "export default { test: { environment: 'jsdom' } };",
        "src/a.ts": 'import { z } from "zod/v4";',
        "test/a.test.ts": "import { test } from 'vitest';",
    }
    assert detect_tests(files).requires == ("@types/node@^20", "jsdom@*", "typescript@5", "vitest@^1.6.0", "zod@~3.2")


@pytest.mark.parametrize("wanted", ["git+ssh://x/y", "file:../y", "workspace:*", "latest; rm -rf", "npm:x@1", "1 - 2"])
def test_what_is_no_plain_range_of_the_registry_is_left_out(wanted):
    files = {"package.json": package(dependencies={"vitest": wanted}), "a.test.js": ""}
    assert detect_tests(files).requires == ()


def test_the_nearest_package_decides_on_a_range():
    files = {
        "package.json": json.dumps({"devDependencies": {"vitest": "^1.0.0", "typescript": "^5"}}),
        "lib/package.json": package(devDependencies={"vitest": "^2.0.0"}),
        "lib/a.test.ts": "",
    }
    assert detect_tests(files).requires == ("typescript@^5", "vitest@^2.0.0")


def test_python_tests_are_run_by_pytest_at_the_projects_root():
    pyproject = """
    [project]
    dependencies = ["PyYAML>=6", "own @ git+ssh://somewhere/own"]
    [project.optional-dependencies]
    dev = ["pytest>=8", "pytest-cov", "ruff"]
    """
    files = {"app/pyproject.toml": pyproject, "app/tests/test_a.py": "", "app/a.py": ""}
    tests = detect_tests(files)
    assert (tests.toolchain, tests.cwd) == ("python", "app")
    assert tests.command == "python -m pytest -q -p no:cacheprovider"
    assert tests.requires == ("pytest>=8", "PyYAML>=6", "pytest-cov")


def test_python_requirements_are_read_and_anything_but_a_requirement_is_skipped():
    files = {"requirements.txt": "numpy==2.1 # numbers\n# none\n-r other.txt\n./wheel.whl\n", "test_a.py": ""}
    assert detect_tests(files).requires == ("pytest>=8.3,<9", "numpy==2.1")


def test_files_without_tests_say_nothing():
    assert detect_tests({"a.py": "", "README.md": ""}) is None


TEXT = some.text(max_size=8) | some.sampled_from(["pytest>=8", "numpy", "jest", "vitest", "^1.0", "", "a b"])
MEMBERS = some.recursive(
    some.booleans() | some.integers() | some.floats(allow_nan=False) | some.dates() | some.datetimes() | TEXT,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | TEXT | some.just("\ud800"),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def tables(values, *names):
    """A table with any of these members, each of any shape; else anything at all."""
    return some.fixed_dictionaries({}, optional=dict.fromkeys(names, values)) | values


@given(tables(MEMBERS, "dependencies", "optional-dependencies"), MEMBERS)
@example(1, {})
@example({"optional-dependencies": ["pytest"]}, {})
@example({"dependencies": {"pytest": "8"}}, ["pytest"])
@example({"optional-dependencies": {"test": "pytest"}}, {"dev": 1})
def test_members_of_any_shape_in_a_pyproject_file_end_no_import(project, groups):
    manifest = tomli_w.dumps({"project": project, "dependency-groups": groups})
    found = detect_tests({"pyproject.toml": manifest, "test_a.py": ""})
    assert found.toolchain == "python"
    assert decoding(tapes.Tests)(json_of(found)) == found


@given(tables(JSON, "test"), JSON, tables(JSON, "vitest", "@types/a"), JSON, JSON)
@example("vitest", {}, {}, {}, {})
@example({"test": "vitest"}, 1, ["vitest"], "jest", 2.5)
@example({"test": "jest \ud800"}, {}, {}, {}, {})
@example({"test": "jest"}, {"@types/\ud800": "^1"}, {}, {}, {})
def test_members_of_any_shape_in_a_package_file_end_no_import(scripts, wanted, wanted_to_develop, jest, babel):
    manifest = {
        "scripts": scripts, "dependencies": wanted, "devDependencies": wanted_to_develop, "jest": jest, "babel": babel,
    }  # fmt: skip
    found = detect_tests({"package.json": json.dumps(manifest), "a.test.js": ""})
    assert decoding(tapes.Tests | None)(json_of(found)) == found


@pytest.mark.parametrize("text", ["a = " + "[" * 5_000 + "]" * 5_000, f"a = {'9' * 5_000}", "a = 2024-02-30", "a ="])
def test_a_pyproject_file_that_cannot_be_read_requires_pytest_alone(text):
    assert detect_tests({"pyproject.toml": text, "test_a.py": ""}).requires == ("pytest>=8.3,<9",)


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000, "9" * 5_000])
def test_a_package_file_that_cannot_be_read_says_nothing(text):
    assert detect_tests({"package.json": text, "a.test.js": ""}) is None


@pytest.mark.parametrize("depth", [900, 960, 980, 990, 995, 2_000, 20_000])
def test_a_package_file_that_is_nested_deeply_ends_no_import(depth):
    deep = "[" * depth + "]" * depth
    manifest = f'{{"scripts": {{"test": "jest"}}, "devDependencies": {{"jest": "29"}}, "jest": {deep}}}'
    assert detect_tests({"package.json": manifest, "a.test.js": ""}) in (
        None,
        tapes.Tests("node", "jest", requires=("jest@29",), cwd="."),
    )


@pytest.mark.parametrize(
    ("manifests", "toolchain", "requires"),
    [
        ({"tox.ini": "[tox]\nenvlist = py38, py39"}, "python", ("pytest>=8.3,<9",)),
        ({".python-version": "3.7"}, "python", ("pytest>=8.3,<9",)),
        ({"pyproject.toml": "[project]\nrequires-python = '==3.7.*'"}, "python3.7", ("pytest>=7.4,<8",)),
        ({"pyproject.toml": "[project]\nrequires-python = '<3.10'", "tox.ini": "[tox]\nenvlist = py38"}, "python3.8", ("pytest>=8.3,<9",)),
    ],
)  # fmt: skip
def test_a_version_of_python_is_named_only_where_it_binds_whatever_is_installed(
    manifests, toolchain, requires, tmp_path, monkeypatch
):
    for series in ("3.7", "3.8", "3.9"):
        program(tmp_path / "bin", f"python{series}", f"{series}.1")
    for name in ("HOME", "PYENV_ROOT", "UV_PYTHON_INSTALL_DIR", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    files = {"test_a.py": "", **manifests}
    for path in (str(tmp_path / "bin"), ""):
        monkeypatch.setenv("PATH", path)
        found = detect_tests(files)
        if path or toolchain == "python":
            assert (found.toolchain, found.requires) == (toolchain, requires)
        else:
            assert found.toolchain.startswith("python3."), "the nearest that fits is named to be installed"


def program(folder, name, version):
    """A program that answers as an interpreter of this version does."""
    folder.mkdir(parents=True, exist_ok=True)
    said = f'{{"version": "{version}", "build": "", "prefix": "{folder}", "program": "{name}", "library": "{name}", "implementation": "cpython"}}'
    (folder / name).write_text(f"#!/bin/sh\necho '{said}'\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("cwd", [".", "packages/one"])
def test_a_plan_that_was_kept_in_a_file_gives_the_same_bytes_of_a_tape(cwd):
    plan = ProjectPlan("node", ("vitest@3",), command="vitest run", cwd=cwd)
    kept = msgspec.json.decode(msgspec.json.encode(plan), type=ProjectPlan)
    assert msgspec.json.encode(project_tests.tests_of_plan(kept, 99.0)) == msgspec.json.encode(
        project_tests.tests_of_plan(plan, 99.0)
    )
