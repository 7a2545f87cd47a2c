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


IMPORTS = re.compile(r"^\s*(?:from|import) +(tests\.[\w.]+)(?: import \(?([\w,\s]+))?", re.MULTILINE)


@cache
def modules():
    """(path from the root, its text) of every Python file of the tests."""
    return [
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(TESTS.rglob("*.py"))
        if not path.is_relative_to(PROGRAMS)
    ]


def imported(text):
    """The modules of the tests that a text imports, and the names that it takes of them."""
    for match in IMPORTS.finditer(text):
        names = re.findall(r"\w+", match[2] or "")
        yield from (f"{match[1]}.{name}" for name in names) if names else (match[1],)


def test_no_test_imports_a_test():
    found = {
        path: sorted(name for name in imported(text) if name.split(".")[1] != "support") for path, text in modules()
    }
    assert {path: names for path, names in found.items() if names} == {}


def test_no_test_changes_where_modules_are_found():
    calls = re.compile(r"\bsys\.path\.(?:insert|append)\(")
    found = [
        path
        for path, text in modules()
        if calls.search(text)
        and any(
            isinstance(node, ast.Call) and calls.match(f"{ast.unparse(node.func)}(")
            for node in ast.walk(ast.parse(text))
        )
    ]
    assert found == []


def test_only_real_tests_use_the_data_beside_the_checkout():
    found = [
        path
        for path, text in modules()
        if not path.startswith(WHOLE_DATA) and "tests.support.places.SHARED" in imported(text)
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
