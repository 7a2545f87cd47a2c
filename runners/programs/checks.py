"""The statements of a program that are its tests: a graft that passes must execute those that the finished program executes.

They are (1) statements that hold an assertion, or a call of a function of the program that holds one, behind the hole, outside of functions and in
functions that the tests call without going through the hole (`checks.py`); (2) the same before the hole in functions that are called like tests; (3) what the program does at its outermost level behind
the hole: the statements of the file, or those of `main`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec
import tree_sitter

from syntax.languages import language_of
from syntax.parse import Tree

_ASSERTS = re.compile(r"assert|^expect|^(?:ASSERT|EXPECT)_", re.IGNORECASE)
"""Callees that are assertions: `assert.equal`, `console.assert`, `self.assertEqual`, `expect(x).toBe`, `EXPECT_EQ`."""
_MOST = 2000
"""How many statements of one program are looked at."""


@dataclass(frozen=True, slots=True)
class Check:
    """One statement of the tests: where it starts and ends in the program, as indices of characters."""

    start: int
    end: int
    wrappable: bool
    """Whether braces may stand around it: it declares nothing."""


def checks_of(language: str, text: str, hole: tuple[int, int]) -> tuple[Check, ...]:
    """Return the statements of a finished program that are its tests, in the order of the text, none of them over the hole.

    `hole` is the part that a model is to write, as indices of characters. Empty for languages whose statements are not known here.
    """
    shape, parsed = SHAPES.get(language), language_of(language)
    if shape is None or parsed is None:
        return ()
    return _Reader(shape, Tree(parsed, text), hole).checks()


@dataclass(frozen=True, slots=True)
class _Reader:
    shape: Shape
    tree: Tree
    hole: tuple[int, int]

    def checks(self) -> tuple[Check, ...]:
        found = {node.id: node for node in self._outermost()}
        found |= {place.statement.id: place.statement for place in self._asserting() if place.statement}
        spans = [(*self.tree.span(node), node.type in self.shape.simple) for node in found.values()]
        outside = [span for span in spans if span[1] <= self.hole[0] or span[0] >= self.hole[1]]
        return tuple(Check(*span) for span in sorted(outside)[:_MOST])

    def _outermost(self) -> Iterator[tree_sitter.Node]:
        """The statements of the file or of `main` behind the hole."""
        for body in self._bodies():
            for node in body.named_children:
                behind = self.tree.index(node.start_byte) >= self.hole[1]
                if behind and node.type in self.shape.outermost and not _is_text(node):
                    yield node

    def _bodies(self) -> list[tree_sitter.Node]:
        if not self.shape.main:
            return [self.tree.root]
        mains = (node for node in self.tree.nodes() if node.type in self.shape.functions and name_of(node) == "main")
        return [body for node in mains if (body := node.child_by_field_name("body"))]

    def _asserting(self) -> list[EnclosedNode]:
        """The assertions, and the calls of functions that hold some; before the hole those in functions called like tests alone."""
        whole = list(places(self.shape, self.tree))
        called = Callers(self.shape, self.tree, self.hole, whole).called()
        found = [place for place in whole if self._is_call(place.node)]
        asserting = {place.node.id for place in found if self._asserts(place)}
        names = {place.function for place in found if place.node.id in asserting and place.function}
        while True:
            more = {place.node.id for place in found if _callee(place.node).rpartition(".")[2] in names}
            wider = names | {place.function for place in found if place.node.id in more and place.function}
            if wider == names:
                break
            names = wider
        counted = asserting | more
        return [place for place in found if place.node.id in counted and self._is_test(place, called)]

    def _is_call(self, node: tree_sitter.Node) -> bool:
        """Whether a node is a call, an assertion, or an `if` that throws."""
        return node.type in self.shape.calls or (node.type == "if_statement" and self._throws(node))

    def _asserts(self, place: EnclosedNode) -> bool:
        if place.node.type == "assert_statement":
            return True
        if place.node.type == "if_statement":
            return bool(TEST_NAME.search(place.function)) or not place.function
        return bool(_ASSERTS.search(_callee(place.node)))

    def _is_test(self, place: EnclosedNode, called: frozenset[FunctionName]) -> bool:
        behind = self.tree.index(place.node.start_byte) >= self.hole[1]
        counts = not place.function or (place.owner, place.function) in called
        return bool(TEST_NAME.search(place.function)) or (behind and counts)

    def _throws(self, node: tree_sitter.Node) -> bool:
        """Whether what stands directly under an `if` throws."""
        body = node.child_by_field_name("consequence")
        return body is not None and any(one.type in self.shape.throws for one in (body, *body.named_children))


def _callee(node: tree_sitter.Node) -> str:
    """What a call calls, with dots: `assert.equal`; "" of what is no call."""
    called = node.child_by_field_name("function") or node.child_by_field_name("name")
    return re.sub(r"\(.*?\)", "", text_of(called), flags=re.DOTALL).replace("::", ".").replace("->", ".")[:200]


def _is_text(statement: tree_sitter.Node) -> bool:
    """Whether a statement is a string alone: a docstring, a directive."""
    only = statement.named_children
    return statement.type == "expression_statement" and len(only) == 1 and only[0].type == "string"


# The functions of a program that its tests call, the hole aside: what runs in these must run whatever a
# model writes.
#
# A right answer may leave a helper uncalled that the developer's text called, and the helper's own assertions with it. So a function counts
# if it is named outside of functions, in a function called like a test, in one that holds the hole, or in another function that counts. A name
# suffices, without a call: functions go into tables and to other functions. What no line names (`__init__`, `operator==`, `run` of a thread) counts
# where its class is named. Prototypes and exports call nothing.

FunctionName: TypeAlias = tuple[str, str]
"""A class ("": none) and the name of a function; "" is what stands outside of functions."""

_IMPLICIT = ("__", "operator", "~", "constructor")
"""How names of functions begin that are called with their class, whatever else names them."""
_EXPORTS = re.compile(r"(?:module\.)?exports\b[^(]*$|export\s*(?:\{|default\s+\w+\s*;?$)")


class Callers:
    """What names what in a program; `hole` is the part that a model is to write, as indices of characters."""

    def __init__(self, shape: Shape, tree: Tree, hole: tuple[int, int], places: Iterable[EnclosedNode]) -> None:
        self._shape, self._tree, self._hole = shape, tree, hole
        self._defined: dict[str, set[FunctionName]] = defaultdict(set)
        self._named: dict[FunctionName, set[str]] = defaultdict(set)
        self._everywhere: set[str] = set()  # in the hole too
        self._roots: list[FunctionName] = []
        for place in places:
            self._read(place)

    def _read(self, place: EnclosedNode) -> None:
        node = place.node
        if node.type in self._shape.functions and (name := name_of(node)):
            self._defined[name].add((place.owner, name))
            start, end = self._tree.span(node)
            if TEST_NAME.search(name) or (start < self._hole[0] and end >= self._hole[1]):
                self._roots.append((place.owner, name))
        elif node.type.endswith("identifier") and not node.named_children and not self._is_declared(place):
            self._everywhere.add(text_of(node))
            if not self._hole[0] <= self._tree.index(node.start_byte) < self._hole[1]:
                self._named[place.owner, place.function].add(text_of(node))

    def _is_declared(self, place: EnclosedNode) -> bool:
        """Whether a name is that of what is defined or declared there, or of what is exported."""
        named = place.node
        while named.parent and named.parent.type == "qualified_identifier":
            named = named.parent
        parent, shape = named.parent, self._shape
        if parent is not None and parent.type == "function_declarator":
            return _is(parent.child_by_field_name("declarator"), named)
        if parent is not None and (
            parent.type in shape.functions | shape.classes or parent.type.endswith("_signature")
        ):
            is_reference = parent.type.endswith("_specifier") and not parent.child_by_field_name("body")
            return _is(parent.child_by_field_name("name"), named) and not is_reference
        return bool(_EXPORTS.match(text_of(place.statement)))

    def called(self) -> frozenset[FunctionName]:
        """The functions that the tests call without going through the hole, those of the tests among them."""
        found = set[FunctionName]()
        todo = [*self._roots, *(own for own in self._named if not own[1]), *self._unseen()]
        while todo:
            function = todo.pop()
            if function not in found:
                found.add(function)
                todo += [other for name in self._named[function] for other in self._called_by_name(name)]
        return frozenset(found)

    def _called_by_name(self, name: str) -> Iterator[FunctionName]:
        """What may be called where a name stands: functions of this name, and of a class what needs no name."""
        yield from (own for own in self._defined.get(name, ()) if not self._is_implicit(own))
        yield from (
            own for owned in self._defined.values() for own in owned if own[0] == name and self._is_implicit(own)
        )

    def _unseen(self) -> Iterator[FunctionName]:
        """Functions of which no line says how they are called: neither they nor their class are named."""
        for own in (own for owned in self._defined.values() for own in owned):
            if self._is_implicit(own) and own[0] not in self._everywhere:
                yield own

    def _is_implicit(self, own: FunctionName) -> bool:
        return own[1].startswith(_IMPLICIT) or own[1] not in self._everywhere


def _is(found: tree_sitter.Node | None, node: tree_sitter.Node) -> bool:
    return found is not None and found.id == node.id


# Where a program's statements, calls and names stand: in which statement, function and class. The kinds of
# nodes are data, by language.

TEST_NAME = re.compile(r"^(?:test|check|verify|assert|expect|main$|run_?tests?)|_?tests?$", re.IGNORECASE)
"""Names of functions that test others: there, an `if` that throws is an assertion too."""


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kinds of nodes with which the tree of a language names what is looked for."""

    blocks: frozenset[str]
    """What holds statements."""
    simple: frozenset[str]
    """Statements that may be assertions."""
    calls: frozenset[str]
    functions: frozenset[str]
    classes: frozenset[str]
    throws: frozenset[str]
    outermost: frozenset[str]
    """Statements that count as tests at the outermost level of the program."""
    main: bool = False
    """The outermost statements are those of the function `main`."""


SHAPES = msgspec.toml.decode(Path(__file__).with_name("shapes.toml").read_bytes(), type=dict[str, Shape])
SHAPES["typescript"] = SHAPES["javascript"]
"""By language."""


@dataclass(frozen=True, slots=True)
class EnclosedNode:
    """A node with what holds it: the innermost statement, and the names of the innermost function and class ("": none)."""

    node: tree_sitter.Node
    statement: tree_sitter.Node | None
    function: str
    owner: str


def places(shape: Shape, tree: Tree) -> Iterator[EnclosedNode]:
    """All named nodes, parents first; what stands in the head of a function belongs to it. By a stack of our own, as code may nest deeply."""
    stack: list[EnclosedNode] = [EnclosedNode(tree.root, None, "", "")]
    while stack:
        place = stack.pop()
        yield place
        node, function, owner = place.node, place.function, place.owner
        if node.type in shape.functions:
            function = name_of(node) or function
        if node.type in shape.classes:
            function, owner = "", name_of(node) or owner
        in_block = node.type in shape.blocks
        for child in reversed(node.named_children):
            own = child if in_block or child.type in shape.simple else place.statement
            stack.append(EnclosedNode(child, own, function, owner))


def name_of(definition: tree_sitter.Node) -> str:
    """The name of a function or a class, without what it belongs to; "" of what is none: of a variable, if its value is a function."""
    if definition.type == "variable_declarator":
        value = definition.child_by_field_name("value")
        if value is None or "function" not in value.type:
            return ""
    named = definition.child_by_field_name("name") or definition.child_by_field_name("declarator")
    while named and (inner := named.child_by_field_name("declarator")):
        named = inner
    return text_of(named).rpartition("::")[2]


def text_of(node: tree_sitter.Node | None) -> str:
    """The text of a node; "" of none."""
    return (node.text or b"").decode("utf-8", "replace") if node else ""
