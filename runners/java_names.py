"""What javac and java must be told of a file that was written by someone else: its name, and the class with `main`."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from syntax.languages import language_of
from syntax.parse import Tree


def java_file(text: str) -> str:
    """Return the name that javac wants for the file: that of its public type."""
    public = next((_name(node) for node in _types(text) if "public" in _modifiers(node)), "Main")
    return f"{public}.java"


def main_class(text: str) -> str:
    """Return the full name of the Java type that has `main`, with its package; that of the first type if none has."""
    types = list(_types(text))
    name = next((_name(node) for node in types if _has_main(node)), _name(types[0]) if types else "Main")
    package = next((node for node in _tree(text).root.children if node.type == "package_declaration"), None)
    inside = [_text(node) for node in package.named_children if node.type.endswith("identifier")] if package else []
    return ".".join([*inside, name])


def _tree(text: str) -> Tree:
    language = language_of("java")
    assert language is not None
    return Tree(language, text)


def _types(text: str) -> Iterator[tree_sitter.Node]:
    """The types of the file itself, also of one that does not quite parse."""
    for node in _tree(text).root.children:
        if node.type.endswith("_declaration") and node.child_by_field_name("body"):
            yield node


def _has_main(node: tree_sitter.Node) -> bool:
    body = node.child_by_field_name("body")
    methods = [child for child in body.children if child.type == "method_declaration"] if body else []
    return any(_name(method) == "main" and "static" in _modifiers(method) for method in methods)


def _modifiers(node: tree_sitter.Node) -> list[str]:
    return [_text(word) for child in node.children if child.type == "modifiers" for word in child.children]


def _name(node: tree_sitter.Node) -> str:
    name = node.child_by_field_name("name")
    return _text(name) if name else "Main"


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
