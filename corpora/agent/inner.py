"""The parts of a block that scenario 2 asks for: the rest of its body from a later statement, the value of an assignment or a `return`, the arguments of a call."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from corpora.agent.blocks import BlockFile, CodeBlock
from syntax.gaps import patch
from syntax.parse import descendants

_VALUES = ("right", "value")
_NOTHING = {"python": "None"}


def inner_spans(file: BlockFile, block: CodeBlock) -> Iterator[tuple[int, int, str]]:
    """Start and end of each part of a block that may be asked for, with what stands there when it is gone."""
    for start, _ in block.statements[1:]:
        yield start, block.end, patch(file.language, file.text, start, block.end)
    yield from _of_statement(file, block)


def _of_statement(file: BlockFile, block: CodeBlock) -> Iterator[tuple[int, int, str]]:
    first, last = file.tree.byte(block.start), file.tree.byte(block.end)
    top = file.tree.root.descendant_for_byte_range(first, last)
    nodes = descendants(top) if top is not None else iter(())
    for node in nodes:
        if first <= node.start_byte and node.end_byte <= last:
            yield from _parts(file, node)


def _parts(file: BlockFile, node: tree_sitter.Node) -> Iterator[tuple[int, int, str]]:
    nothing = _NOTHING.get(file.language.id, "null")
    if node.type == "return_statement" and node.named_children:
        yield *file.tree.span(node.named_children[0]), nothing
    elif node.type in file.language.operators | {"variable_declarator"}:
        found = next((part for name in _VALUES if (part := node.child_by_field_name(name)) is not None), None)
        if found is not None and "assign" in node.type + "assign" * (node.type == "variable_declarator"):
            yield *file.tree.span(found), nothing
    elif node.type in file.language.calls:
        given = node.child_by_field_name("arguments")
        if given is not None and given.named_children:
            yield file.tree.span(given.named_children[0])[0], file.tree.span(given.named_children[-1])[1], ""
