"""Labels of a task, computed from its code: what the removed code uses and what it is, and how far from it lies what it refers to.

The words are those of the SimCopilot paper (Jiang et al. 2025, §3.1 and §4; docs/benchmarks.md, "Labels", has them with what is counted here).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import tree_sitter

from corpora.labels.name_rules import NameKind
from corpora.labels.names import ByteSpan, DefinedName, NameScope, NamesOfFile, UsedName, base_name, names_of, words
from syntax.languages import Language
from syntax.parse import Tree, parse

Construct: TypeAlias = Literal[
    "local variable", "global variable", "function", "class", "library", "if condition", "if body", "loop body"
]
CONSTRUCTS: tuple[Construct, ...] = get_args(Construct)
_CALLS = frozenset({"call", "member call"})
_FAR = frozenset({"variable", "field", "function", "class", "type"})
"""Names whose definitions are of the project itself; how far away an import stands says nothing."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a task is like."""

    constructs: frozenset[Construct]
    """A task may have several, or none."""
    comment: int | None
    """Lines from the nearest comment above the gap (its last line) to the gap's first line; None where no comment stands above."""
    reference: int | None
    """Lines from the farthest definition above the gap that the removed code refers to, to where it refers to it; None where it refers to none."""


def labels_of(language: Language, before: str, truth: str, after: str, own: frozenset[str] = frozenset()) -> Labels:
    """The labels of the task whose removed code is `truth`, between what stands before and after it in the whole file.

    Example: of `a = 1`, a line below, and `print(a)`, which is removed, they are a local variable, no comment, and a reference 2 lines away.

    What the file imports from packages of these `own` names is no library.

    In languages whose names are not known here (`corpora.labels.grammars`) no task has a construct of what it uses, or a distance to a reference.
    """
    text = before + truth + after
    tree = parse(language, text)
    gap, line = _gap(tree, len(before), truth), before.count("\n")
    names = names_of(language, text, own)
    uses = [*known_uses(names, gap)] if names is not None else []
    constructs = frozenset({*_used(uses), *_generated(language, text, gap)})
    return Labels(constructs, _to_comment(language, text, tree.byte(len(before)), line), _to_reference(uses))


def _gap(tree: Tree, start: int, truth: str) -> ByteSpan:
    """The removed code without white space around it, in bytes; two equal ends where there is none."""
    first = start + len(truth) - len(truth.lstrip())
    return tree.byte(first), tree.byte(max(first, start + len(truth.rstrip())))


def _used(uses: list[KnownUse]) -> Iterator[Construct]:
    """The constructs of what the removed code uses."""
    for known in uses:
        kind = known.definition.kind
        if kind == "field":
            yield "global variable"
        elif kind == "variable":
            yield "global variable" if _is_global(known.definition, known) else "local variable"
        elif kind == "function" and known.use.role in _CALLS:
            yield "function"
        elif kind in {"class", "library"}:
            yield kind


def _is_global(definition: DefinedName, known: KnownUse) -> bool:
    """Whether a variable is one of the whole file that a function or a class uses: to the code at the top it is local."""
    return definition.scope.kind == "file" and known.use.scope.nearest("function", "class").kind != "file"


def _generated(language: Language, text: str, gap: ByteSpan) -> Iterator[Construct]:
    """The constructs of which a part stands in the gap."""
    for part in parts_of(language, text):
        if part.kind != "comment" and part.start < gap[1] and part.end > gap[0]:
            yield part.kind


def _to_comment(language: Language, text: str, start: int, line: int) -> int | None:
    above = (part for part in parts_of(language, text) if part.kind == "comment" and part.start < start)
    return min((max(0, line - part.last_line) for part in above), default=None)


def _to_reference(uses: list[KnownUse]) -> int | None:
    far = (known for known in uses if known.definition.kind in _FAR)
    return max((known.use.line - known.definition.line for known in far), default=None)


# The parts of a text that are what a label says, whatever they use: conditions, bodies of ifs and loops,
# comments. Positions are bytes.

PartKind: TypeAlias = Literal["if condition", "if body", "loop body", "comment"]
_STRINGS = frozenset({"string", "concatenated_string"})


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """A part of a text, and the line (from 0) on which it ends."""

    kind: PartKind
    start: int
    end: int
    last_line: int


@lru_cache(maxsize=4)
def parts_of(language: Language, text: str) -> Sequence[LabelledPart]:
    """All parts of a text, in the order in which they begin. The last few texts are kept: gaps of one program share them."""
    found: list[LabelledPart] = []
    stack = [parse(language, text).root]
    while stack:
        node = stack.pop()
        found.extend(_parts(language, node))
        stack.extend(node.named_children)
    return sorted(found, key=lambda part: part.start)


def _parts(language: Language, node: tree_sitter.Node) -> Iterator[LabelledPart]:
    name = node.type
    kind = language.kinds.get(name)
    if kind == "if":
        yield from _of_if(language, node)
    elif kind in {"for", "while"}:
        yield from _body(language, "loop body", node.child_by_field_name("body"))
    elif name.endswith("comment") or (name == "expression_statement" and _is_docstring(language, node)):
        yield _part("comment", node)


def _of_if(language: Language, node: tree_sitter.Node) -> Iterator[LabelledPart]:
    """The condition and the bodies of an if; an if in the place of an alternative has its own."""
    condition = node.child_by_field_name("condition")
    if condition is not None:
        yield _part("if condition", condition)
    yield from _body(language, "if body", node.child_by_field_name("consequence"))
    for other in node.children_by_field_name("alternative"):
        if other.child_by_field_name("condition") is not None and other.type not in language.kinds:  # `elif`
            yield from _of_if(language, other)
        elif other.type not in language.kinds:
            yield from _body(language, "if body", _of_else(language, other))


def _of_else(language: Language, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The body of an alternative; None where it is one more if."""
    if node.type in language.blocks or not node.type.startswith("else"):
        return node
    inside = node.child_by_field_name("body") or next(reversed(node.named_children), None)
    return None if inside is not None and language.kinds.get(inside.type) == "if" else inside


def _body(language: Language, kind: PartKind, node: tree_sitter.Node | None) -> Iterator[LabelledPart]:
    """What a body holds, without its braces and the comments at its ends; a lone statement is a body too."""
    if node is None:
        return
    inside = [child for child in node.named_children if not child.type.endswith("comment")]
    if node.type not in language.blocks:
        yield _part(kind, node)
    elif inside:
        first, last = inside[0], inside[-1]
        yield LabelledPart(kind, first.start_byte, last.end_byte, last.end_point.row)


def _part(kind: PartKind, node: tree_sitter.Node) -> LabelledPart:
    """A whole node; some grammars count the line end behind a comment to it."""
    last = node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)
    return LabelledPart(kind, node.start_byte, node.end_byte, last)


def _is_docstring(language: Language, node: tree_sitter.Node) -> bool:
    """Whether a statement of Python is nothing but a text."""
    return language.id == "python" and [child.type in _STRINGS for child in node.children] == [True]


# What the names stand for that a part of a file uses: the definition above the part that each is about.

_DEEPEST = 12
"""Calls on calls whose types are looked for."""
_EXTERNAL = ""
"""The type of what comes from elsewhere: with the language, or from a library."""
_ANY_KIND: frozenset[NameKind] = frozenset(get_args(NameKind))
_TYPES: frozenset[NameKind] = frozenset({"class", "type", "library", "type parameter", "namespace"})
_OWN_TYPES: frozenset[NameKind] = frozenset({"class", "type"})


@dataclass(frozen=True, eq=False, slots=True)
class KnownUse:
    """A use with the definition that it is about."""

    use: UsedName
    definition: DefinedName


def known_uses(names: NamesOfFile, gap: ByteSpan) -> Iterator[KnownUse]:
    """The uses in a part of a file (start and end in bytes) of what is defined above it.

    What the part defines itself, and has certainly defined where it uses it, is not used from above.
    """
    resolver = _Resolver(names, gap)
    for use in names.used_between(*gap):
        definition = resolver.definition(use)
        if definition is not None:
            yield KnownUse(use, definition)


class _Resolver:
    def __init__(self, names: NamesOfFile, gap: ByteSpan) -> None:
        self.names, self.grammar, self.gap = names, names.grammar, gap

    def definition(self, use: UsedName) -> DefinedName | None:
        """The definition above the gap that a use is about; None where it is about none."""
        if use.role == "member call":
            return self._method(use)
        if use.role == "field":
            return self._field(use)
        found = self._visible(use.name, use.scope, self._kinds(use), before=self.gap[1])
        if use.role == "namespace" and not found:
            found = [one for own in self.names.scopes[0].defined.values() for one in own if one.kind == "library"]
        return self._above(found, use.at)

    def _kinds(self, use: UsedName) -> frozenset[NameKind]:
        if use.role in {"type", "namespace"}:
            return _TYPES
        if not self.grammar.separate_functions:
            return _ANY_KIND
        return frozenset({"function"}) if use.role == "call" else _ANY_KIND - {"function"}

    def _visible(
        self, name: str, scope: NameScope, kinds: frozenset[NameKind], before: int | None = None
    ) -> Sequence[DefinedName]:
        """All definitions of a name in the innermost scope that has one which can be meant.

        What a block declares only at or behind `before` is not meant, where names are declared.
        """
        for around in scope.around():
            if around.kind == "class" and self.grammar.hoists and around is not scope:
                continue
            late = before if around.kind not in {"class", "file"} and not self.grammar.hoists else None
            for own in self._with_bases(around):
                found = [one for one in own.defined.get(name, ()) if one.kind in kinds]
                if found and (late is None or any(one.at < late for one in found)):
                    return found
        return ()

    def _with_bases(self, scope: NameScope) -> Iterator[NameScope]:
        """A scope, with those of the classes that its class extends."""
        yield scope
        if scope.kind == "class" and not self.grammar.hoists:
            yield from self._inherited(scope.bases, set())
        elif scope.kind == "function" and scope.owner:
            yield from self._inherited((scope.owner,), set())

    def _inherited(self, bases: Sequence[str], seen: set[str]) -> Iterator[NameScope]:
        for name in bases:
            for scope in self._classes(name) if name not in seen else ():
                seen.add(name)
                yield scope
                yield from self._inherited(scope.bases, seen)

    def _classes(self, name: str) -> Sequence[NameScope]:
        return [scope for scope in self.names.scopes if scope.kind == "class" and scope.owner == name]

    def _above(self, found: Sequence[DefinedName], at: int) -> DefinedName | None:
        """The last definition above the gap, unless one in the gap has certainly taken its place."""
        start, end = self.gap
        own = (one for one in found if start <= one.at < end)
        if any(one.from_ <= at and one.block[0] <= at < one.block[1] for one in own):
            return None
        return max((one for one in found if one.at < start), key=lambda one: one.at, default=None)

    def _method(self, use: UsedName) -> DefinedName | None:
        """The function of a class that is called: by the type of the object, and by its name alone where that is not known."""
        owner = self._type_of(use.receiver, use.scope)
        if owner == _EXTERNAL:
            return None
        scopes = self._inherited((owner,), set()) if owner else iter(self.names.scopes)
        found = [one for scope in scopes if scope.kind == "class" for one in scope.defined.get(use.name, ())]
        return self._above([one for one in found if one.kind == "function"], use.at)

    def _field(self, use: UsedName) -> DefinedName | None:
        """The variable of a class that `this.name` or `Class.name` is about."""
        receiver = use.receiver
        owner = (
            self._own_class(use.scope)
            if words(receiver) in self.grammar.selves
            else self._named_class(receiver, use.scope)
        )
        scopes = self._inherited((owner,), set()) if owner else ()
        found = [one for scope in scopes for one in scope.defined.get(use.name, ()) if one.kind == "field"]
        return self._above(found, use.at)

    def _named_class(self, node: tree_sitter.Node | None, scope: NameScope) -> str:
        """The class of the file that an expression names; empty where it names none."""
        if node is None or node.type not in self.grammar.names:
            return ""
        found = self._visible(words(node), scope, _ANY_KIND - {"function"})
        return words(node) if any(one.kind in _OWN_TYPES for one in found) else ""

    def _own_class(self, scope: NameScope) -> str:
        return next((around.owner for around in scope.around() if around.owner), "")

    def _parent_class(self, scope: NameScope) -> str:
        """The class of the file that the class around extends."""
        bases = next((around.bases for around in scope.around() if around.kind == "class"), ())
        return next((base for base in bases if self._classes(base)), _EXTERNAL)

    def _type_of(self, node: tree_sitter.Node | None, scope: NameScope, depth: int = 0) -> str | None:
        """The class of an expression or a type: its name, `_EXTERNAL`, or None where it is not known."""
        grammar = self.grammar
        if node is None or depth > _DEEPEST:
            return None
        if node.type in grammar.external:
            return _EXTERNAL
        if words(node) in grammar.selves:
            return self._own_class(scope) or None
        if words(node) in grammar.parents or _is_call_of(node, "super"):
            return self._parent_class(scope)
        if node.type in grammar.inner:
            part = grammar.inner[node.type]
            inner = node.child_by_field_name(part) if part else next(iter(node.named_children), None)
            found = self._type_of(inner, scope, depth + 1)
            return None if found == _EXTERNAL and node.type in grammar.elements else found
        if node.type in grammar.created:
            made = self._created(node, scope)
            if made is not None:
                return made
        if node.type in grammar.names:
            return self._type_of_name(node, scope, depth)
        if node.type in grammar.members:
            return self._type_of_member(node, scope, depth)
        return self._said(node, scope)

    def _said(self, node: tree_sitter.Node, scope: NameScope) -> str | None:
        """The class that a type stands for as it is written; a part of one in Python, or a template of a namespace, may stand for any."""
        if node.type == "qualified_identifier":
            name = node.child_by_field_name("name")
            return None if name is None or name.named_child_count else self._declared(words(name), scope)
        if not _is_type(node) or (self.grammar.hoists and [child.type for child in node.children] != ["identifier"]):
            return None
        return self._declared(base_name(node), scope)

    def _created(self, node: tree_sitter.Node, scope: NameScope) -> str | None:
        """The class of a new object."""
        part = self.grammar.created[node.type]
        made = node.child_by_field_name(part)
        if self.grammar.hoists:  # a call is one of a class only where it names one
            return self._named_class(made, scope) or None
        return self._declared(base_name(made), scope)

    def _declared(self, name: str, scope: NameScope) -> str | None:
        """What the name of a type stands for."""
        found = self._visible(name, scope, _TYPES)
        kinds = {one.kind for one in found}
        return name if kinds & _OWN_TYPES else None if "type parameter" in kinds else _EXTERNAL

    def _type_of_name(self, node: tree_sitter.Node, scope: NameScope, depth: int) -> str | None:
        name = words(node)
        found = self._visible(name, scope, _ANY_KIND - {"function"})
        if node.type in self.grammar.types or not found:
            return self._declared(name, scope)
        one = found[-1]
        if one.kind in _OWN_TYPES:
            return name
        return _EXTERNAL if one.kind == "library" else self._type_of(one.typed, one.scope, depth + 1)

    def _type_of_member(self, node: tree_sitter.Node, scope: NameScope, depth: int) -> str | None:
        """The class of `a.b` or, where that is one node, of `a.b()`."""
        first, second = self.grammar.members[node.type]
        receiver, name = node.child_by_field_name(first), node.child_by_field_name(second)
        if receiver is None:
            owner: str | None = self._own_class(scope)
        else:
            owner = self._type_of(receiver, scope, depth + 1)
        if owner == _EXTERNAL:
            return _EXTERNAL if self.grammar.hoists else None
        members = (
            [one for own in self._inherited((owner,), set()) for one in own.defined.get(words(name), ())]
            if owner
            else []
        )
        return self._type_of(members[-1].typed, members[-1].scope, depth + 1) if members else None


def _is_call_of(node: tree_sitter.Node, name: str) -> bool:
    return words(node.child_by_field_name("function")) == name


def _is_type(node: tree_sitter.Node) -> bool:
    return node.type == "type" or node.type.endswith(("_type", "type_annotation", "scoped_type_identifier"))
