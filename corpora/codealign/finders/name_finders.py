"""Names that break a rule: how they are written, that nothing uses them, or that nothing defines them."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import (
    SHAPES,
    around,
    function_name,
    is_comment,
    nodes_of,
    shape_of,
    text_of,
)
from corpora.labels.names import DefinedName, NameScope, NamesOfFile, UsedName, names_of
from syntax.parse import Tree

_UPPER = re.compile(r"_*[A-Z][A-Z0-9_]*")
_SNAKE = re.compile(r"_*[a-z][a-z0-9]*(_[a-z0-9]+)+_*")
_CAMEL = re.compile(r"_*[a-z][a-z0-9]*([A-Z][A-Za-z0-9]*)+")
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_OPEN = frozenset({"file", "class"})


def _names(tree: Tree) -> NamesOfFile:
    found = names_of(tree.language, tree.text)
    assert found is not None  # the languages of SHAPES all have a grammar of names
    return found


def _defined(tree: Tree) -> Iterator[DefinedName]:
    """Each name of each scope where it is defined first."""
    for scope in _names(tree).scopes:
        yield from (places[0] for places in scope.defined.values())


def _kind(name: DefinedName) -> str:
    """`variable`, `function`, `class`, or `constant`: a variable of a file or class in capitals."""
    open_ = name.scope.kind in _OPEN
    if name.kind in {"variable", "field"}:
        return "constant" if open_ and _UPPER.fullmatch(name.name) else "variable"
    return name.kind


def _is_special(name: str) -> bool:
    return name.strip("_") == "" or (name.startswith("__") and name.endswith("__"))


def misnamed(tree: Tree, kinds: str, pattern: str) -> Iterator[int]:
    """Names of some kinds (`variable,function`) that do not match a regular expression as a whole."""
    right, wanted = re.compile(pattern), set(kinds.split(","))
    for name in _defined(tree):
        if _kind(name) in wanted and not _is_special(name.name) and not right.fullmatch(name.name):
            yield name.line


def mixed_conventions(tree: Tree) -> Iterator[int]:
    """Names of variables and functions in the convention that fewer of them have, where both `a_b` and `aB` occur."""
    names = [name for name in _defined(tree) if _kind(name) in {"variable", "function"}]
    snake = [name.line for name in names if _SNAKE.fullmatch(name.name)]
    camel = [name.line for name in names if _CAMEL.fullmatch(name.name)]
    if snake and camel:
        yield from min(snake, camel, key=len)


def _given_away(tree: Tree) -> set[str]:
    """The names that a module gives away by `__all__` or `export`, and the words of annotations."""
    exported = [text_of(node) for node in nodes_of(tree, _GIVING)]
    listed = re.findall(r"__all__\s*=\s*\[([^\]]*)\]", tree.text)
    return {word for text in [*exported, *listed] for word in re.findall(r"\w+", text)}


_GIVING = frozenset({"export_clause", "type", "marker_annotation", "annotation", "scoped_type_identifier"})


def _unread(tree: Tree) -> Iterator[DefinedName]:
    """The names, where they are defined first, that nothing reads in the scope in which they are known; an update (`a += 1`) reads nothing."""
    names, updates, kept = _names(tree), _updates(tree), _given_away(tree)
    reads = {
        (id(_home(use.scope, use.name)), use.name)
        for use in names.uses
        if use.role not in _MEMBERS and use.at not in updates
    }
    for scope in names.scopes:
        for name, places in scope.defined.items():
            if name not in kept and (id(scope), name) not in reads and name != "*":
                yield places[0]


_MEMBERS = frozenset({"member call", "field"})


def _home(scope: NameScope, name: str) -> NameScope | None:
    """The innermost scope around a use that defines the name."""
    return next((each for each in scope.around() if name in each.defined), None)


def unused_variables(tree: Tree) -> Iterator[int]:
    """Variables of functions, but parameters and the variables of loops, that nothing reads."""
    for name in _unread(tree):
        local = name.kind == "variable" and name.scope.kind not in _OPEN
        if local and not name.name.startswith("_") and _is_assigned(tree, name):
            yield name.line


_ASSIGNING = frozenset({"assignment", "variable_declarator"})


def _is_assigned(tree: Tree, name: DefinedName) -> bool:
    """Whether a name is bound alone by an assignment: of several at once some may be wanted for their place only."""
    node = tree.root.descendant_for_byte_range(name.at, name.at + 1)
    parent = None if node is None else node.parent
    return parent is not None and parent.type in _ASSIGNING


def _updates(tree: Tree) -> set[int]:
    """The bytes at which a name stands only to be updated, as a statement of its own."""
    types = frozenset({"augmented_assignment", "augmented_assignment_expression", "assignment_expression"})
    found = (
        node for node in nodes_of(tree, types) if node.parent is not None and node.parent.type == "expression_statement"
    )
    lefts = (node.child_by_field_name("left") for node in found)
    return {left.start_byte for left in lefts if left is not None and left.type == "identifier"}


def unused_imports(tree: Tree) -> Iterator[int]:
    """Imported names that nothing uses; what is imported as a whole (`*`), or for its effects, counts as used."""
    return (name.line for name in _unread(tree) if name.kind == "library" or _is_imported(tree, name))


def _is_imported(tree: Tree, name: DefinedName) -> bool:
    """Whether a name is bound by an import, or by `const a = require(…)`."""
    node = tree.root.descendant_for_byte_range(name.at, name.at + 1)
    if node is None:
        return False
    imports = SHAPES[tree.language.id].imports
    if any(each.type in imports for each in around(node)):
        return True
    binding = next((each for each in around(node) if each.type == "variable_declarator"), None)
    return binding is not None and text_of(binding.child_by_field_name("value")).startswith("require(")


def late_imports(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Imports inside functions, and those below other code at the top of a file; a docstring and a guard around imports are none."""
    imports = list(nodes_of(tree, shape_of(tree).imports)) + [
        node for node in nodes_of(tree, _BINDING) if _requires(node)
    ]
    for node in imports:
        above = [each for each in tree.root.named_children if each.end_byte <= node.start_byte]
        if any(each.type in shape_of(tree).functions for each in around(node)) or any(map(_is_code, above)):
            yield node


_BINDING = frozenset({"lexical_declaration", "variable_declaration"})
_HEADS = frozenset({"if_statement", "try_statement", "package_declaration"})


def _requires(node: tree_sitter.Node) -> bool:
    """Whether a declaration of JavaScript imports."""
    return any(text_of(each.child_by_field_name("value")).startswith("require(") for each in node.named_children)


def _is_code(node: tree_sitter.Node) -> bool:
    """Whether what stands at the top of a file is code behind which no import should come."""
    if is_comment(node) or "import" in node.type or node.type in _HEADS or _requires(node):
        return False
    return not (node.type == "expression_statement" and node.children[0].type == "string")


def unused_functions(tree: Tree) -> Iterator[int]:
    """Functions that nothing names though they are for this file alone.

    Those are functions inside functions, private ones (`_name`, `private`, `#name`), and all of a program that calls
    functions at its top level. What a module offers to others may be used there.
    """
    words = Counter(text_of(node) for node in tree.nodes() if node.type in _NAMES)
    defined = Counter(function_name(node) for node in nodes_of(tree, shape_of(tree).functions))
    script = _calls_at_top(tree)
    for node in nodes_of(tree, shape_of(tree).functions):
        name = function_name(node)
        if _is_handed_over(node):
            continue
        if name and words[name] == defined[name] and (_is_private(tree, node, name) or (script and _is_plain(node))):
            yield node.start_point.row


_NAMES = frozenset(
    {"identifier", "property_identifier", "private_property_identifier", "shorthand_property_identifier"}
)


_INERT = frozenset({"staticmethod", "classmethod", "property", "cache", "lru_cache", "contextmanager", "wraps"})
"""Decorators of which it is known that they do not register a function somewhere."""


def _is_handed_over(node: tree_sitter.Node) -> bool:
    """Whether something else gets a function: it is a callback, whose name is for traces only, or a decorator may register it."""
    holder = node.parent
    if holder is None or holder.type != "decorated_definition":
        return holder is not None and holder.type == "arguments"
    texts = [text_of(child).lstrip("@ ") for child in holder.named_children if child.type == "decorator"]
    return any(text.partition("(")[0].rpartition(".")[2] not in _INERT for text in texts)


def _is_plain(node: tree_sitter.Node) -> bool:
    """Whether a function belongs to no class."""
    return not any("class" in each.type for each in around(node))


def _is_private(tree: Tree, node: tree_sitter.Node, name: str) -> bool:
    if node.type == "method_declaration":
        return any(child.type == "modifiers" and "private" in text_of(child).split() for child in node.children)
    if name.startswith(("_", "#")) and not name.endswith("__"):
        return True
    return any(each.type in shape_of(tree).functions for each in around(node))


def _calls_at_top(tree: Tree) -> bool:
    shape = shape_of(tree)
    defining = shape.functions | {"class_definition", "class_declaration", "method_declaration"}
    return any(
        not any(each.type in defining for each in around(call)) and not text_of(call).startswith("require(")
        for call in nodes_of(tree, shape.calls)
    )


def shadowed_builtins(tree: Tree) -> Iterator[int]:
    """Variables and functions with the name of one of Python's built-in functions or types."""
    return (name.line for name in _defined(tree) if name.name in _BUILTINS and name.scope.kind != "class")


def lowercase_constants(tree: Tree) -> Iterator[int]:
    """Variables of a file (Java: `static final` fields) that are bound once, to a literal, with a name that is not in capitals."""
    for scope in _names(tree).scopes:
        for name, places in scope.defined.items():
            if scope.kind in _OPEN and len(places) == 1 and not _UPPER.fullmatch(name) and not _is_special(name):
                yield from (place.line for place in places if _is_constant(tree, place))


def _is_constant(tree: Tree, place: DefinedName) -> bool:
    node = tree.root.descendant_for_byte_range(place.at, place.at + 1)
    if node is None or node.parent is None or node.parent.type not in _ASSIGNING:
        return False
    value = node.parent.child_by_field_name("right") or node.parent.child_by_field_name("value")
    literal = value is not None and (value.type in shape_of(tree).numbers or value.type.startswith("string"))
    holder = node.parent.parent
    if tree.language.id == "java":
        return literal and holder is not None and {"static", "final"} <= set(text_of(holder).split())
    return literal and holder is not None and not text_of(holder).startswith(("let ", "var "))


def global_variables(tree: Tree) -> Iterator[int]:
    """Variables of a file that functions change or read: all but constants in capitals. Java: static fields that are not final."""
    if tree.language.id == "java":
        yield from _static_fields(tree)
        return
    names = _names(tree)
    inside = {use.name for use in names.uses if _is_outside_variable(use)}
    for scope in names.scopes:
        for name, places in scope.defined.items():
            own = scope.kind == "file" and places[0].kind == "variable" and not _is_imported(tree, places[0])
            if own and name in inside | _declared_global(tree) and not _UPPER.fullmatch(name):
                yield places[0].line


def _is_outside_variable(use: UsedName) -> bool:
    """Whether a function uses a name that the file defines, and no scope between."""
    home = _home(use.scope, use.name)
    in_function = any(scope.kind == "function" for scope in use.scope.around())
    return in_function and use.role not in _MEMBERS and home is not None and home.kind == "file"


def _declared_global(tree: Tree) -> set[str]:
    statements = nodes_of(tree, frozenset({"global_statement"}))
    return {word for node in statements for word in re.findall(r"\w+", text_of(node))}


def _static_fields(tree: Tree) -> Iterator[int]:
    for node in nodes_of(tree, frozenset({"field_declaration"})):
        words = set(text_of(node.children[0]).split()) if node.children[0].type == "modifiers" else set()
        if "static" in words and "final" not in words:
            yield node.start_point.row


_KNOWN = {
    "python": "math re sys os random itertools functools collections heapq bisect string json Counter defaultdict deque "
    "OrderedDict List Dict Tuple Set Optional Union Any lru_cache cache reduce permutations combinations heappush heappop",
    "java": "List ArrayList Map HashMap Set HashSet Deque ArrayDeque Queue LinkedList PriorityQueue Arrays Collections "
    "Scanner TreeMap TreeSet Optional Stack Iterator Random Objects Collectors BufferedReader InputStreamReader",
    "javascript": "fs path os util readline assert events crypto",
}
"""Names that programs take from the standard library, and that need an import."""


def missing_imports(tree: Tree) -> Iterator[int]:
    """Names of the standard library that are used, and that nothing imports or defines."""
    names = _names(tree)
    defined = {name for scope in names.scopes for name in scope.defined}
    if re.search(r"^\s*(from \S+ import \*|import [\w.]+\.\*;)", tree.text, re.MULTILINE):
        return
    known = set(_KNOWN[tree.language.id].split()) - defined - {text.rpartition(".")[2] for text in _paths(tree)}
    uses = (use for use in names.uses if use.name in known and use.role not in _MEMBERS)
    yield from (use.line for use in uses if not _is_qualified(tree, use))


def _is_qualified(tree: Tree, use: UsedName) -> bool:
    """Whether a type of Java is named with its package."""
    node = tree.root.descendant_for_byte_range(use.at, use.at + 1)
    parent = None if node is None else node.parent
    return parent is not None and parent.type == "scoped_type_identifier" and parent.start_byte < use.at


def _paths(tree: Tree) -> Iterator[str]:
    """What Java's imports name."""
    return (text_of(node) for node in nodes_of(tree, frozenset({"scoped_identifier"})))
