"""The names that a file gets from elsewhere, by its imports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from syntax.parse import descendants

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
