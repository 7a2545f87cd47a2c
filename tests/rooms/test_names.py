"""One public name, one meaning: a reader who searches the tree for the name of a type finds one thing."""

import ast
import re
from collections import defaultdict

from tests.support.places import ROOT

ROOMS = ("syntax", "server", "runners", "replay", "corpora", "tui", "tools")
PROJECTS = (ROOT / "corpora/demo/ledger", ROOT / "corpora/demo/router")
"""Programs of the bundled tapes: they are data, and know no rooms."""
TYPE = re.compile(r"[A-Z]\w*[a-z]\w*")
"""The name of a class or of an alias of a type; constants and type variables have capitals only."""

ALLOWED: dict[str, str] = {}
"""Names of public types that may be defined in several files, each with the reason."""
ROLES = {
    "__init__": "what is read first of a package",
    "app": "a program, or a screen of its own",
    "card": "what a benchmark registers of itself",
    "corpus": "a benchmark as tasks",
    "errors": "the exceptions of a room",
    "messages": "what widgets post to their app",
    "model": "the data of a screen, without widgets",
    "protocol": "a seam: what others implement",
    "registry": "names, and what is registered under them",
    "sitecustomize": "what Python imports at its start",
}
"""Modules that are in each room what they are in the others."""
SUBJECTS = {"gguf": "embedded models", "node": "Node", "openai": "OpenAI's HTTP API", "python": "Python"}
"""Modules of several rooms about one thing outside ghosttape."""


def sources():
    found = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return [path for path in found if not any(path.is_relative_to(project) for project in PROJECTS)]


def types(text):
    """The names of the public classes and aliases at the top of a module."""
    for node in ast.parse(text).body:
        match node:
            case ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names = [name]
            case ast.Assign(targets=targets):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            case _:
                names = []
        yield from (name for name in names if TYPE.fullmatch(name))


def in_several_files(files):
    """The types that several of the files (path, text) define, with the paths."""
    defined = defaultdict(list)
    for path, text in files:
        for name in set(types(text)):
            defined[name].append(path)
    return {name: paths for name, paths in defined.items() if len(paths) > 1}


def test_each_public_type_is_defined_in_one_file():
    files = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in sources()]
    assert len(files) > 300
    found = in_several_files(files)
    assert found.keys() - ALLOWED.keys() == set(), found
    assert ALLOWED.keys() - found.keys() == set(), "allowed, and no longer needed"


def test_one_name_of_a_module_means_one_thing():
    defined = defaultdict(list)
    for path in sources():
        defined[path.stem].append(str(path.relative_to(ROOT)))
    several = {name: paths for name, paths in defined.items() if len(paths) > 1}
    allowed = ROLES.keys() | SUBJECTS.keys()
    assert {name: paths for name, paths in several.items() if name not in allowed} == {}
    assert allowed - several.keys() == set(), "allowed, and no longer needed"


def test_a_type_that_two_files_define_is_found_and_what_is_private_or_no_type_is_not():
    one = "class A1a: ...\nclass _B: ...\nAlias = int\nEVERY_S = 1.0\nT = TypeVar('T')\n"
    other = "class A1a:\n    class Alias: ...\nclass _B: ...\nEVERY_S = 2.0\nT = TypeVar('T')\n"
    assert in_several_files([("a.py", one), ("b.py", other)]) == {"A1a": ["a.py", "b.py"]}
    assert in_several_files([("a.py", one), ("b.py", "class Alias: ...\n")]) == {"Alias": ["a.py", "b.py"]}
    assert in_several_files([("a.py", "Alias: TypeAlias = int\n"), ("b.py", one)]) == {"Alias": ["a.py", "b.py"]}
