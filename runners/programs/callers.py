"""The functions of a program that its tests call, the hole aside: what runs in these must run whatever a model writes.

A right answer may leave a helper uncalled that the developer's text called, and the helper's own assertions with it. So a function counts
if it is named outside of functions, in a function called like a test, in one that holds the hole, or in another function that counts. A name
suffices, without a call: functions go into tables and to other functions. What no line names (`__init__`, `operator==`, `run` of a thread) counts
where its class is named. Prototypes and exports call nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import tree_sitter

from runners.programs.places import TEST_NAME, EnclosedNode, Shape, name_of, text_of
from syntax.parse import Tree

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
