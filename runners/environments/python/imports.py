"""What the tests of a Python project import, and which packages bring that."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files as package_files
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from runners.environments.manifests import Files, toml_of
from runners.environments.python.source_code import parsed

_TEST_FILE = re.compile(r"(^|/)(conftest|test_?\w*|\w+_tests?)\.py$")
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_FORGIVEN = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})


def is_test(path: str) -> bool:
    """Whether a file of a project belongs to its tests: by its name, or by the folder that it lies in."""
    parts = PurePosixPath(path).parts
    return path.endswith(".py") and bool(_TEST_FILE.search(path) or not _TEST_FOLDERS.isdisjoint(parts[:-1]))


def imported_by_tests(files: Files, root: PurePosixPath) -> set[str]:
    """The outermost packages that tests import, but for Python's own, those of the project, and those that a test does without."""
    own = _own_modules(files, root)
    tests = (text for path, text in files.items() if is_test(path) and PurePosixPath(path).is_relative_to(root))
    found = {name for text in tests for name in _imported(parsed(text).body)}
    return found - own - sys.stdlib_module_names - {"__future__"}


def _own_modules(files: Files, root: PurePosixPath) -> set[str]:
    """The names of all folders and modules of the project: any of them may be on the path when it is tested."""
    own = [PurePosixPath(path) for path in files if path.endswith((".py", ".pyi", ".pyx", ".c"))]
    inside = [path.relative_to(root) for path in own if path.is_relative_to(root)]
    return {part for path in inside for part in path.parts[:-1]} | {path.name.partition(".")[0] for path in inside}


def _imported(body: Iterable[ast.stmt]) -> Iterator[str]:
    """What some statements import when they run, but for what is asked for in a `try` that does without it."""
    for node in body:
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str() as module, level=0):
                yield module.partition(".")[0]
            case ast.Try() if any(_forgives(handler) for handler in node.handlers):
                yield from _imported([*node.orelse, *node.finalbody])
            case ast.If(test=test) if _is_type_checking(test):
                yield from _imported(node.orelse)
            case _:
                guarded = _guarded(node)
                yield from _imported(child for child in ast.walk(node) if child is not node and isinstance(child, ast.Import | ast.ImportFrom) and id(child) not in guarded)  # fmt: skip


def _guarded(node: ast.stmt) -> set[int]:
    """The identities of what stands in a `try` that does without it, inside of a statement."""
    tries = (each for each in ast.walk(node) if isinstance(each, ast.Try) and any(map(_forgives, each.handlers)))
    return {id(found) for each in tries for part in each.body for found in ast.walk(part)}


def _forgives(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or getattr(kind, "id", "") in _FORGIVEN for kind in kinds)


def _is_type_checking(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


@cache
def _packages() -> dict[str, str]:
    """Module → package, where the names differ (`import_names.toml`)."""
    text = package_files("runners.environments.python").joinpath("import_names.toml").read_text("utf-8")
    return {str(module): str(package) for module, package in toml_of(text).items()}


def package_of(module: str) -> str:
    """The normalised name of the package that brings a module; the module's own name where nothing else is known. Example: `yaml` is in `pyyaml`."""
    return str(canonicalize_name(_packages().get(module, module)))
