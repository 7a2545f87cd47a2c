"""The statements of a program that are its tests: a graft that passes must execute those that the finished program executes.

They are (1) statements that hold an assertion, or a call of a function of the program that holds one, behind the hole; (2) the same
before the hole in functions that are called like tests; (3) what the program does at its outermost level behind the hole: the
statements of the file, or those of `main`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from syntax.languages import language_of
from syntax.parse import Tree

_ASSERTS = re.compile(r"assert|^expect|^(?:ASSERT|EXPECT)_", re.IGNORECASE)
"""Callees that are assertions: `assert.equal`, `console.assert`, `self.assertEqual`, `expect(x).toBe`, `EXPECT_EQ`."""
_TESTS = re.compile(r"^(?:test|check|verify|assert|expect|main$|run_?tests?)|_?tests?$", re.IGNORECASE)
"""Names of functions that test others: there, an `if` that throws is an assertion too."""
_MOST = 2000
"""How many statements of one program are looked at."""


@dataclass(frozen=True, slots=True)
class Check:
    """One statement of the tests: where it starts and ends in the program, as indices of characters."""

    start: int
    end: int
    wrappable: bool
    """Whether braces may stand around it: it declares nothing."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a language's tree names what is looked for. `call` is the field of a call that names the callee."""

    blocks: frozenset[str]
    simple: frozenset[str]
    calls: frozenset[str]
    functions: frozenset[str]
    throws: frozenset[str]
    outermost: frozenset[str]
    main: bool = False


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT = _Shape(
    blocks=_set("program statement_block switch_case switch_default"),
    simple=_set("expression_statement"),
    calls=_set("call_expression"),
    functions=_set("function_declaration generator_function_declaration method_definition variable_declarator"),
    throws=_set("throw_statement"),
    outermost=_set(
        "expression_statement lexical_declaration variable_declaration if_statement for_statement for_in_statement "
        "while_statement do_statement try_statement switch_statement statement_block"
    ),
)
_SHAPES = {
    "python": _Shape(
        blocks=_set("module block"),
        simple=_set("assert_statement"),
        calls=_set("call assert_statement"),
        functions=_set("function_definition"),
        throws=_set("raise_statement"),
        outermost=_set(
            "expression_statement assert_statement if_statement for_statement while_statement with_statement try_statement "
            "match_statement delete_statement import_statement import_from_statement"
        ),
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "java": _Shape(
        blocks=_set("block constructor_body switch_block_statement_group"),
        simple=_set("expression_statement assert_statement"),
        calls=_set("method_invocation assert_statement"),
        functions=_set("method_declaration"),
        throws=_set("throw_statement"),
        outermost=_set(
            "expression_statement assert_statement local_variable_declaration if_statement for_statement "
            "enhanced_for_statement while_statement do_statement try_statement try_with_resources_statement switch_expression"
        ),
        main=True,
    ),
    "cpp": _Shape(
        blocks=_set("compound_statement case_statement"),
        simple=_set("expression_statement"),
        calls=_set("call_expression"),
        functions=_set("function_definition"),
        throws=_set("throw_statement"),
        outermost=_set(
            "expression_statement declaration if_statement for_statement for_range_loop while_statement do_statement "
            "try_statement switch_statement compound_statement"
        ),
        main=True,
    ),
}


def checks_of(language: str, text: str, hole: tuple[int, int]) -> tuple[Check, ...]:
    """Return the statements of a finished program that are its tests, in the order of the text, none of them over the hole.

    `hole` is the part that a model is to write, as indices of characters. Empty for languages whose statements are not known here.
    """
    shape, parsed = _SHAPES.get(language), language_of(language)
    if shape is None or parsed is None:
        return ()
    return _Reader(shape, Tree(parsed, text), hole).checks()


@dataclass(frozen=True, slots=True)
class _Place:
    """A node with what holds it: the innermost statement, and the name of the innermost function."""

    node: tree_sitter.Node
    statement: tree_sitter.Node | None
    function: str


@dataclass(frozen=True, slots=True)
class _Reader:
    shape: _Shape
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
        mains = (node for node in self.tree.nodes() if node.type in self.shape.functions and _name(node) == "main")
        return [body for node in mains if (body := node.child_by_field_name("body"))]

    def _asserting(self) -> list[_Place]:
        """The assertions, and the calls of functions that hold some; before the hole those in functions called like tests alone."""
        places = list(self._places())
        asserting = {place.node.id for place in places if self._asserts(place)}
        names = {place.function for place in places if place.node.id in asserting and place.function}
        while True:
            more = {place.node.id for place in places if _callee(place.node).rpartition(".")[2] in names}
            wider = names | {place.function for place in places if place.node.id in more and place.function}
            if wider == names:
                break
            names = wider
        counted = asserting | more
        return [place for place in places if place.node.id in counted and self._is_test(place)]

    def _asserts(self, place: _Place) -> bool:
        if place.node.type == "assert_statement":
            return True
        if place.node.type == "if_statement":
            return bool(_TESTS.search(place.function)) or not place.function
        return bool(_ASSERTS.search(_callee(place.node)))

    def _is_test(self, place: _Place) -> bool:
        behind = self.tree.index(place.node.start_byte) >= self.hole[1]
        return behind or bool(_TESTS.search(place.function))

    def _places(self) -> Iterator[_Place]:
        """Calls, assertions, and each `if` that throws, with what holds them; by a stack of our own, as code may nest deeply."""
        stack: list[_Place] = [_Place(self.tree.root, None, "")]
        while stack:
            place = stack.pop()
            node, statement, function = place.node, place.statement, place.function
            if node.type in self.shape.calls or (node.type == "if_statement" and self._throws(node)):
                yield place
            if node.type in self.shape.functions:
                function = _name(node) or function
            in_block = node.type in self.shape.blocks
            for child in reversed(node.named_children):
                own = child if in_block or child.type in self.shape.simple else statement
                stack.append(_Place(child, own, function))

    def _throws(self, node: tree_sitter.Node) -> bool:
        """Whether what stands directly under an `if` throws."""
        body = node.child_by_field_name("consequence")
        return body is not None and any(one.type in self.shape.throws for one in (body, *body.named_children))


def _name(function: tree_sitter.Node) -> str:
    """The name of a function, "" of what is none: of a variable, if its value is a function."""
    if function.type == "variable_declarator":
        value = function.child_by_field_name("value")
        if value is None or "function" not in value.type:
            return ""
    named = function.child_by_field_name("name") or function.child_by_field_name("declarator")
    while named and (inner := named.child_by_field_name("declarator")):
        named = inner
    return (named.text or b"").decode("utf-8", "replace") if named else ""


def _callee(node: tree_sitter.Node) -> str:
    """What a call calls, with dots: `assert.equal`; "" of what is no call."""
    called = node.child_by_field_name("function") or node.child_by_field_name("name")
    text = (called.text or b"").decode("utf-8", "replace") if called else ""
    return re.sub(r"\(.*?\)", "", text, flags=re.DOTALL).replace("::", ".").replace("->", ".")[:200]


def _is_text(statement: tree_sitter.Node) -> bool:
    """Whether a statement is a string alone: a docstring, a directive."""
    only = statement.named_children
    return statement.type == "expression_statement" and len(only) == 1 and only[0].type == "string"
