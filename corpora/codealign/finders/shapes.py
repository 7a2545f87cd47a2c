"""What functions, loops, calls and comments are called in the grammars of Python, Java and JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter

from syntax.languages import LANGUAGES, parser_of
from syntax.parse import Tree, descendants


@dataclass(frozen=True, slots=True)
class CodeShape:
    """The node types of one language."""

    functions: frozenset[str]
    """What defines a function that can have a name."""
    lambdas: frozenset[str]
    """Functions that are expressions."""
    loops: frozenset[str]
    each: frozenset[str]
    """Loops over elements."""
    calls: frozenset[str]
    numbers: frozenset[str]
    blocks: frozenset[str]
    """What holds statements between braces, or indented."""
    parameters: frozenset[str]
    """Lists of parameters."""
    imports: frozenset[str]
    returns: frozenset[str] = frozenset({"return_statement"})
    ifs: frozenset[str] = frozenset({"if_statement"})


_SCRIPT_LAMBDAS = frozenset({"arrow_function", "function_expression", "generator_function"})
SHAPES: Mapping[str, CodeShape] = {
    "python": CodeShape(
        functions=frozenset({"function_definition"}),
        lambdas=frozenset({"lambda"}),
        loops=frozenset({"for_statement", "while_statement"}),
        each=frozenset({"for_statement"}),
        calls=frozenset({"call"}),
        numbers=frozenset({"integer", "float"}),
        blocks=frozenset({"block", "module"}),
        parameters=frozenset({"parameters", "lambda_parameters"}),
        imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    ),
    "java": CodeShape(
        functions=frozenset({"method_declaration", "constructor_declaration"}),
        lambdas=frozenset({"lambda_expression"}),
        loops=frozenset({"for_statement", "enhanced_for_statement", "while_statement", "do_statement"}),
        each=frozenset({"enhanced_for_statement"}),
        calls=frozenset({"method_invocation", "object_creation_expression"}),
        numbers=frozenset({"decimal_integer_literal", "decimal_floating_point_literal", "hex_integer_literal"}),
        blocks=frozenset({"block", "constructor_body", "switch_block_statement_group", "program"}),
        parameters=frozenset({"formal_parameters"}),
        imports=frozenset({"import_declaration"}),
    ),
    "javascript": CodeShape(
        functions=_SCRIPT_LAMBDAS | {"function_declaration", "generator_function_declaration", "method_definition"},
        lambdas=_SCRIPT_LAMBDAS,
        loops=frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"}),
        each=frozenset({"for_in_statement"}),
        calls=frozenset({"call_expression", "new_expression"}),
        numbers=frozenset({"number"}),
        blocks=frozenset({"statement_block", "switch_case", "switch_default", "program"}),
        parameters=frozenset({"formal_parameters"}),
        imports=frozenset({"import_statement"}),
    ),
}
"""The languages of CodeAlignBench (section 2.1)."""
_SPACE = re.compile(r"\s+")


def shape_of(tree: Tree) -> CodeShape:
    """The node types of a tree's language."""
    return SHAPES[tree.language.id]


def text_of(node: tree_sitter.Node | None) -> str:
    """The text of a node, "" for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def folded(node: tree_sitter.Node | None) -> str:
    """The text of a node without its white space."""
    return _SPACE.sub("", text_of(node))


def folded_words(node: tree_sitter.Node | None) -> str:
    """The text of a node with its white space left out where it parts no words."""
    return re.sub(r"(?<!\w)\s+|\s+(?!\w)", "", text_of(node))


def nodes_of(tree: Tree, types: frozenset[str]) -> Iterator[tree_sitter.Node]:
    """The nodes of some types, in the order of the text."""
    return (node for node in tree.nodes() if node.type in types)


def inside(node: tree_sitter.Node | None, types: frozenset[str]) -> Iterator[tree_sitter.Node]:
    """The nodes of some types below a node, itself left out."""
    if node is None:
        return iter(())
    return (each for each in descendants(node) if each.type in types and each.id != node.id)


def around(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The nodes that hold a node, the innermost first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def nearest(node: tree_sitter.Node, types: frozenset[str]) -> tree_sitter.Node | None:
    """The innermost node of some types that holds a node."""
    return next((each for each in around(node) if each.type in types), None)


def is_comment(node: tree_sitter.Node) -> bool:
    """Whether a node is a comment."""
    return node.type.endswith("comment")


def statements_of(block: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    """What stands in a block, comments left out; the node itself where it is a statement without a block."""
    if block is None:
        return []
    if block.type not in _HOLDERS:
        return [block]
    return [child for child in block.named_children if not is_comment(child)]


_HOLDERS = frozenset().union(*(shape.blocks for shape in SHAPES.values()))


def callee(node: tree_sitter.Node) -> str:
    """What a call names, as `print`, `math.sqrt`, `System.out.println`, `new/Scanner`.

    >>> # `a.b(c).d()` is `a.b(c).d`
    """
    if node.type == "method_invocation":
        owner = folded(node.child_by_field_name("object"))
        name = text_of(node.child_by_field_name("name"))
        return f"{owner}.{name}" if owner else name
    if node.type == "object_creation_expression":
        return "new/" + folded(node.child_by_field_name("type")).partition("<")[0]
    if node.type == "new_expression":
        return "new/" + folded(node.child_by_field_name("constructor"))
    return folded(node.child_by_field_name("function"))


def arguments_of(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The arguments of a call."""
    held = call.child_by_field_name("arguments")
    return [] if held is None else [child for child in held.named_children if not is_comment(child)]


def function_name(node: tree_sitter.Node) -> str:
    """The name of a function: its own, or that of the variable that it is bound to; "" without one."""
    own = node.child_by_field_name("name")
    if own is not None:
        return text_of(own)
    parent = node.parent
    if parent is None:
        return ""
    field = {"variable_declarator": "name", "assignment": "left"}.get(parent.type, "")
    return text_of(parent.child_by_field_name(field)) if field else ""


def parameters_of(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The parameters of a function, with `self` and `cls` left out."""
    held = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    if held is None:
        return []
    if not held.type.endswith("parameters"):
        return [held]
    return [
        child
        for child in held.named_children
        if not is_comment(child) and text_of(child) not in _SELVES and child.type not in _SEPARATORS
    ]


_SELVES = frozenset({"self", "cls"})
_SEPARATORS = frozenset({"keyword_separator", "positional_separator"})


@lru_cache(maxsize=256)
def _query(language: str, query: str) -> tree_sitter.Query:
    grammar = parser_of(LANGUAGES[language]).language
    assert grammar is not None  # every parser is made with one
    return tree_sitter.Query(grammar, query)


def queried(tree: Tree, query: str) -> list[tree_sitter.Node]:
    """What a query of tree-sitter captures; captures whose name begins with `_` serve its predicates only."""
    captured = tree_sitter.QueryCursor(_query(tree.language.id, query)).captures(tree.root)
    return [node for name, nodes in captured.items() if not name.startswith("_") for node in nodes]
