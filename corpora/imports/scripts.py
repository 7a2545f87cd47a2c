"""What a JavaScript or TypeScript program imports, by its syntax tree."""

from __future__ import annotations

import re

import tree_sitter

from syntax.languages import language_of
from syntax.parse import Tree

_OWN = frozenset(
    re.findall(
        r"\w+",
        "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 "
        "https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls "
        "trace_events tty url util v8 vm wasi worker_threads zlib",
    )
)
"""The modules that come with Node.js; `node:` may stand before them."""
_MOCKS = frozenset({"mock", "doMock", "unmock", "setMock", "requireActual", "requireMock", "createMockFromModule"})
"""Functions whose first argument may name a module that is imported or replaced."""
_OF_REQUIRE = frozenset({"main", "cache", "extensions", "resolve"})
"""What `require` has that imports nothing by itself."""
_LITERALS = frozenset({"string", "template_string"})
_IMPORT_IN_TEXT = re.compile(
    r"(?:\b(?:require|import|resolve|mock)\s*\(|\b(?:from|import|module))\s*(\\?['\"`])([^'\"`\n\\]+)\1"
    r"|\b(?:require|import)\s*\(\s*(?![\s'\"`)\\])"
)
"""An import in a text: of what its second group names, or of what only the run knows."""
_HINT = re.compile(r"\b(?:require|import)\b|\b(?:from|module)\s*['\"`]|\b(?:mock|resolve)\s*\(\s*\\?['\"`]")
"""What any import has."""
_WHOLE_IMPORT = re.compile(
    r"(?:\brequire\s*\(|\b(?:import|export)\b(?:[^'\"`;()]*\bfrom\b)?|\bfrom)\s*(['\"`])([^'\"`\n\\]+)\1"
)
"""An import from the word to the name of the module, its second group."""
_REFERENCE = re.compile(r"^///\s*<reference\s+types")


def script_needs_packages(language: str, text: str) -> bool:
    """Whether a program may import what is not of Node.js. One that does not parse may, if it has any other word of an import."""
    known = language_of(language)
    assert known is not None
    tree = Tree(known, text)
    if tree.root.has_error:
        return _HINT.search(_WHOLE_IMPORT.sub(_without_own, text)) is not None
    return any(_needs(node) for node in tree.nodes())


def _needs(node: tree_sitter.Node) -> bool:
    """Whether a node imports something that may be a package."""
    kind = node.type
    if source := node.child_by_field_name("source"):
        return kind in {"import_statement", "export_statement", "import_require_clause"} and _is_package(source)
    if kind == "call_expression":
        return _calls(node)
    if kind == "module":  # `declare module "redux" {}`
        name = node.child_by_field_name("name")
        return name is not None and name.type in _LITERALS and _is_package(name)
    if kind in {"identifier", "property_identifier"}:
        return _may_import(node)
    if kind in _LITERALS:
        return _text_imports(_text(node))
    return kind == "comment" and _REFERENCE.match(_text(node)) is not None


def _calls(node: tree_sitter.Node) -> bool:
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is None or given is None or not given.named_children:
        return False
    name, first = _tail(called), given.named_children[0]
    if name in {"require", "import"} or (name == "resolve" and _owner(called) in {"require", "import.meta"}):
        return _is_package(first)
    return name in _MOCKS and first.type in _LITERALS and _is_package(first)


def _may_import(node: tree_sitter.Node) -> bool:
    """Whether a name that is not called may import something: `require` under another name, `createRequire`, `Module._load`."""
    name, parent = _text(node), node.parent
    if name in {"createRequire", "_load"}:
        return True
    if name != "require" or parent is None:
        return False
    if node.type == "property_identifier":
        return parent.type == "member_expression" and not _is_called(parent)
    if parent.type == "member_expression":
        return _tail(parent) not in _OF_REQUIRE
    is_asked = parent.type == "unary_expression" or parent.child_by_field_name("name") == node
    return not _is_called(node) and not is_asked


def _is_called(node: tree_sitter.Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _is_package(node: tree_sitter.Node) -> bool:
    """Whether what a node names comes from a package, or only the run knows: neither from a file nor from Node.js itself."""
    if node.type not in _LITERALS or any(child.type == "template_substitution" for child in node.children):
        return True
    return _is_package_name(_text(node)[1:-1])


def _is_package_name(name: str) -> bool:
    return not name.startswith((".", "/", "node:")) and name.partition("/")[0] not in _OWN


def _without_own(found: re.Match[str]) -> str:
    """Take an import out of a text, unless it may be of a package."""
    return found[0] if _is_package_name(found[2]) else ""


def _text_imports(text: str) -> bool:
    """Whether a text may be code that imports a package."""
    if not _HINT.search(text):
        return False
    return any(found[2] is None or _is_package_name(found[2]) for found in _IMPORT_IN_TEXT.finditer(text[1:-1]))


def _tail(node: tree_sitter.Node) -> str:
    """The last name of a dotted one."""
    last = node.child_by_field_name("property") if node.type == "member_expression" else node
    return "" if last is None else _text(last)


def _owner(node: tree_sitter.Node) -> str:
    owner = node.child_by_field_name("object")
    return "" if owner is None else _text(owner)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
