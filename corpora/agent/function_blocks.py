"""The blocks of the functions of a file: what the syntax tree says of the places that call chains lead to. Indices are indices into `str`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import tree_sitter

from corpora.codev.samples import BlockType
from syntax.blocks import code_span, constructs
from syntax.bodies import ConstructBody, bodies
from syntax.gaps import patch
from syntax.languages import Language
from syntax.parse import Tree, has_error, parse

_TYPES: dict[str, BlockType] = {"function": "METHOD", "if": "IF", "for": "FOR", "while": "WHILE", "try": "TRY"}
_HANDLERS = frozenset({"except_clause", "except_group_clause", "catch_clause"})
_NAMED = frozenset({"class_definition", "class_declaration", "class"})
_EMPTY = frozenset({"pass", "...", ";", "break", "continue"})
_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_STRINGS = frozenset({"string", "concatenated_string"})


@dataclass(frozen=True, slots=True)
class FunctionSpan:
    """A function: its name with the classes and functions around it, and where it stands, decorators included."""

    name: str
    start: int
    end: int
    lines: tuple[int, int]
    """First and last line, from 1."""

    def holds(self, index: int) -> bool:
        """Whether an index lies in it."""
        return self.start <= index < self.end


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A block that can be taken out: of a construct what follows its header, of a simple statement all of it."""

    block_type: BlockType
    function: FunctionSpan
    """The innermost function around it; of a METHOD the function itself."""
    lines: tuple[int, int]
    """First and last line of the construct, from 1."""
    start: int
    end: int
    emptied: str
    """What stands there when it is gone."""
    statements: tuple[tuple[int, int], ...] = ()
    """The statements of a body, each with start and end."""


class BlockFile:
    """A file with its functions and their blocks."""

    def __init__(self, language: Language, text: str) -> None:
        self.language, self.text = language, text

    @cached_property
    def tree(self) -> Tree:
        """The syntax tree."""
        return parse(self.language, self.text)

    @cached_property
    def functions(self) -> tuple[FunctionSpan, ...]:
        """All functions, the outer before the inner."""
        kinds = self.language.kinds
        return tuple(self._function(node) for node in self.tree.nodes() if kinds.get(node.type) == "function")

    def _function(self, node: tree_sitter.Node) -> FunctionSpan:
        parent = node.parent
        whole = parent if parent is not None and parent.type == "decorated_definition" else node
        start, end = code_span(self.tree, whole)
        return FunctionSpan(self._name(node), start, end, self.lines(start, end))

    def _name(self, node: tree_sitter.Node) -> str:
        """The names of a function and of what it lies in. Example: `Index.search`."""
        names, around = list[str](), node
        while around.parent is not None:
            if around.type in _NAMED or self.language.kinds.get(around.type) == "function":
                found = around.child_by_field_name("name")
                names.append(self.text[slice(*self.tree.span(found))] if found is not None else "<function>")
            around = around.parent
        return ".".join(reversed(names))

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of a part of the text, from 1."""
        first = self.text.count("\n", 0, start) + 1
        return first, first + self.text.count("\n", start, end)

    def function_at(self, index: int) -> FunctionSpan | None:
        """The innermost function around an index."""
        return max((one for one in self.functions if one.holds(index)), key=lambda one: one.start, default=None)

    def blocks(self) -> Iterator[CodeBlock]:
        """All blocks that lie in functions, in the order of the text, the outer before the inner."""
        yield from sorted((*self._bodies(), *self._statements()), key=lambda block: (block.start, -block.end))

    def parses_without(self, block: CodeBlock) -> bool:
        """Whether the file still parses when the block is gone."""
        return self.parses_with(self.text[: block.start] + block.emptied + self.text[block.end :])

    def parses_with(self, changed: str) -> bool:
        """Whether the file parses with another text."""
        return not has_error(self.language, changed)

    def _bodies(self) -> Iterator[CodeBlock]:
        for body in bodies(self.language, self.text):
            function, kind = self.function_at(body.start), _TYPES.get(body.kind)
            if function is not None and kind is not None and not self._is_empty(body):
                header = self._header(body)
                is_handler = kind == "TRY" and header.type in _HANDLERS
                yield CodeBlock(
                    block_type="CATCH" if is_handler else kind,
                    function=function,
                    lines=self.lines(self.tree.span(header)[0], body.inner),
                    start=body.start,
                    end=body.inner,
                    emptied=patch(self.language, self.text, body.start, body.inner),
                    statements=tuple(span for _, span in body.statements),
                )

    def _header(self, body: ConstructBody) -> tree_sitter.Node:
        """The construct that a body belongs to, or the clause of it: what begins before the body."""
        byte = self.tree.byte(body.start)
        node = self.tree.root.descendant_for_byte_range(byte, byte + 1)
        row = self.language
        while node is not None and not (
            node.start_byte < byte and (node.type in row.kinds or node.type.endswith("_clause"))
        ):
            node = node.parent
        return node or self.tree.root

    def _is_empty(self, body: ConstructBody) -> bool:
        return all(self.text[slice(*span)].strip() in _EMPTY for _, span in body.statements)

    def _statements(self) -> Iterator[CodeBlock]:
        for found in constructs(self.language, self.text):
            function = self.function_at(found.start) if found.kind == "statement" else None
            if function is not None and not self._says_nothing(found.start, found.end):
                yield CodeBlock(
                    block_type="STATEMENT",
                    function=function,
                    lines=self.lines(found.start, found.end),
                    start=found.start,
                    end=found.end,
                    emptied=patch(self.language, self.text, found.start, found.end),
                )

    def _says_nothing(self, start: int, end: int) -> bool:
        """Whether a statement is an import, does nothing, or is only a text."""
        node = self.tree.root.descendant_for_byte_range(self.tree.byte(start), self.tree.byte(end))
        if self.text[start:end].strip() in _EMPTY or node is None or node.type in _IMPORTS:
            return True
        inside = node.named_children if node.type == "expression_statement" else [node]
        return all(one.type in _STRINGS for one in inside)
