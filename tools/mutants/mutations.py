"""The mutants of a file, and a sample of the mutants of some folders.

A mutant is one small fault put into the text of a Python file. Its identity is where and what it is: file, function, operator, the line,
the replaced text and the new one, and the index among equal ones in that function. So it is found again after lines have moved. The operators are
those of mutmut (comparison, arithmetic, logic, numbers, strings, `break` and `continue`, removed calls), and bounds of slices and returned values.

Left out: annotations, decorators, arguments of classes, docstrings, f-strings (before Python 3.12 their parts have no exact positions), and assertions.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import msgspec

ROOMS = ("syntax", "server/repair", "replay/judge", "replay/numbers")


class Mutant(msgspec.Struct, frozen=True):
    """One fault in a file."""

    file: str
    """From the root of the checkout."""
    function: str
    """Its qualified name, as `Class.method`; of the class where the fault is outside its methods; empty for a module's own lines."""
    operator: str
    written: str
    """The line where the fault begins, without its indentation."""
    before: str
    after: str
    nth: int
    """Index among the mutants of this function with the same operator, line and texts, from 0."""
    line: int
    """Line of `before`, from 1."""
    offset: int
    """Characters of the file before `before`."""
    lines: tuple[int, int]
    """First and last line of the statement, or of the head of a compound one."""
    at_import: bool
    """Whether the fault is outside the bodies of functions, so that it acts when the module is imported."""

    @property
    def identity(self) -> tuple[str, str, str, str, str, str, int]:
        """What stays equal when lines move."""
        return self.file, self.function, self.operator, self.written, self.before, self.after, self.nth

    def apply(self, text: str) -> str:
        """Return the text of the file with the fault."""
        return text[: self.offset] + self.after + text[self.offset + len(self.before) :]

    def diff(self, text: str) -> str:
        """Return the removed and added lines, each with its sign."""
        changes = unified_diff(text.splitlines(), self.apply(text).splitlines(), n=0, lineterm="")
        return "\n".join(line for line in changes if not line.startswith(("---", "+++", "@@")))


Replacement: TypeAlias = tuple[int, int, str]
"""Start and end of the replaced text in characters from the start of the file, and the new text."""

_COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_NEGATED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose own mutant is their negation."""
_ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "/"),
    ast.Pow: ("**", "*"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
    ast.BitXor: ("^", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_PAIRS = (
    ("min", "max"),
    ("any", "all"),
    ("lstrip", "rstrip"),
    ("startswith", "endswith"),
    ("removeprefix", "removesuffix"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("partition", "rpartition"),
    ("bisect_left", "bisect_right"),
    ("floor", "ceil"),
    ("append", "appendleft"),
)
_CALLS = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}


class PythonFile:
    """A file's text, and where the nodes of its tree are in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def _offset(self, line: int, column: int) -> int:
        """Return the characters before a line (from 1) and a column in bytes of UTF-8, as `ast` gives it."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return the characters before a node."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return the characters up to a node's end."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr) -> str:
        """Return the text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def between(self, left: ast.expr, right: ast.expr, swap: tuple[str, str]) -> Iterator[Replacement]:
        """Yield the edit of the operator between two operands."""
        at = self.text.find(swap[0], self.end(left), self.start(right))
        if at >= 0:
            yield at, at + len(swap[0]), swap[1]

    def replaced(self, node: ast.expr | ast.stmt, text: str) -> Replacement:
        """Return the edit that puts a text in a node's place."""
        return self.start(node), self.end(node), text


def _comparison(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    if isinstance(node, ast.Compare):
        for left, sign, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            yield from source.between(left, right, _COMPARISONS[type(sign)])


def _arithmetic(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.BinOp(left=left, op=sign, right=right) | ast.AugAssign(target=left, op=sign, value=right):
            if type(sign) in _ARITHMETIC:
                yield from source.between(left, right, _ARITHMETIC[type(sign)])


def _logic(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.BoolOp(op=sign, values=values):
            swap = ("and", "or") if isinstance(sign, ast.And) else ("or", "and")
            for left, right in pairwise(values):
                yield from source.between(left, right, swap)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield source.replaced(node, source.of(operand))


def _condition(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            tests = [test]
        case ast.comprehension(ifs=ifs):
            tests = ifs
        case _:
            tests = []
    for test in tests:
        match test:
            case ast.Compare(ops=[sign]) if isinstance(sign, _NEGATED):
                pass
            case ast.UnaryOp(op=ast.Not()) | ast.Constant():
                pass
            case _:
                yield source.replaced(test, f"not ({source.of(test)})")


def _number(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            yield source.replaced(node, repr(value + 1))


def _text(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Constant(value=str() as text):
            yield source.replaced(node, repr(f"XX{text}XX"))
        case ast.Constant(value=bytes() as data):
            yield source.replaced(node, repr(b"XX" + data + b"XX"))


def _truth(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Constant(value=bool() as value):
            yield source.replaced(node, repr(not value))


def _returned(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield source.replaced(value, "None")


def _loop(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Break():
            yield source.replaced(node, "continue")
        case ast.Continue():
            yield source.replaced(node, "break")


def _call(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Call(func=ast.Name(id=name) as function) if name in _CALLS:
            yield source.replaced(function, _CALLS[name])
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in _CALLS:
            yield source.end(function) - len(name), source.end(function), _CALLS[name]


def _removed(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Expr(value=ast.Call()):
            yield source.replaced(node, "pass")


def _bound(node: ast.AST, source: PythonFile) -> Iterator[Replacement]:
    match node:
        case ast.Slice(lower=lower, upper=upper):
            for bound in (lower, upper):
                if bound is not None:
                    yield source.replaced(bound, "")


OPERATORS: dict[str, Callable[[ast.AST, PythonFile], Iterator[Replacement]]] = {
    "comparison": _comparison,
    "arithmetic": _arithmetic,
    "logic": _logic,
    "condition": _condition,
    "number": _number,
    "text": _text,
    "truth": _truth,
    "returned": _returned,
    "loop": _loop,
    "call": _call,
    "removed": _removed,
    "bound": _bound,
}


class _Scope(msgspec.Struct, frozen=True):
    """Where the walk through a tree is."""

    names: tuple[str, ...] = ()
    in_function: bool = False
    lines: tuple[int, int] = (1, 1)


def _head(node: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement, or of the head of a compound one."""
    first_below = min((child.lineno for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)), default=0)
    return node.lineno, max(node.lineno, first_below - 1) if first_below else node.end_lineno or node.lineno


def _walk(node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
    """Yield the nodes that may be mutated, each with its scope."""
    if isinstance(node, ast.stmt):
        scope = msgspec.structs.replace(scope, lines=_head(node))
    match node:
        case (
            ast.FunctionDef(name=name, args=arguments, body=body)
            | ast.AsyncFunctionDef(name=name, args=arguments, body=body)
        ):
            inner = msgspec.structs.replace(scope, names=(*scope.names, name), in_function=True)
            outer = msgspec.structs.replace(scope, names=(*scope.names, name))
            defaults = (each for each in [*arguments.defaults, *arguments.kw_defaults] if each is not None)
            children = [*((each, outer) for each in defaults), *((each, inner) for each in body)]
        case ast.ClassDef(name=name, body=body):
            inner = msgspec.structs.replace(scope, names=(*scope.names, name), in_function=False)
            children = [(each, inner) for each in body]
        case ast.AnnAssign(value=value):
            children = [] if value is None else [(value, scope)]
        case ast.Lambda(body=body):
            children = [(body, scope)]
        case ast.JoinedStr() | ast.Assert() | ast.arg() | ast.Import() | ast.ImportFrom():
            return
        case ast.Expr(value=ast.Constant()):
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return
        case _:
            children = [(each, scope) for each in ast.iter_child_nodes(node)]
    yield node, scope
    for child, around in children:
        yield from _walk(child, around)


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Return all mutants of a file in the order of their places; some may be no valid Python (`is_valid`)."""
    source, seen, found = PythonFile(text), Counter[tuple[str, ...]](), []
    places = [
        (start, end, operator, after, scope)
        for node, scope in _walk(ast.parse(text), _Scope())
        for operator, edits in OPERATORS.items()
        for start, end, after in edits(node, source)
    ]
    lines = text.split("\n")
    for start, end, operator, after, scope in sorted(places, key=lambda place: place[:4]):
        before, function = text[start:end], ".".join(scope.names)
        line = text.count("\n", 0, start) + 1
        key = (function, operator, lines[line - 1].strip(), before, after)
        nth, seen[key] = seen[key], seen[key] + 1
        found.append(Mutant(file, *key, nth, line, start, scope.lines, not scope.in_function))
    return found


def is_valid(mutant: Mutant, text: str) -> bool:
    """Whether the file with the fault is Python still, and another program than without it."""
    try:
        tree = ast.parse(mutant.apply(text))
    except SyntaxError:
        return False
    return ast.dump(tree) != ast.dump(ast.parse(text))


def sources(root: Path, rooms: Iterable[str] = ROOMS) -> dict[str, str]:
    """Return the texts of the Python files of some folders, by their paths from the root."""
    paths = [path for room in rooms for path in sorted((root / room).rglob("*.py"))]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def draw(texts: dict[str, str], count: int, seed: int, listed: Iterable[Mutant] = ()) -> tuple[list[Mutant], int]:
    """Return `count` mutants of files (path → text), and how many of the listed ones no longer apply.

    The listed ones that still apply come first, where they are now; the rest is drawn from the seed. Without a list, equal files and
    an equal seed give equal mutants.
    """
    everything = [mutant for file, text in sorted(texts.items()) for mutant in mutants_of(file, text)]
    known = {mutant.identity: mutant for mutant in everything}
    wanted = list(listed)
    chosen = {old.identity: known[old.identity] for old in wanted if old.identity in known}
    random.Random(seed).shuffle(everything)  # noqa: S311  # a sample, no secret
    for mutant in everything:
        if len(chosen) >= count:
            break
        if mutant.identity not in chosen and is_valid(mutant, texts[mutant.file]):
            chosen[mutant.identity] = mutant
    return list(chosen.values())[:count], len({old.identity for old in wanted} - known.keys())
