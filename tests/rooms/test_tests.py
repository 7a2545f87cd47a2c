"""Where tests stand and what they share: the folder says which command runs a test, and what two of them need is in tests/support."""

import ast
import re
from functools import cache

from tests.support.places import ROOT

TESTS = ROOT / "tests"
PROGRAMS = TESTS / "support/containment_programs"
"""What hostile programs import is their own business."""
WHOLE_DATA = ("tests/real/", "tests/performance/", "tests/support/", "tests/rooms/")
"""Only here may the data beside the checkout be used: `make test` is green where nothing stands beside it."""


@cache
def modules():
    """(path from the root, its tree) of every Python file of the tests."""
    return [
        (path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(TESTS.rglob("*.py"))
        if not path.is_relative_to(PROGRAMS)
    ]


def imported(tree):
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield from (f"{module}.{each.name}" for each in names)


def test_no_test_imports_a_test():
    found = {
        path: sorted(name for name in imported(tree) if name.startswith("tests.") and name.split(".")[1] != "support")
        for path, tree in modules()
    }
    assert {path: names for path, names in found.items() if names} == {}


def test_no_test_changes_where_modules_are_found():
    found = [
        path
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func) in {"sys.path.insert", "sys.path.append"}
    ]
    assert found == []


def test_only_real_tests_use_the_data_beside_the_checkout():
    found = [
        path
        for path, tree in modules()
        if not path.startswith(WHOLE_DATA) and "tests.support.places.SHARED" in imported(tree)
    ]
    assert found == []


def test_tests_mirror_the_rooms_at_most_two_levels_deeper():
    """So do those of the whole data, in a folder of their own."""
    too_deep = []
    for path, _ in modules():
        own = ROOT.joinpath(
            *path.removeprefix("tests/real/data/").removeprefix("tests/real/").removeprefix("tests/").split("/")[:-1]
        )
        levels = 0
        while not own.is_dir():
            own, levels = own.parent, levels + 1
        if levels > 2:
            too_deep.append(path)
    assert too_deep == []


def test_tests_that_the_docs_name_exist():
    pages = [
        ROOT / "README.md",
        ROOT / "ARCHITECTURE.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    named = {
        (page.name, name)
        for page in pages
        for name in re.findall(r"`(tests/[\w/.-]+)`?", page.read_text(encoding="utf-8"))
    }
    assert {(page, name) for page, name in named if not (ROOT / name.rstrip(".")).exists()} == set()
