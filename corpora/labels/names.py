"""The names of a file: where each is defined, in which scope, and where it is used. Positions are bytes of the syntax tree."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

import tree_sitter

from corpora.labels.grammars import GRAMMARS
from corpora.labels.name_rules import Grammar, NameKind, NameRule, ScopeKind
from syntax.languages import Language
from syntax.parse import descendants, parse

ByteSpan: TypeAlias = tuple[int, int]
UseRole: TypeAlias = Literal["name", "type", "namespace", "call", "member call", "field"]
"""How a name is used. A `member call` is `a.name()`, a `field` is `this.name`, a `namespace` stands in `name::b`."""
_NEW_NAMES = frozenset(
    {
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier_pattern",
        "field_identifier",
        "implicit_parameter",
    }
)
"""Names that only definitions have, beside those that uses have too."""
_ARGUMENTS = frozenset({"type_arguments", "template_argument_list", "arguments", "keyword_argument"})
_PATHS = frozenset(
    {
        "import_statement",
        "import_from_statement",
        "import_declaration",
        "package_declaration",
        "using_directive",
        "preproc_include",
    }
)
_ELSEWHERE = frozenset({"global_statement", "nonlocal_statement"})
"""Statements that say that names belong to a scope outside."""
_CAPTURING = frozenset({"case_pattern", "keyword_pattern", "list_pattern", "tuple_pattern", "union_pattern"})
"""What a name that Python's `match` binds stands in."""
_INFERRED = frozenset({"var", "auto"})
"""Words in the place of a type."""


@dataclass(eq=False, slots=True)
class NameScope:
    """A part of a file in which names are known."""

    kind: ScopeKind
    parent: NameScope | None = None
    owner: str = ""
    """The class whose members it holds, or whose method it is."""
    bases: tuple[str, ...] = ()
    """The classes that the class extends."""
    defined: dict[str, list[DefinedName]] = field(default_factory=lambda: defaultdict(list))
    elsewhere: set[str] = field(default_factory=set)
    """Names that are bound here, and belong to a scope around it (`global`)."""

    def around(self) -> Iterator[NameScope]:
        """It and the scopes around it, the innermost first."""
        scope: NameScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def nearest(self, *kinds: ScopeKind) -> NameScope:
        """The innermost scope of one of these kinds; the file's where there is none."""
        *others, last = self.around()
        return next((scope for scope in (*others, last) if scope.kind in kinds), last)


@dataclass(frozen=True, eq=False, slots=True)
class DefinedName:
    """A place where a name is defined, or bound anew."""

    name: str
    kind: NameKind
    at: int
    line: int
    from_: int
    """Where it can be used first."""
    block: ByteSpan
    """The block of statements in which it is certain to be bound behind that place."""
    scope: NameScope
    typed: tree_sitter.Node | None
    """Its type, or the value that it begins with."""


@dataclass(frozen=True, eq=False, slots=True)
class UsedName:
    """A place where a name is used."""

    name: str
    role: UseRole
    at: int
    line: int
    scope: NameScope
    receiver: tree_sitter.Node | None = None
    """What the member belongs to."""


@dataclass(frozen=True, eq=False, slots=True)
class NamesOfFile:
    """All names of a file; uses in their order."""

    grammar: Grammar
    uses: Sequence[UsedName]
    scopes: Sequence[NameScope]

    def used_between(self, start: int, end: int) -> Sequence[UsedName]:
        """The uses between two bytes."""
        first, last = (bisect_left(self.uses, at, key=lambda use: use.at) for at in (start, end))
        return self.uses[first:last]


@lru_cache(maxsize=4)
def names_of(language: Language, text: str, own: frozenset[str] = frozenset()) -> NamesOfFile | None:
    """The names of a file; None in a language whose names are not known here. The last few are kept: gaps of one program share them.

    What is imported from packages of these `own` names is the project's.
    """
    grammar = GRAMMARS.get(language.id)
    if grammar is None:
        return None
    reader = _NameReader(grammar, language.id, own)
    reader.read(parse(language, text).root)
    return NamesOfFile(grammar, sorted(reader.uses, key=lambda use: use.at), reader.scopes)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands."""

    scope: NameScope
    block: ByteSpan
    parent: tree_sitter.Node | None = None


@dataclass(frozen=True, slots=True)
class _Named:
    """A name in a definition, and the type that is said beside it."""

    node: tree_sitter.Node
    is_function: bool = False
    typed: tree_sitter.Node | None = None


class _NameReader:
    """Reads a tree from its top, and knows of each node its scope."""

    def __init__(self, grammar: Grammar, language: str, own: frozenset[str]) -> None:
        self._own = own
        self.grammar, self.language = grammar, language
        self.uses: list[UsedName] = []
        self.scopes: list[NameScope] = []
        self._defining = _PATHS | _ELSEWHERE | grammar.rules.keys()
        self._taken = set[int]()
        """Bytes at which names stand that are no uses."""

    def read(self, root: tree_sitter.Node) -> None:
        """Read a whole tree."""
        grammar = self.grammar
        stack = [(root, _Place(self._scope("file", None), (root.start_byte, root.end_byte)))]
        while stack:
            node, place = stack.pop()
            kind, children, inner = node.type, node.named_children, self._inside(node, place)
            if kind in self._defining:
                self._define(node, place, inner)
            if kind in grammar.names:
                self._use(node, place)
            elif kind in grammar.members:
                self._use_member(node, place)
            is_default = kind in grammar.defaults
            stack.extend((child, self._outside(child, inner) if is_default else inner) for child in reversed(children))

    def _outside(self, child: tree_sitter.Node, place: _Place) -> _Place:
        """The place of a part of a parameter: what it is by default is said outside of its function."""
        node, around = place.parent, place.scope.nearest("function").parent
        if node is None or around is None or not _is_part(node, "value", child):
            return place
        return _Place(around, place.block, node)

    def _scope(
        self, kind: ScopeKind, parent: NameScope | None, owner: str = "", bases: Sequence[str] = ()
    ) -> NameScope:
        self.scopes.append(NameScope(kind, parent, owner, tuple(bases)))
        return self.scopes[-1]

    def _inside(self, node: tree_sitter.Node, place: _Place) -> _Place:
        """The place of what a node holds."""
        kind, scope = self.grammar.scopes.get(node.type), place.scope
        if kind == "class":
            owner = node if node.child_by_field_name("name") or place.parent is None else place.parent
            scope = self._scope(kind, scope, _class_name(owner), [*self._bases(owner)])
        elif kind is not None:
            scope = self._scope(kind, scope, _qualifier(node))
        is_block = node.type == "block" or kind in {"comprehension", "function"}
        return _Place(scope, (node.start_byte, node.end_byte) if is_block else place.block, node)

    def _bases(self, owner: tree_sitter.Node) -> Iterator[str]:
        if owner.type == "object_creation_expression":
            yield base_name(owner.child_by_field_name("type"))
        for child in owner.named_children:
            if child.type in self.grammar.supers:
                yield from _base_names(child, self.grammar)

    def _define(self, node: tree_sitter.Node, place: _Place, inner: _Place) -> None:
        if node.type in _ELSEWHERE:
            place.scope.nearest("function").elsewhere.update(words(name) for name in node.named_children)
            self._taken.update(name.start_byte for name in node.named_children)
        for name, module in imported(self.language, node):
            if module.partition(".")[0] in self._own:
                continue
            self._add(_Named(name), NameRule("library", from_="="), node, place, place.scope)
        if node.type in _PATHS:
            self._taken.update(below.start_byte for below in _leaves(node))
        for rule in self.grammar.rules.get(node.type, ()):
            for named in self._named(node, rule):
                self._add(named, rule, node, place, place.scope if rule.outside else inner.scope)

    def _named(self, node: tree_sitter.Node, rule: NameRule) -> Iterator[_Named]:
        """The names that a node defines."""
        if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
            return
        value = node.child_by_field_name("value")
        is_function = value is not None and value.type in self.grammar.function_values
        for part in node.children_by_field_name(rule.part) if rule.part else [node]:
            yield from self._in_pattern(part, is_function, None)

    def _in_pattern(
        self, node: tree_sitter.Node, is_function: bool, typed: tree_sitter.Node | None
    ) -> Iterator[_Named]:
        if node.type in self.grammar.names or node.type in _NEW_NAMES:
            yield _Named(node, is_function, typed)
        elif node.type in self.grammar.patterns:
            known = is_function or node.type in self.grammar.function_values
            skipped = {part.id for name in self.grammar.values for part in node.children_by_field_name(name)}
            if node.type == "pair_pattern":
                skipped = {part.id for part in node.children_by_field_name("key")}
            for child in node.named_children:
                if child.id not in skipped:
                    yield from self._in_pattern(child, known, node.child_by_field_name("type") or typed)

    def _add(self, named: _Named, rule: NameRule, node: tree_sitter.Node, place: _Place, scope: NameScope) -> None:
        """Note a definition, unless there is one at its place: an import can be a variable as well."""
        name, text, at = named.node, words(named.node), named.node.start_byte
        if not rule.reads:
            self._taken.add(at)
        if all(one.at != at for one in scope.defined.get(text, ())):
            home = self._home(scope, text, node)
            kind, from_ = self._kind(rule, home, is_function=named.is_function), _from(node, name, rule)
            typed, line = named.typed or _typed(node, place, rule), name.start_point.row
            home.defined[text].append(DefinedName(text, kind, at, line, from_, place.block, home, typed))

    def _home(self, scope: NameScope, name: str, node: tree_sitter.Node) -> NameScope:
        """The scope that a name belongs to which is bound in another."""
        if not self.grammar.hoists:
            return scope
        if node.type == "named_expression":
            scope = scope.nearest("function", "class")
        if name in scope.elsewhere:
            return next((one for one in [*scope.around()][1:] if name in one.defined), scope.nearest())
        return scope

    def _kind(self, rule: NameRule, home: NameScope, *, is_function: bool) -> NameKind:
        if is_function:
            return "function"
        is_field = rule.kind == "variable" and home.kind == "class" and not self.grammar.hoists
        return "field" if is_field else rule.kind

    def _use(self, node: tree_sitter.Node, place: _Place) -> None:
        """Note a leaf as a use, if it is a name of a scope."""
        parent = place.parent
        if parent is None or node.start_byte in self._taken or node.type not in self.grammar.names:
            return
        if _is_captured(parent):
            self._add(_Named(node), NameRule("variable"), node, place, place.scope)
            return
        if (parent.type, "") in self.grammar.silent or any(
            _is_part(parent, part, node) for kind, part in self.grammar.silent if kind == parent.type and part
        ):
            return
        called = self.grammar.calls.get(parent.type)
        role: UseRole = "type" if node.type in self.grammar.types else "name"
        if node.type in self.grammar.namespaces:
            role = "namespace"
        if called is not None and (not called or _is_part(parent, called, node)):
            if self._member(parent) is not None:
                return
            role = "call"
        self.uses.append(UsedName(words(node), role, node.start_byte, node.start_point.row, place.scope))

    def _member(self, node: tree_sitter.Node) -> tuple[tree_sitter.Node, tree_sitter.Node] | None:
        """The object and the name of an access `a.b`."""
        parts = self.grammar.members.get(node.type)
        found = [node.child_by_field_name(part) for part in parts] if parts else []
        owner, name = found or (None, None)
        return None if owner is None or name is None else (owner, name)

    def _use_member(self, node: tree_sitter.Node, place: _Place) -> None:
        """Note `a.b()` as a call of a member, and `this.b` as a use of a field."""
        member = self._member(node)
        if member is None:
            return
        owner, name = member
        parent, called = place.parent, self.grammar.calls
        is_call = node.type in called
        if not is_call and parent is not None and parent.type in called:
            part = called[parent.type]
            is_call = not part or _is_part(parent, part, node)
        role: UseRole = "member call" if is_call else "field"
        if self.language == "python" and role == "field":
            return
        self.uses.append(UsedName(words(name), role, name.start_byte, name.start_point.row, place.scope, owner))


def base_name(node: tree_sitter.Node | None) -> str:
    """The name of a type without its arguments and dimensions: `Tree` of `Tree<Leaf>[]`."""
    while node is not None and node.named_child_count:
        node = node.named_children[0]
    return words(node)


def _base_names(node: tree_sitter.Node, grammar: Grammar) -> Iterator[str]:
    if node.type in grammar.names:
        yield words(node)
    for child in node.named_children:
        if child.type not in _ARGUMENTS:
            yield from _base_names(child, grammar)


def _class_name(owner: tree_sitter.Node) -> str:
    return words(owner.child_by_field_name("name"))


def _qualifier(node: tree_sitter.Node) -> str:
    """The class of a function that is defined outside of it: `Tree` of `void Tree::grow() {}`."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "qualified_identifier":
        declarator = declarator.child_by_field_name("declarator")
    return "" if declarator is None else base_name(declarator.child_by_field_name("scope"))


def _from(node: tree_sitter.Node, name: tree_sitter.Node, rule: NameRule) -> int:
    if rule.kind in {"function", "class"} or rule.from_ == "=":
        return name.start_byte
    part = node.child_by_field_name(rule.from_) if rule.from_ else None
    return part.end_byte if part is not None else node.end_byte


def _typed(node: tree_sitter.Node, place: _Place, rule: NameRule) -> tree_sitter.Node | None:
    """What says the type of a name: the type that is declared, else the value that it begins with."""
    declared = node.child_by_field_name("type")
    if declared is None and place.parent is not None and node.type == "variable_declarator":
        declared = place.parent.child_by_field_name("type")
    if declared is not None and words(declared) not in _INFERRED:
        return declared
    return node.child_by_field_name(rule.typed) if rule.typed and rule.typed != "type" else None


def _is_part(parent: tree_sitter.Node, part: str, node: tree_sitter.Node) -> bool:
    return any(child.id == node.id for child in parent.children_by_field_name(part))


def _is_captured(parent: tree_sitter.Node) -> bool:
    """Whether the name that a node holds is bound by a pattern of Python's `match`: one without a dot that names no class, or behind `as`."""
    if parent.type == "as_pattern" and parent.children[0].type == "case_pattern":
        return True
    around = parent.parent if parent.type == "dotted_name" and parent.named_child_count == 1 else None
    return around is not None and around.type in _CAPTURING


def _leaves(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        if not top.named_child_count:
            yield top
        stack.extend(top.named_children)


# The names that a file gets from elsewhere, by its imports.

ImportedName = tuple[tree_sitter.Node, str]
"""A name, and the module that it comes from."""


def imported(language: str, node: tree_sitter.Node) -> Iterator[ImportedName]:
    """The names that a node imports from outside of the project; nothing where it is no import.

    What a path relative to the file names (`from .a import b`, `require("./a")`, `#include "a.h"`) is the project's own. A header of C++ does not say which
    names it has: its own stands for them.
    """
    reader = _READERS.get((language.removesuffix("react"), node.type))
    yield from reader(node) if reader else ()


def words(node: tree_sitter.Node | None) -> str:
    """The text of a node; empty for None."""
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")


def _python(node: tree_sitter.Node) -> Iterator[ImportedName]:
    module = node.child_by_field_name("module_name")
    if module is not None and module.type == "relative_import":
        return
    for name in node.children_by_field_name("name"):
        path, alias = name.child_by_field_name("name") or name, name.child_by_field_name("alias")
        whole = f"{words(module)}.{words(path)}" if module is not None else words(path)
        yield alias or path.named_children[0], whole


def _java(node: tree_sitter.Node) -> Iterator[ImportedName]:
    path = node.named_children[0]
    if not any(child.type == "asterisk" for child in node.named_children):
        yield path.child_by_field_name("name") or path, words(path)


def _script(node: tree_sitter.Node) -> Iterator[ImportedName]:
    source = words(node.child_by_field_name("source"))[1:-1]
    if source.startswith((".", "/")):
        return
    for below in descendants(node):
        if below.type == "import_specifier":
            yield below.child_by_field_name("alias") or below.named_children[0], source
        elif below.type in {"import_clause", "namespace_import"}:
            yield from ((child, source) for child in below.named_children if child.type == "identifier")


def _required(node: tree_sitter.Node) -> Iterator[ImportedName]:
    """`const fs = require("fs")`, `const { join } = require("path")`."""
    value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
    while value is not None and value.type == "member_expression":
        value = value.child_by_field_name("object")
    if value is None or name is None or words(value.child_by_field_name("function")) != "require":
        return
    source = words(value.child_by_field_name("arguments"))[2:-2]
    if not source.startswith((".", "/")):
        yield from ((below, source) for below in descendants(name) if below.type in _BOUND)


def _cpp(node: tree_sitter.Node) -> Iterator[ImportedName]:
    path = node.child_by_field_name("path")
    if path is not None and path.type == "system_lib_string":
        yield path, words(path)[1:-1]


_BOUND = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_READERS: Mapping[tuple[str, str], Callable[[tree_sitter.Node], Iterator[ImportedName]]] = {
    ("python", "import_statement"): _python,
    ("python", "import_from_statement"): _python,
    ("java", "import_declaration"): _java,
    ("cpp", "preproc_include"): _cpp,
    **{(language, "import_statement"): _script for language in ("javascript", "typescript")},
    **{(language, "variable_declarator"): _required for language in ("javascript", "typescript")},
}
