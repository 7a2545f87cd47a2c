"""The statements of a program that are its tests: a graft that passes must execute those that the finished program executes.

They are (1) statements that hold an assertion, or a call of a function of the program that holds one, behind the hole, outside of functions and in
functions that the tests call without going through the hole (`callers.py`); (2) the same before the hole in functions that are called like tests; (3) what the program does at its outermost level behind
the hole: the statements of the file, or those of `main`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from runners.programs.callers import Callers, FunctionName
from runners.programs.places import SHAPES, TEST_NAME, EnclosedNode, Shape, name_of, places, text_of
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
