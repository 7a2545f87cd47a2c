"""The functions of a repository, which are the candidates, and the function at the cursor, which is the query. Indices are indices into `str`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import tree_sitter

from replay.tapes.file_kinds import is_generated, is_test_file
from syntax.languages import language_of
from syntax.parse import Tree, parse

_LARGEST = 200_000
"""The largest text in characters that is parsed, as in `server.context.chunks`; larger ones are usually generated."""
_AROUND = frozenset({"decorated_definition", "export_statement", "lexical_declaration", "variable_declarator"})
"""The nodes around a function that belong to it: its decorators, or the variable that it is the value of."""
_CLASSES = frozenset({"class_definition", "class_declaration", "class"})


@dataclass(frozen=True, slots=True)
class RepositoryFunction:
    """A function of a repository, with its decorators and its classes' names. Example of a name: `Index.search`."""

    path: str
    name: str
    start: int
    end: int
    line: int
    """Its first line, from 0."""
    text: str
    body: str
    """What stands in it, without braces around."""

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it shares a character with a part of its file, or surrounds it where that part is empty."""
        return self.start < max(end, start + 1) and start < self.end


def candidate_functions(files: Mapping[str, str]) -> tuple[RepositoryFunction, ...]:
    """The named functions of all files (path → text), in the order of path and place; none of tests, which judge the answer, nor of generated code."""
    written = (path for path in sorted(files) if not is_test_file(path) and not is_generated(path, files[path]))
    return tuple(each for path in written for each in functions_in(path, files[path]))


def functions_in(path: str, text: str) -> Iterator[RepositoryFunction]:
    """The named functions of a file, the outer before the inner. The path tells the language; none where it is not known."""
    language = language_of(path)
    if language is None or len(text) > _LARGEST:
        return
    tree = parse(language, text)
    for node in tree.nodes():
        if language.kinds.get(node.type) == "function" and (name := _own_name(node)):
            yield _function(path, tree, node, name)


def _function(path: str, tree: Tree, node: tree_sitter.Node, name: str) -> RepositoryFunction:
    whole = node
    while whole.parent is not None and whole.parent.type in _AROUND:
        whole = whole.parent
    start, end = tree.span(whole)
    qualified = ".".join([*_outer_names(node), name])
    body = _text(node.child_by_field_name("body")).strip()
    body = body[1:-1] if body.startswith("{") and body.endswith("}") else body
    return RepositoryFunction(path, qualified, start, end, whole.start_point.row, tree.text[start:end], body)


def _own_name(node: tree_sitter.Node) -> str:
    """The name of a function: its own, or that of the variable that it is the value of; empty if it has none."""
    parent = node.parent
    named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    if named is None and parent is not None and parent.type == "variable_declarator":
        named = parent.child_by_field_name("name")
    return _text(named)


def _outer_names(node: tree_sitter.Node) -> list[str]:
    """The names of the classes and functions around a function, the outermost first."""
    names, outer = list[str](), node.parent
    while outer is not None:
        if outer.type in _CLASSES or outer.type.startswith("function_"):
            names.append(_text(outer.child_by_field_name("name")))
        outer = outer.parent
    return [name for name in reversed(names) if name]


def _text(node: tree_sitter.Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def function_at(path: str, text: str, start: int) -> RepositoryFunction | None:
    """The innermost function in which a part of a file begins, or at whose end; None if there is none."""
    holding = [each for each in functions_in(path, text) if each.start <= start <= each.end]
    return min(holding, key=lambda each: each.end - each.start, default=None)
