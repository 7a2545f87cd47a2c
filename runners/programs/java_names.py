"""The names that javac and java need of a program: that of its file, and that of the class with `main`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from syntax.languages import language_of
from syntax.parse import Tree, descendants

_LONGEST_NAME, _LONGEST_PATH = 255, 4095
"""How many bytes the name of a file and a path have at most on Linux."""

_STRINGS = re.compile(r"\bString\b.*(?:\[|\.\.\.)", re.DOTALL)


def java_file(text: str) -> str:
    """Return the name that javac wants for the file: that of its public type.

    `Main.java` if no file can have that name, or that of its class: javac then says what is wrong.
    """
    public = next((_name(node) for node in _types(text) if "public" in _modifiers(node)), "Main")
    return f"{public}.java" if _size(f"{public}.class") <= _LONGEST_NAME else "Main.java"


def main_class(text: str) -> str:
    """Return the full name of the Java type that has `main`, with its package; that of the first type if none has.

    `Main` if it is so long that javac cannot write the class: a command line has its limits too.
    """
    types = list(_types(text))
    name = next((_name(node) for node in types if _has_main(node)), _name(types[0]) if types else "Main")
    package = next((node for node in _tree(text).root.children if node.type == "package_declaration"), None)
    full = ".".join([*(_parts(package) if package else ()), name])
    return full if _size(full) <= _LONGEST_PATH else "Main"


def _parts(package: tree_sitter.Node) -> Iterator[str]:
    """The words of a package's name, without the comments and line ends that may stand between them."""
    names = [node for node in package.named_children if node.type.endswith("identifier")]
    return (_text(node) for name in names for node in descendants(name) if node.type == "identifier")


def _size(name: str) -> int:
    return len(name.encode())


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
    return any(_is_main(child) for child in body.children) if body else False


def _is_main(node: tree_sitter.Node) -> bool:
    """Tell a `main` that can be started from others of its name, by what it takes: `String[]` or `String...`."""
    taken = node.child_by_field_name("parameters") if node.type == "method_declaration" else None
    if taken is None or _name(node) != "main" or "static" not in _modifiers(node):
        return False
    return len(taken.named_children) == 1 and _STRINGS.search(_text(taken)) is not None


def _modifiers(node: tree_sitter.Node) -> list[str]:
    return [_text(word) for child in node.children if child.type == "modifiers" for word in child.children]


def _name(node: tree_sitter.Node) -> str:
    name = node.child_by_field_name("name")
    return _text(name) if name else "Main"


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
