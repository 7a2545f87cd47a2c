"""What a Python program imports, by its syntax tree."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import dedent

OWN = sys.stdlib_module_names | {"__main__", "__future__"}
_SEEKS = frozenset({"__import__", "import_module", "find_spec", "find_loader", "run_module", "load_module"})
"""Functions that import, or look for, the module that their first argument names."""
_DOUBTFUL = ("pkgutil", "importlib.metadata", "importlib.resources")
"""Modules by which a program may look for any other."""
_REPLACES = frozenset({"setattr", "delattr"})
"""Functions of pytest's `monkeypatch` whose first argument may name what is replaced, as that of `patch` does."""
_SPECIAL = frozenset({"object", "dict", "multiple"})
"""Functions of `patch` that take the name of a module, or the object itself."""
_IMPORT_IN_TEXT = re.compile(
    r"(?:^|[;:'\"])[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))|\bpython[\d.]*[ \t]+-m[ \t]+(\w+)",
    re.MULTILINE,
)
_HINT = re.compile(r"import|python[\d.]* +-m")
_UNKNOWN = "?"
"""What stands for a module whose name only the run knows."""


def python_needs_packages(text: str) -> bool:
    """Whether a program may import what is not Python's own. One that does not parse imports nothing: this interpreter also runs it."""
    try:
        tree = _parsed(text)
    except SyntaxError:
        return False
    except (ValueError, RecursionError, MemoryError):  # Python itself does not say what is wrong
        return True
    return any(name not in OWN for name in _modules(tree))


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in strings
        return ast.parse(text)


def _modules(tree: ast.Module) -> Iterator[str]:
    """The outermost packages of the modules that are imported, or may be: `_UNKNOWN` where only the run knows."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from _imported(node)
            case ast.Call():
                yield from _of_call(node)
            case ast.Name() | ast.Attribute() if _tail(node) in _SEEKS and id(node) not in called:
                yield _UNKNOWN  # it may be called by another name
            case ast.Constant(value=str() | bytes() as value):
                yield from _in_text(value if isinstance(value, str) else value.decode("latin-1"))
            case ast.JoinedStr():
                yield from _in_text("".join(map(_piece, node.values)))
            case ast.List() | ast.Tuple():
                yield from _of_words(node.elts)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        if node.level:  # of the program's own folder
            return
        if any(alias.name in _SEEKS and alias.asname not in {None, alias.name} for alias in node.names):
            yield _UNKNOWN
        names = [f"{node.module}.{name}" for name in names]
    for name in names:
        is_doubtful = f"{name}.".startswith(tuple(f"{one}." for one in _DOUBTFUL))
        yield _UNKNOWN if is_doubtful else name.partition(".")[0]


def _of_call(node: ast.Call) -> Iterator[str]:
    name, given = _tail(node.func), _first(node)
    yield from _of_words(node.args)
    if name in _SEEKS and given is not None:
        yield from _named(given) if _is_text(given) else [_UNKNOWN]
    elif name == "patch":
        yield from _replaced(given)
    elif isinstance(node.func, ast.Attribute) and (
        name in _REPLACES or (name in _SPECIAL and _tail(node.func.value) == "patch")
    ):
        yield from _named(given)


def _replaced(given: ast.expr | None) -> Iterator[str]:
    """The module of a target of `patch`."""
    match given:
        case ast.Constant() | None:
            yield from _named(given)
        case ast.JoinedStr(values=[ast.Constant(value=str() as start), *_]) if "." in start:
            yield start.partition(".")[0]
        case ast.JoinedStr(values=[ast.FormattedValue(value=own), *_]) | ast.BinOp(left=own) if _is_main(own):
            return
        case _:
            yield _UNKNOWN


def _of_words(words: Sequence[ast.expr]) -> Iterator[str]:
    """The modules that the words of a command run: `[sys.executable, "-m", "pytest"]`."""
    for flag, name in pairwise(words):
        if isinstance(flag, ast.Constant) and flag.value == "-m":
            yield from _named(name) if _is_text(name) else [_UNKNOWN]


def _in_text(text: str) -> Iterator[str]:
    """The modules that a text imports if it is code, and may import if it is a command, or code with something around it."""
    if not _HINT.search(text):
        return
    try:
        yield from _modules(_parsed(dedent(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        for found in _IMPORT_IN_TEXT.finditer(text):
            names = (found[1] or found[3] or found[2]).split(",")
            yield from (name.split()[0].partition(".")[0] for name in names if name.strip())


def _first(node: ast.Call) -> ast.expr | None:
    """The first argument of a call, also where it is named."""
    return next(iter([*node.args, *(keyword.value for keyword in node.keywords)]), None)


def _named(node: ast.expr | None) -> Iterator[str]:
    """The outermost package of the module that a text names; nothing for what names none, as `/items`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        root = node.value.partition(".")[0]
        yield from [root] * root.isidentifier()


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_main(node: ast.expr) -> bool:
    """Whether it names the program's own module."""
    return _tail(node) == "__name__"


def _tail(node: ast.expr) -> str:
    """The last name of a dotted one: `patch` of `unittest.mock.patch`; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _piece(node: ast.expr) -> str:
    """A part of an f-string; what is put in is a name that nothing has."""
    return str(node.value) if isinstance(node, ast.Constant) else "_unknown_"
