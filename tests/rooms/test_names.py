"""One public name, one meaning: what the rooms' own names promise a reader who searches the tree for them."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("syntax", "server", "runners", "replay", "corpora", "tui", "tools")
PROJECTS = (ROOT / "corpora/demo/ledger", ROOT / "corpora/demo/router")
"""Programs of the bundled tapes: they are data, and know no rooms."""

ALLOWED: dict[str, str] = {}
"""Names of public classes that may be defined in several files, each with the reason."""


def sources():
    found = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return [path for path in found if not any(path.is_relative_to(project) for project in PROJECTS)]


def classes(text):
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name[0] != "_"}


def in_several_files(files):
    """The names that several of the files (path, text) define, with the paths."""
    defined = defaultdict(list)
    for path, text in files:
        for name in classes(text):
            defined[name].append(path)
    return {name: paths for name, paths in defined.items() if len(paths) > 1}


def test_each_public_class_is_defined_in_one_file():
    files = [(str(path.relative_to(ROOT)), path.read_text()) for path in sources()]
    assert len(files) > 300
    found = in_several_files(files)
    assert found.keys() - ALLOWED.keys() == set(), found
    assert ALLOWED.keys() - found.keys() == set(), "allowed, and no longer needed"


def test_a_class_that_two_files_define_is_found_and_a_private_one_is_not():
    once, twice = "class A: ...\nclass _B: ...\n", "class A:\n    class C: ...\nclass _B: ...\nclass C: ...\n"
    assert in_several_files([("a.py", once), ("b.py", twice)]) == {"A": ["a.py", "b.py"]}
