"""What is to be known of a language to find its names: in the words of its tree-sitter grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

NameKind: TypeAlias = Literal[
    "variable", "field", "function", "class", "type", "library", "type parameter", "namespace"
]
"""What a name stands for. A `field` is a variable of a class, a `type` an interface, an enumeration that is no class, or another name of a type."""
ScopeKind: TypeAlias = Literal["file", "class", "function", "block", "comprehension"]
"""What a part of a file is in which names are known."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """What a node type defines."""

    kind: NameKind
    part: str = "name"
    """The field of the node that holds the names; "" for the node itself."""
    outside: bool = False
    """Whether the names belong to the scope around the node, where the node opens one."""
    typed: str = "type"
    """The field that says the type of what is named, or the value that it begins with."""
    from_: str = ""
    """The field behind which the names can be used; "": behind the node; "=": from the name on."""
    reads: bool = False
    """Whether the names are used as well, as in `a += 1`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How one language names things."""

    names: frozenset[str]
    """Leaves that are names."""
    rules: Mapping[str, tuple[NameRule, ...]]
    """Node types → what they define."""
    patterns: frozenset[str] = frozenset()
    """Nodes of a definition that hold further names, as `a, b` in `a, b = f()`."""
    values: frozenset[str] = frozenset({"type", "value", "right", "size", "default_value"})
    """Fields of patterns and definitions that hold no names."""
    scopes: Mapping[str, ScopeKind]
    """Node types that open a scope."""
    calls: Mapping[str, str]
    """Calls → the field that is called."""
    members: Mapping[str, tuple[str, str]]
    """Accesses of a member, `a.b` → the fields of `a` and of `b`."""
    silent: frozenset[tuple[str, str]] = frozenset()
    """(node type, field) of names that are no names of a scope, as keywords of arguments."""
    selves: frozenset[str] = frozenset()
    """Words for the object that a method works on."""
    parents: frozenset[str] = frozenset({"super"})
    """The same object as one of the class that its class extends."""
    defaults: frozenset[str] = frozenset()
    """Parameters whose `value` is one of the code around the function."""
    supers: frozenset[str] = frozenset()
    """Children of a class that name what it extends."""
    function_values: frozenset[str] = frozenset()
    """Values that make a variable a function."""
    hoists: bool = False
    """Whether a name that is bound in a function is one of the whole function: then binding is no declaration, and there are no scopes of blocks."""
    separate_functions: bool = False
    """Whether functions and variables may have the same name."""
    types: frozenset[str] = frozenset({"type_identifier"})
    """Names that stand for types alone."""
    namespaces: frozenset[str] = frozenset()
    """Names that stand for a class or a namespace: one that the file does not define is of a header that it includes."""
    external: frozenset[str] = frozenset()
    """Expressions whose type comes with the language."""
    created: Mapping[str, str] = field(default_factory=dict)
    """Expressions that make an object → the field of its class."""
    inner: Mapping[str, str] = field(default_factory=dict)
    """Expressions that have the type of a part → its field; "": of the first part."""
    elements: frozenset[str] = frozenset()
    """Those of them that may be elements of a container from elsewhere: then their type is not known."""
