"""Loops: what they go over, what stands inside them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from corpora.codealign.finders.shapes import (
    around,
    callee,
    folded,
    folded_words,
    inside,
    nearest,
    nodes_of,
    shape_of,
    statements_of,
    text_of,
)
from syntax.parse import Tree

_ENDS = re.compile(r"^range\((?:0,)?len\((.+)\)\)$")
_LENGTH = re.compile(r"^(\w+)<([\w.]+?)(?:\.length|\.length\(\)|\.size\(\))$")
_FIRST = re.compile(r"^(?:let|var|int|const)?(\w+)=(.+?);?$")

_SETTING = frozenset({"augmented_assignment", "augmented_assignment_expression", "assignment", "assignment_expression"})


def loops(tree: Tree) -> Iterator[tree_sitter.Node]:
    """All loops."""
    return nodes_of(tree, shape_of(tree).loops)


def _names_call(name: str, wanted: list[str]) -> bool:
    """Whether a call has one of some names; `.name` stands for a method of anything."""
    return any(name.endswith(word) if word.startswith(".") else name == word for word in wanted)


def calls(tree: Tree, *names: str) -> Iterator[tree_sitter.Node]:
    """Calls of some functions."""
    wanted = list(names)
    return (call for call in nodes_of(tree, shape_of(tree).calls) if _names_call(callee(call), wanted))


def _in_loop(tree: Tree, node: tree_sitter.Node) -> bool:
    """Whether a node stands inside a loop of its own function."""
    shape = shape_of(tree)
    for each in around(node):
        if each.type in shape.functions - shape.lambdas:
            return False
        if each.type in shape.loops:
            return True
    return False


def calls_in_loops(tree: Tree, *names: str) -> Iterator[tree_sitter.Node]:
    """Calls of some functions inside loops."""
    return (call for call in calls(tree, *names) if _in_loop(tree, call))


def calls_outside_loops(tree: Tree, *names: str) -> Iterator[tree_sitter.Node]:
    """Calls of some functions outside loops."""
    return (call for call in calls(tree, *names) if not _in_loop(tree, call))


def calls_where_printed(tree: Tree, *names: str) -> Iterator[tree_sitter.Node]:
    """Calls of some functions in programs that also print."""
    printing = any(
        True for _ in calls(tree, "console.log", "process.stdout.write", "System.out.print", "System.out.println")
    )
    return calls(tree, *names) if printing else iter(())


def calls_in_functions(tree: Tree, *names: str) -> Iterator[tree_sitter.Node]:
    """Calls of some functions inside functions, at any depth."""
    types = shape_of(tree).functions
    return (call for call in calls(tree, *names) if nearest(call, types) is not None)


def nested_loops(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Loops inside loops of the same function; in Python also comprehensions with two loops."""
    yield from (node for node in loops(tree) if _in_loop(tree, node))
    for node in nodes_of(tree, frozenset({"list_comprehension", "generator_expression", "set_comprehension"})):
        if sum(child.type == "for_in_clause" for child in node.named_children) > 1:
            yield node


def element_loops(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Loops over elements: of Python all that do not go over a `range`."""
    for node in nodes_of(tree, shape_of(tree).each):
        if not (tree.language.id == "python" and folded(node.child_by_field_name("right")).startswith("range(")):
            yield node


def _over(tree: Tree, node: tree_sitter.Node) -> tuple[str, str]:
    """The index of a loop over all indices of a sequence, and the sequence; two "" for other loops."""
    if tree.language.id == "python":
        found = _ENDS.match(folded(node.child_by_field_name("right")))
        return (
            (folded(node.child_by_field_name("left")), found[1]) if found and node.type == "for_statement" else ("", "")
        )
    condition = folded(node.child_by_field_name("condition")).removesuffix(";")
    limit = _LENGTH.match(condition) if node.type == "for_statement" else None
    return (limit[1], limit[2]) if limit and _start(tree, node)[1] == "0" else ("", "")


def _start(tree: Tree, node: tree_sitter.Node) -> tuple[str, str]:
    """The index of a counting loop, and where it begins; two "" for other loops."""
    if tree.language.id == "python":
        right = re.match(r"^range\((.+)\)$", folded(node.child_by_field_name("right")))
        if right is None or node.type != "for_statement":
            return "", ""
        parts = _arguments(right[1])
        return folded(node.child_by_field_name("left")), parts[0] if len(parts) > 1 else "0"
    init = node.child_by_field_name("initializer") or node.child_by_field_name("init")
    found = _FIRST.match(folded(init)) if node.type == "for_statement" else None
    return (found[1], found[2].partition(",")[0]) if found else ("", "")


def _arguments(text: str) -> list[str]:
    """The arguments of a call, split at the commas outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def index_loops(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Loops over all indices of a sequence."""
    return (node for node in loops(tree) if _over(tree, node)[0])


def element_only_loops(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Loops over all indices of a sequence that use the index only to read its element."""
    for node in loops(tree):
        index, held = _over(tree, node)
        if index:
            body = folded_words(node.child_by_field_name("body"))
            reads = len(
                re.findall(
                    rf"(?<![\w.]){re.escape(held)}(?:\[{index}\]|\.get\({index}\)|\.charAt\({index}\))(?!=[^=])", body
                )
            )
            if reads and reads == len(re.findall(rf"(?<![\w.]){index}(?!\w)", body)):
                yield node


def inner_from_zero(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Counting loops from 0 directly inside counting loops, over the same limit."""
    for node in loops(tree):
        outer = next((each for each in around(node) if each.type in shape_of(tree).loops), None)
        if (
            outer is not None
            and _start(tree, node)[1] == "0"
            and _start(tree, outer)[0]
            and _limit(tree, node) == _limit(tree, outer)
        ):
            yield node


def inner_from_outer(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Counting loops that begin at the index of the counting loop around them, or next to it."""
    for node in loops(tree):
        outer = next((each for each in around(node) if each.type in shape_of(tree).loops), None)
        index = "" if outer is None else _start(tree, outer)[0]
        if index and re.fullmatch(rf"{index}(\+1)?", _start(tree, node)[1]):
            yield node


def _limit(tree: Tree, node: tree_sitter.Node) -> str:
    """Where a counting loop ends."""
    if tree.language.id == "python":
        found = re.match(r"^range\((.+)\)$", folded(node.child_by_field_name("right")))
        return "" if found is None else _arguments(found[1])[:2][-1]
    return re.sub(r"^\w+<=?", "", folded(node.child_by_field_name("condition")).removesuffix(";"))


def counting_whiles(tree: Tree) -> Iterator[tree_sitter.Node]:
    """`while` loops that compare a variable in their condition, and count it by a fixed step as their last statement."""
    for node in nodes_of(tree, frozenset({"while_statement"})):
        body = statements_of(node.child_by_field_name("body"))
        compared = re.match(r"^\(?(\w+)(<=?|>=?)", folded(node.child_by_field_name("condition")))
        last = folded(body[-1]) if body else ""
        if compared and re.match(
            rf"^({compared[1]}(\+\+|--|[+-]=\d+|={compared[1]}[+-]\d+)|(\+\+|--){compared[1]});?$", last
        ):
            yield node


def single_statement_loops(tree: Tree, pattern: str) -> Iterator[tree_sitter.Node]:
    """Loops over elements or counts whose body is one statement that matches a regular expression (white space left out)."""
    wanted = re.compile(pattern)
    for node in loops(tree):
        body = statements_of(node.child_by_field_name("body"))
        if node.type != "while_statement" and len(body) == 1 and wanted.match(folded(_innermost(body[0]))):
            yield node


def _innermost(node: tree_sitter.Node) -> tree_sitter.Node:
    """The one statement of an if without an else; any other statement itself."""
    if node.type != "if_statement" or node.child_by_field_name("alternative") is not None:
        return node
    body = statements_of(node.child_by_field_name("consequence"))
    return body[0] if len(body) == 1 else node


def string_growth(tree: Tree) -> Iterator[tree_sitter.Node]:
    """`+=` and `a = a + …` in loops, on variables that begin as a string."""
    strings = set(re.findall(r"""(\w+)\s*=\s*(?:""|''|f?"[^"\n]*"|'[^'\n]*')\s*;?\s*$""", tree.text, re.MULTILINE))
    types = frozenset(
        {"augmented_assignment", "augmented_assignment_expression", "assignment", "assignment_expression"}
    )
    for node in nodes_of(tree, types):
        name = text_of(node.child_by_field_name("left"))
        grows = folded(node).startswith((f"{name}+=", f"{name}={name}+"))
        if name in strings and grows and _in_loop(tree, node):
            yield node


def table_fills(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Assignments in loops to an element of a table, made of other elements of the same table."""
    for node in nodes_of(tree, _SETTING):
        if any(child.type == "pattern_list" for child in node.children):
            continue  # elements that change places
        left = re.match(r"^(\w+)\[", folded(node.child_by_field_name("left")))
        others = folded(node.child_by_field_name("right")).replace(folded(node.child_by_field_name("left")), "")
        if left and _in_loop(tree, node) and re.search(rf"(?<!\w){left[1]}\[", others):
            yield node


def halvings(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Half of a sum or of a distance inside a loop, as binary search takes it."""
    shape = shape_of(tree)
    for loop in nodes_of(tree, shape.loops):
        halves = re.search(r"\([\w.]+[+-][\w.]+\)(//2|/2|>>>?1)|\+\([\w.]+-[\w.]+\)(//2|/2|>>>?1)", folded(loop))
        if halves:
            yield loop


def checked_lookups(tree: Tree) -> Iterator[tree_sitter.Node]:
    """Tests whether a key is in a dictionary whose if also looks the key up."""
    for node in [
        *nodes_of(tree, frozenset({"if_statement", "conditional_expression", "ternary_expression", "elif_clause"}))
    ]:
        text = folded_words(node)
        for found in re.finditer(_TESTS[tree.language.id], text):
            lookup = _LOOKUPS[tree.language.id].format(key=found["key"], held=found["held"])
            if lookup in text:
                yield node
                break


_TESTS = {
    "python": r"(?P<key>[\w\[\].]+) (?:not )?in (?P<held>[\w.]+)(?=:|\s|$)",
    "java": r"(?P<held>[\w.]+)\.containsKey\((?P<key>[^()]+(?:\([^()]*\))?)\)",
    "javascript": r"(?P<held>[\w.]+)\.has\((?P<key>[^()]+(?:\([^()]*\))?)\)",
}
_LOOKUPS = {"python": "{held}[{key}]", "java": "{held}.get({key})", "javascript": "{held}.get({key})"}


def bodies_of_loops(tree: Tree, types: str) -> Iterator[tree_sitter.Node]:
    """Nodes of some types (`a,b`) inside loops."""
    wanted = frozenset(types.split(","))
    return (node for loop in loops(tree) for node in inside(loop, wanted))
