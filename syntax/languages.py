"""The languages that ghosttape knows by syntax, as data: one row a language."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

import tree_sitter


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    `id` is the LSP language identifier. `layout` says that indentation makes blocks. `blocks` are the node types that
    hold statements; `kinds` maps node types to the block kinds of the `blocks` policy (function, if, for, while, try).
    `filler` is a statement that does nothing where a block must not be empty.
    """

    id: str
    extensions: tuple[str, ...]
    grammar: tuple[str, str]
    blocks: frozenset[str]
    kinds: Mapping[str, str] = field(hash=False)
    layout: bool = False
    line_comment: str = "//"
    filler: str = ""


_C_KINDS = {
    "if_statement": "if",
    "for_statement": "for",
    "while_statement": "while",
    "do_statement": "while",
    "try_statement": "try",
}
_SCRIPT_KINDS = _C_KINDS | {
    "for_in_statement": "for",
    "function_declaration": "function",
    "function_expression": "function",
    "generator_function_declaration": "function",
    "method_definition": "function",
    "arrow_function": "function",
}
_SCRIPT_BLOCKS = frozenset({"statement_block", "class_body", "switch_body", "interface_body", "enum_body"})

_ROWS = (
    Language(
        "python",
        (".py", ".pyi"),
        ("tree_sitter_python", "language"),
        frozenset({"block"}),
        _C_KINDS | {"function_definition": "function"},
        layout=True,
        line_comment="#",
        filler="pass",
    ),
    Language(
        "javascript", (".js", ".mjs", ".cjs"), ("tree_sitter_javascript", "language"), _SCRIPT_BLOCKS, _SCRIPT_KINDS
    ),
    Language("javascriptreact", (".jsx",), ("tree_sitter_javascript", "language"), _SCRIPT_BLOCKS, _SCRIPT_KINDS),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        ("tree_sitter_typescript", "language_typescript"),
        _SCRIPT_BLOCKS,
        _SCRIPT_KINDS,
    ),
    Language("typescriptreact", (".tsx",), ("tree_sitter_typescript", "language_tsx"), _SCRIPT_BLOCKS, _SCRIPT_KINDS),
    Language(
        "java",
        (".java",),
        ("tree_sitter_java", "language"),
        frozenset({"block", "constructor_body", "class_body", "interface_body", "enum_body", "switch_block"}),
        _C_KINDS
        | {
            "enhanced_for_statement": "for",
            "method_declaration": "function",
            "constructor_declaration": "function",
            "try_with_resources_statement": "try",
        },
    ),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh", ".c"),
        ("tree_sitter_cpp", "language"),
        frozenset({"compound_statement", "field_declaration_list", "declaration_list"}),
        _C_KINDS | {"for_range_loop": "for", "function_definition": "function", "lambda_expression": "function"},
    ),
    Language(
        "csharp",
        (".cs",),
        ("tree_sitter_c_sharp", "language"),
        frozenset({"block", "declaration_list", "switch_body"}),
        _C_KINDS
        | {
            "foreach_statement": "for",
            "method_declaration": "function",
            "constructor_declaration": "function",
            "local_function_statement": "function",
        },
    ),
    Language(
        "go",
        (".go",),
        ("tree_sitter_go", "language"),
        frozenset({"block"}),
        {
            "if_statement": "if",
            "for_statement": "for",
            "function_declaration": "function",
            "method_declaration": "function",
            "func_literal": "function",
        },
    ),
    Language(
        "rust",
        (".rs",),
        ("tree_sitter_rust", "language"),
        frozenset({"block", "declaration_list", "match_block"}),
        {
            "if_expression": "if",
            "for_expression": "for",
            "while_expression": "while",
            "loop_expression": "while",
            "function_item": "function",
        },
    ),
    Language(
        "ruby",
        (".rb",),
        ("tree_sitter_ruby", "language"),
        frozenset({"body_statement", "then", "do", "block_body"}),
        {
            "if": "if",
            "unless": "if",
            "for": "for",
            "while": "while",
            "until": "while",
            "begin": "try",
            "method": "function",
        },
        line_comment="#",
    ),
)
LANGUAGES: Mapping[str, Language] = {row.id: row for row in _ROWS}
_BY_EXTENSION = {extension: row for row in _ROWS for extension in row.extensions}
_ALIASES = {"c": "cpp", "c_sharp": "csharp"}


def language_of(name: str) -> Language | None:
    """The language of an LSP identifier or of a path; None when its syntax is not known here."""
    known = LANGUAGES.get(_ALIASES.get(name, name))
    return known or _BY_EXTENSION.get(PurePosixPath(name).suffix.lower())


@cache
def parser_of(language: Language) -> tree_sitter.Parser:
    """The tree-sitter parser of a language, loaded once."""
    module, function = language.grammar
    grammar = getattr(importlib.import_module(module), function)()
    return tree_sitter.Parser(tree_sitter.Language(grammar))
