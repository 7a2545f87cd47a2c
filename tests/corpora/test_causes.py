"""Why a finished program fails, told from its log: real last words of DevBench's ground truths, and some like them."""

import re
import tomllib
from pathlib import Path

import pytest

from corpora import causes
from corpora.causes import Cause, cause_of, kind_of
from runners.verdicts import Result

MONGO = "const client = new MongoClient('mongodb://localhost:27017');"
FETCH = "fetch('https://example.com/').then(console.log)"


def failed(log, verdict_class="failed", message=""):
    return Result(verdict_class, message, None, None, log, 1.0)


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("ModuleNotFoundError: No module named 'torch'", "missing-library torch"),
        ("Error: Cannot find module 'mongodb-memory-server'\nRequire stack:", "missing-library mongodb-memory-server"),
        ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@x/y' imported from /p.js", "missing-library @x/y"),
        (
            "program.ts(2,42): error TS2307: Cannot find module 'firebase/app' or its corresponding type declarations.",
            "missing-library firebase",
        ),
        ("A.java:1: error: package org.apache.poi does not exist\nimport", "missing-library org.apache.poi"),
        ("program.cpp:3:10: fatal error: Eigen/Dense: No such file or directory", "missing-library Eigen/Dense"),
        ("program.cpp:(.text+0x1): undefined reference to `EVP_sha256'", "missing-library EVP_"),
        ("sh: 1: gradle: not found", "missing-tool gradle"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'git'", "missing-tool git"),
        ("Error: spawn convert ENOENT", "missing-tool convert"),
        ("_tkinter.TclError: no display name and no $DISPLAY environment variable", "missing-tool display"),
        ("botocore.exceptions.NoCredentialsError: Unable to locate credentials", "service AWS"),
        ("HTTPSConnectionPool(host='api.github.com', port=443): Max retries exceeded", "service GitHub"),
        ("MongooseServerSelectionError: connect ECONNREFUSED 127.0.0.1:27017", "service database"),
        ("java.sql.SQLException: No suitable driver found for jdbc:mysql://localhost/test", "service database"),
        ("socket.gaierror: [Errno -2] Name or service not known", "network"),
        ("Error: getaddrinfo EAI_AGAIN jsonplaceholder.typicode.com", "network"),
        ("java.net.UnknownHostException: example.com", "network"),
        ("Could not resolve host: example.com", "network"),
        ("AssertionError: Size should be 3", "wrong-golden assertion"),
        ("program: program.cpp:9: int main(): Assertion `x == 1' failed.", "wrong-golden assertion"),
        ("program.cpp:11:18: error: ‘std::function’ has not been declared", "wrong-golden does not compile"),
        ("TypeError: x is not a function", "wrong-golden exception"),
    ],
)
def test_the_log_of_a_failure_tells_its_cause(log, cause):
    assert str(cause_of(failed(log), "")) == cause


@pytest.mark.parametrize(
    ("verdict_class", "program", "cause"),
    [
        ("timeout", "while (true) {}", "timeout"),
        ("timeout", MONGO, "service database"),
        ("timeout", FETCH, "network"),
        ("failed", FETCH, "wrong-golden exception"),
        ("memory", "", "memory"),
        ("infrastructure", FETCH, "infrastructure"),
        ("compile", "", "wrong-golden does not compile"),
        ("syntax", "", "wrong-golden does not compile"),
        ("undefined-name", "", "wrong-golden undefined name"),
    ],
)
def test_the_verdict_and_the_program_tell_what_the_log_does_not(verdict_class, program, cause):
    assert str(cause_of(failed("", verdict_class), program)) == cause


def test_what_the_network_broke_is_no_wrong_assertion():
    log = "Error: getaddrinfo ENOTFOUND example.com\nAssertionError: GET request should return a response"
    assert cause_of(failed(log), "") == Cause("network")


def test_a_missing_file_of_the_programs_own_is_no_missing_tool():
    log = "FileNotFoundError: [Errno 2] No such file or directory: 'data/input.txt'"
    assert cause_of(failed(log), "") == Cause("wrong-golden", "exception")


def test_a_relative_module_is_no_missing_library():
    assert cause_of(failed("Error: Cannot find module './config'"), "").kind == "wrong-golden"


def test_what_passed_has_no_cause():
    assert cause_of(failed("getaddrinfo", "passed"), FETCH) is None


def test_only_what_is_not_here_counts_as_a_lack():
    lacks = [
        cause for cause in ("network", "service AWS", "missing-library x", "missing-tool git") if kind_of(cause).is_lack
    ]
    assert len(lacks) == 4
    assert not any(kind_of(cause).is_lack for cause in ("", "wrong-golden assertion", "timeout", "infrastructure"))


def test_a_cause_is_read_from_its_words_as_it_was_written():
    for cause in (
        Cause("missing-library", "org.apache.poi"),
        Cause("network"),
        Cause("wrong-golden", "does not compile"),
    ):
        assert kind_of(str(cause)) == cause


def test_every_rule_compiles_and_the_last_one_fits_everything():
    rules = tomllib.loads(Path(causes.__file__).with_name("causes.toml").read_text())["rules"]
    for rule in rules:
        re.compile(rule.get("log", ""))
        re.compile(rule.get("program", ""))
    assert rules[-1] == {"cause": "wrong-golden", "detail": "exception"}
