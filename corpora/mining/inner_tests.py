"""Tests that stand inside a file of code: those are no code to be mined. Rust has them, behind `#[test]` and `#[cfg(test)]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from syntax.blocks import Span
from syntax.languages import Language
from syntax.parse import parse

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_NAME = re.compile(r"#!?\s*\[\s*((?:\w+\s*::\s*)*\w+)")
_TESTS = frozenset({"test", "bench", "rstest", "test_case", "quickcheck"})
_NOT = re.compile(r"\bnot\s*\(\s*test\s*\)")
_WORD = re.compile(r"\btest\b")


def inner_tests(language: Language, text: str) -> Iterator[Span]:
    """Start and end of everything in a text that is compiled for its tests alone, as indices."""
    if language.id != "rust":
        return
    tree = parse(language, text)
    for node in tree.nodes():
        if node.type in {"attribute_item", "inner_attribute_item"} and _is_of_tests(tree.text[slice(*tree.span(node))]):
            around = node.parent if node.type.startswith("inner") else _item(node)
            if around is not None:
                yield tree.span(around)


def _item(attribute: tree_sitter.Node) -> tree_sitter.Node | None:
    """What an attribute belongs to: what stands behind it, and behind further attributes and comments."""
    found = attribute.next_named_sibling
    while found is not None and found.type.endswith(("attribute_item", "comment")):
        found = found.next_named_sibling
    return found


def _is_of_tests(attribute: str) -> bool:
    """Whether an attribute makes what it belongs to a test, or a part of the tests: `#[test]`, `#[tokio::test]`, `#[cfg(all(test, unix))]`, but not `#[cfg(not(test))]`."""
    words = _STRING.sub("", attribute)
    name = found[1].split("::")[-1].strip() if (found := _NAME.match(words)) else ""
    return name in _TESTS or (name == "cfg" and bool(_WORD.search(_NOT.sub("", words))))
