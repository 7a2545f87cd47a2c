"""What tests import from elsewhere, and which package brings it."""

from pathlib import PurePosixPath

import pytest

from runners.environments.python.python_candidates import imported_by_tests, is_test, package_of

ROOT = PurePosixPath()


def imported(text, **more):
    return imported_by_tests({"tests/test_a.py": text, **{path.replace("__", "/"): "" for path in more}}, ROOT)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import numpy.linalg as la, yaml", {"numpy", "yaml"}),
        ("from freezegun.api import freeze_time", {"freezegun"}),
        ("import os, sys\nfrom __future__ import annotations\nimport tomllib", set()),
        ("from . import x\nfrom .y import z\nfrom .. import w", set()),
        ("def test():\n    import respx", {"respx"}),
        ("class A:\n    def b(self):\n        with c():\n            import respx", {"respx"}),
        ("try:\n    import ujson\nexcept ImportError:\n    ujson = None", set()),
        ("try:\n    import ujson\nexcept (ValueError, ModuleNotFoundError):\n    import json", set()),
        (
            "try:\n    import ujson\nexcept Exception:\n    pass\nelse:\n    import respx\nfinally:\n    import rich",
            {"respx", "rich"},
        ),
        ("try:\n    import ujson\nexcept:\n    pass", set()),
        ("try:\n    import ujson\nexcept ValueError:\n    pass", {"ujson"}),
        (
            "def f():\n    try:\n        import ujson\n    except ImportError:\n        pass\n    import respx",
            {"respx"},
        ),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import attrs\nelse:\n    import respx", {"respx"}),
        ("import typing\nif typing.TYPE_CHECKING:\n    import attrs", set()),
        ("if sys.version_info > (3,):\n    import respx", {"respx"}),
        ("import (", set()),
        ("print 'old'", set()),
    ],
)
def test_imports_count_that_a_test_cannot_do_without(text, names):
    assert imported(text) == names


def test_modules_of_the_project_are_its_own_wherever_they_lie():
    text = "import own, lib, helper, speedups, conftest, respx"
    own = {
        "src/own/__init__.py": "",
        "lib/deep/x.py": "",
        "tests/helper.py": "",
        "own/speedups.pyx": "",
        "conftest.py": "",
    }
    assert imported_by_tests({"tests/test_a.py": text, **own}, ROOT) == {"respx"}


def test_only_tests_and_only_those_below_the_root_are_looked_at():
    files = {"own/a.py": "import numpy", "one/tests/test_a.py": "import respx", "two/tests/test_a.py": "import rich"}
    assert imported_by_tests(files, PurePosixPath("one")) == {"respx"}


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("test_a.py", True),
        ("a_test.py", True),
        ("own/conftest.py", True),
        ("tests/data.py", True),
        ("own/testing/x.py", True),
        ("own/latest.py", False),
        ("own/contest/x.py", False),
        ("tests/data.txt", False),
    ],
)
def test_a_test_is_known_by_its_name_or_folder(path, test):
    assert is_test(path) == test


@pytest.mark.parametrize(
    ("module", "package"),
    [("yaml", "pyyaml"), ("PIL", "pillow"), ("cv2", "opencv-python-headless"), ("sklearn", "scikit-learn"), ("typing_extensions", "typing-extensions"), ("respx", "respx"), ("bs4", "beautifulsoup4")],
)  # fmt: skip
def test_the_package_of_a_module(module, package):
    assert package_of(module) == package
