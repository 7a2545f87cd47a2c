"""What is missing is read from what pytest, node and pip print."""

import os
import subprocess
import sys

import pytest

from runners.environments.tried_ways import error_line, failing_tests, missing_in
from tests.support.waiting import PATIENCE_S


def output(folder, *command):
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # those of our own tests take seconds to load
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=env, timeout=PATIENCE_S)
    return done.stdout + done.stderr


@pytest.fixture
def pytest_log(tmp_path):
    """A function that gives what pytest prints of a file of tests."""

    def run(text):
        (tmp_path / "test_a.py").write_text(text)
        return output(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_a.py")

    return run


def test_a_module_that_cannot_be_imported(pytest_log):
    found = missing_in(pytest_log("import own_part.deep\n"))
    assert (found.modules, found.failed, found.is_more_needed) == (("own_part",), ("test_a.py",), True)


@pytest.mark.parametrize("words", ["MISSING DEP  Can not find", "MISSING DEPENDENCY  Cannot find"])
def test_a_package_that_vitest_misses_for_coverage(words):
    found = missing_in(f" {words} dependency '@vitest/coverage-v8'\n")  # vitest 0.34, 4.0
    assert (found.packages, found.is_more_needed) == (("@vitest/coverage-v8",), True)


def test_a_fixture_that_no_plugin_gives(pytest_log):
    found = missing_in(pytest_log("def test_a(mocker_of_mine):\n    pass\n"))
    assert (found.fixtures, found.failed, found.is_more_needed) == (("mocker_of_mine",), ("test_a.py::test_a",), True)


def test_tests_that_fail_are_named_without_their_reasons(pytest_log):
    found = missing_in(pytest_log("def test_a():\n    assert 0, 'FAILED - x'\n\n\ndef test_b():\n    pass\n"))
    assert (found.failed, found.is_more_needed) == (("test_a.py::test_a",), False)


def test_the_metadata_of_the_project(pytest_log):
    assert missing_in(pytest_log("from importlib.metadata import version\nversion('own-project')\n")).metadata


def test_an_option_that_no_plugin_knows(tmp_path):
    log = output(tmp_path, sys.executable, "-m", "pytest", "--of-a-plugin")
    assert missing_in(log).program


def test_a_program_that_is_missing(tmp_path):
    assert missing_in(output(tmp_path, "sh", "-c", "own-program")).program


@pytest.mark.parametrize(
    ("code", "packages", "unbuilt"),
    [
        ("require('own-part/deep')", ("own-part",), ""),
        ("require('@own/part')", ("@own/part",), ""),
        ("import('own-part').catch(e => console.log(e.message))", ("own-part",), ""),
        ("require('./dist/index.js')", (), "./dist/index.js"),
        ("require('./source.js')", (), ""),
    ],
)
def test_packages_that_node_does_not_find(code, packages, unbuilt, tmp_path, need):
    need("node")
    found = missing_in(output(tmp_path, "node", "-e", code))
    assert (found.packages, found.unbuilt) == (packages, unbuilt)


def test_packages_that_pip_does_not_find(tmp_path):
    log = output(tmp_path, sys.executable, "-m", "pip", "download", "--no-index", "own-part==1.5")
    assert set(missing_in(log).uninstallable) == {"own-part"}


@pytest.mark.parametrize(
    ("log", "service"),
    [
        ("redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.", "redis"),
        (
            'psycopg2.OperationalError: connection to server at "localhost", port 5432 failed: Connection refused',
            "psycopg",
        ),
        ("pymongo.errors.ServerSelectionTimeoutError: localhost:27017: [Errno 111] Connection refused", "mongo"),
        ("Error: connect ECONNREFUSED 127.0.0.1:6379", "redis"),
        ("Error: connect ECONNREFUSED 127.0.0.1:3306", "mysql"),
        ("assert refused == 5", ""),
        ("test_redis.py::test_a PASSED", ""),
    ],
)
def test_a_service_that_would_have_to_run(log, service):
    assert missing_in(log).service == service
    assert not missing_in(log).is_more_needed


@pytest.mark.parametrize(
    ("log", "names"),
    [
        ("FAILED tests/test_a.py::test_b[1 - 2] - assert 0\nERROR tests/test_c.py\n", ("tests/test_a.py::test_b[1", "tests/test_c.py")),
        ("TAP version 13\n# Subtest: adds\nnot ok 1 - adds\n  ---\nok 2 - more\nnot ok 3 - later # TODO\n", ("adds",)),
        (" FAIL  test/a.test.ts > sum > adds\n ✓ test/b.test.ts (2 tests)\n", ("test/a.test.ts > sum > adds",)),
        ("--- FAIL: TestAdd (0.00s)\n    --- FAIL: TestAdd/two (0.00s)\nFAIL\n", ("TestAdd", "TestAdd/two")),
        ("test sum::adds ... FAILED\ntest sum::more ... ok\n", ("sum::adds",)),
        ("3 passing\n", ()),
    ],
)  # fmt: skip
def test_tests_that_fail_are_named_as_each_runner_names_them(log, names):
    assert failing_tests(log) == names


@pytest.mark.parametrize(
    ("log", "host"),
    [
        ("  [6] Could not resolve hostname (Could not resolve host: index.crates.io)", "index.crates.io"),
        ("transfer failed for https://repo.own.org/x.pom: Unknown host repo.own.org: Name or service not known", "repo.own.org"),
        ("npm error request failed, reason: getaddrinfo ENOTFOUND registry.own.org", "registry.own.org"),
        ("dial tcp: lookup proxy.own.org: Temporary failure", "proxy.own.org"),
        ("lookup of the table failed", ""),
    ],
)  # fmt: skip
def test_a_host_that_is_not_reached_is_named(log, host):
    assert missing_in(log).unreached == host


@pytest.mark.parametrize(
    ("log", "shown"),
    [
        ("x\n[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n[ERROR] Unknown packaging: bundle @ line 7\n", "ERROR: Unknown packaging: bundle @ line 7"),
        ("the setup ended with status 101: error: failed to get `a`\nCaused by:\n", "the setup ended with status 101: error: failed to get `a`"),
        ("\nnothing else\nmore", "nothing else"),
        ("error:\nmore", "error:"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_line_of_an_error_that_says_something_is_shown(log, shown):
    assert error_line(log) == shown
