"""Python files of a project that say how it is set up, as far as their syntax shows it. Nothing is run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from packaging.utils import canonicalize_name

from runners.environments.manifests import Files, at, lines_of
from runners.environments.python.declared import Declared, Use, declared_as, requirement_of, use_of

_UNKNOWN: Any = object()


def parsed(text: str) -> ast.Module:
    """The syntax tree of a file; an empty one of a file that is no Python of this version."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in strings
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def setup_arguments(text: str) -> dict[str, Any]:
    """The arguments of `setup(...)` in a `setup.py`, as far as they are written out; others are left out."""
    tree = parsed(text)
    names = _names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "setup":
            found = {keyword.arg: _value(keyword.value, names) for keyword in node.keywords if keyword.arg}
            return {name: value for name, value in found.items() if value is not _UNKNOWN}
    return {}


def of_setup_py(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """What `setup.py` requires."""
    given = setup_arguments(files.get(at(root, "setup.py"), ""))
    for name, use in (("install_requires", "run"), ("tests_require", "test")):
        yield from declared_as(_texts(given.get(name)), use, f"setup.py {name}")  # type: ignore[arg-type]
    extras = given.get("extras_require")
    for name, items in extras.items() if isinstance(extras, dict) else ():
        yield from declared_as(_texts(items), use_of(str(name)), f"setup.py extras_require {name}")


def of_noxfile(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """What the sessions of `noxfile.py` install, where it is written out."""
    for function in parsed(files.get(at(root, "noxfile.py"), "")).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        use, source = use_of(function.name), f"noxfile.py {function.name}"
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _called(node) in {"install", "conda_install"}:
                words = [_value(word, {}) for word in node.args]
                yield from of_words([word for word in words if isinstance(word, str)], files, root, use, source)


def of_words(words: list[str], files: Files, root: PurePosixPath, use: Any, source: str) -> Iterator[Declared]:
    """What `pip install` would install with these words: packages by name, and requirement files; addresses, folders and options are left out."""
    rest = iter(words)
    for word in rest:
        if word in {"-r", "--requirement"}:
            yield from of_requirement_file(files, at(root, next(rest, "")), use, source)
        elif word in {"-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links"}:
            next(rest, "")
        elif word.startswith("-r") and len(word) > 2:
            yield from of_requirement_file(files, at(root, word[2:].strip()), use, source)
        elif not word.startswith(("-", ".", "/")):
            yield from declared_as([word], use, source)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _names(tree: ast.Module) -> dict[str, Any]:
    """The names of the file that are bound once to what is written out."""
    found: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found[name] = _UNKNOWN if name in found else _value(value, found)
    return found


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names.get(name, _UNKNOWN)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [value for item in items if (value := _value(item, names)) is not _UNKNOWN]
        case ast.Dict(keys=keys, values=values):
            pairs = ((_value(key, names), _value(value, names)) for key, value in zip(keys, values, strict=True) if key)
            return {key: value for key, value in pairs if isinstance(key, str) and value is not _UNKNOWN}
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(_value(left, names), _value(right, names))
    return _UNKNOWN


def _sum(left: Any, right: Any) -> Any:
    for kind in (list, str):
        if isinstance(left, kind) and isinstance(right, kind):
            return left + right  # type: ignore[operator]
    return left if isinstance(left, list) else right if isinstance(right, list) else _UNKNOWN


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines()]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


# Requirement files of pip: `requirements*.txt` wherever they lie, with the files and constraints that they
# name.

_NAME = re.compile(r"(^|[-_.])(reqs?|requirements?)([-_.]|$)", re.IGNORECASE)
_ENDING = re.compile(r"\.(txt|in|pip)$")
_NESTED = re.compile(r"(?:-r|--requirement|-c|--constraint)[= ]?\s*(\S+)")
_OTHER = re.compile(r"doc|lint|typ(e|ing)|mypy|style|build|release|publish|bench", re.IGNORECASE)
_DEVELOPS = re.compile(r"test|dev|ci", re.IGNORECASE)


def of_requirement_files(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """All requirement files of the project: those at its root, and in folders of such a name or of tests."""
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        if _is_requirement_file(path, root):
            name = str(PurePosixPath(path).relative_to(root))
            yield from of_requirement_file(files, path, _use(name), name)


def of_requirement_file(files: Files, path: str, use: Use, source: str) -> Iterator[Declared]:
    """One requirement file with those that it names. Options, addresses and folders are left out."""
    limits = dict(_constraints(files, path, set()))
    for item in _items(files, path, set()):
        if requirement := requirement_of(item):
            limit = limits.get(canonicalize_name(requirement.name), "")
            if limit and not requirement.specifier:
                requirement = requirement_of(f"{requirement.name}{limit}") or requirement
            yield Declared(str(requirement), use, source)


def _is_requirement_file(path: str, root: PurePosixPath) -> bool:
    own = PurePosixPath(path)
    if not own.is_relative_to(root) or not _ENDING.search(own.name):
        return False
    parts = own.relative_to(root).parts
    if len(parts) == 1:
        return bool(_NAME.search(own.stem))
    folder = parts[-2].lower()
    return len(parts) <= 3 and (folder in {"requirements", "reqs", "requirement"} or (bool(_NAME.search(own.stem)) and folder.startswith("test")))  # fmt: skip


def _use(name: str) -> Use:
    if _OTHER.search(name):
        return "other"
    return "test" if _DEVELOPS.search(name) or use_of(name) == "test" else "run"


def _items(files: Files, path: str, seen: set[str]) -> Iterator[str]:
    """The lines of a file and of those that it names, each file once."""
    seen.add(path)
    for line in lines_of(files.get(path, "")):
        if nested := _NESTED.match(line):
            other = _beside(path, nested[1])
            if line.startswith(("-r", "--req")) and other not in seen:
                yield from _items(files, other, seen)
        elif not line.startswith("-"):
            yield line


def _constraints(files: Files, path: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    seen.add(path)
    for line in lines_of(files.get(path, "")):
        nested = _NESTED.match(line)
        if nested is None or (other := _beside(path, nested[1])) in seen:
            continue
        yield from _constraints(files, other, seen)
        if line.startswith(("-c", "--con")):
            for item in _items(files, other, set()):
                if requirement := requirement_of(item):
                    yield canonicalize_name(requirement.name), str(requirement.specifier)


def _beside(path: str, named: str) -> str:
    """The path of a file that another names; `..` goes up."""
    parts: list[str] = []
    for part in PurePosixPath(at(PurePosixPath(path).parent, named)).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != "..":
            parts.append(part)
    return "/".join(parts)
