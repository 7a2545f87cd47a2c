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
    `filler` is a statement that does nothing where grammar demands one.

    `groups` are node types that hold statements without being a block: behind a label, or between their own words.
    `clauses` are node types between statements that are none: with further bodies of a construct (beside those whose name ends
    with `_clause` or `body`), or labels.
    `closer` is a word that closes a block and stands behind its node.

    Cursors: `operators` are the node types of expressions and assignments whose operators a cursor may follow, `calls` those
    of calls. `declared` maps the node types of variables to the field that a cursor may stand behind (`let x|`), `named`
    those of definitions to the field that it may stand before (`def |f`).
    """

    id: str
    extensions: tuple[str, ...]
    grammar: tuple[str, str]
    blocks: frozenset[str]
    kinds: Mapping[str, str] = field(hash=False)
    layout: bool = False
    line_comment: str = "//"
    filler: str = ""
    groups: frozenset[str] = frozenset()
    clauses: frozenset[str] = frozenset()
    closer: str = ""
    operators: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    declared: Mapping[str, str] = field(default_factory=dict, hash=False)
    named: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __hash__(self) -> int:
        """By the identifier alone: trees are looked up by their language for every repair."""
        return hash(self.id)


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
    "generator_function": "function",
    "generator_function_declaration": "function",
    "method_definition": "function",
    "arrow_function": "function",
}
_SCRIPT_BLOCKS = frozenset({"statement_block", "class_body", "switch_body", "interface_body", "enum_body"})
_ASSIGNED = frozenset({"variable_declarator", "assignment_expression", "binary_expression"})


def _names(*types: str) -> dict[str, str]:
    """Node types whose field `name` is what they declare."""
    return dict.fromkeys(types, "name")


def _script(id_: str, extensions: tuple[str, ...], grammar: tuple[str, str]) -> Language:
    """A row of the JavaScript family."""
    return Language(
        id_,
        extensions,
        grammar,
        _SCRIPT_BLOCKS,
        _SCRIPT_KINDS,
        filler=";",
        groups=frozenset({"switch_case", "switch_default"}),
        operators=_ASSIGNED | {"augmented_assignment_expression", "field_definition", "public_field_definition"},
        calls=frozenset({"call_expression", "new_expression"}),
        declared=_names("variable_declarator", "public_field_definition", "type_alias_declaration")
        | {"field_definition": "property"},
        named=_names(
            "function_declaration",
            "generator_function_declaration",
            "class_declaration",
            "abstract_class_declaration",
            "interface_declaration",
            "enum_declaration",
        ),
    )


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
        operators=frozenset(
            {
                "assignment",
                "augmented_assignment",
                "binary_operator",
                "boolean_operator",
                "comparison_operator",
                "named_expression",
            }
        ),
        calls=frozenset({"call"}),
        named=_names("function_definition", "class_definition"),
    ),
    _script("javascript", (".js", ".mjs", ".cjs"), ("tree_sitter_javascript", "language")),
    _script("javascriptreact", (".jsx",), ("tree_sitter_javascript", "language")),
    _script("typescript", (".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript")),
    _script("typescriptreact", (".tsx",), ("tree_sitter_typescript", "language_tsx")),
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
            "compact_constructor_declaration": "function",
            "lambda_expression": "function",
            "try_with_resources_statement": "try",
        },
        filler=";",
        groups=frozenset({"switch_block_statement_group"}),
        operators=_ASSIGNED,
        calls=frozenset({"method_invocation", "object_creation_expression", "explicit_constructor_invocation"}),
        declared=_names("variable_declarator"),
        named=_names(
            "method_declaration", "class_declaration", "interface_declaration", "enum_declaration", "record_declaration"
        ),
    ),
    Language(
        "cpp",
        (".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh", ".c"),
        ("tree_sitter_cpp", "language"),
        frozenset({"compound_statement", "field_declaration_list", "declaration_list"}),
        _C_KINDS | {"for_range_loop": "for", "function_definition": "function", "lambda_expression": "function"},
        filler=";",
        groups=frozenset({"case_statement"}),
        clauses=frozenset({"access_specifier"}),
        operators=frozenset({"init_declarator", "assignment_expression", "binary_expression", "field_declaration"}),
        calls=frozenset({"call_expression", "new_expression"}),
        declared={"init_declarator": "declarator"},
        named=_names("class_specifier", "struct_specifier", "enum_specifier", "namespace_definition")
        | {"function_definition": "declarator"},
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
            "destructor_declaration": "function",
            "operator_declaration": "function",
            "accessor_declaration": "function",
            "local_function_statement": "function",
            "lambda_expression": "function",
            "anonymous_method_expression": "function",
        },
        filler=";",
        groups=frozenset({"switch_section"}),
        operators=_ASSIGNED,
        calls=frozenset({"invocation_expression", "object_creation_expression", "implicit_object_creation_expression"}),
        declared=_names("variable_declarator"),
        named=_names(
            "method_declaration",
            "local_function_statement",
            "property_declaration",
            "class_declaration",
            "struct_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
        ),
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
        groups=frozenset({"statement_list"}),
        operators=frozenset(
            {"short_var_declaration", "assignment_statement", "binary_expression", "var_spec", "const_spec"}
        ),
        calls=frozenset({"call_expression"}),
        declared=_names("var_spec", "const_spec", "type_spec") | {"short_var_declaration": "left"},
        named=_names("function_declaration", "method_declaration"),
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
            "closure_expression": "function",
        },
        operators=frozenset(
            {
                "let_declaration",
                "const_item",
                "static_item",
                "assignment_expression",
                "compound_assignment_expr",
                "binary_expression",
            }
        ),
        calls=frozenset({"call_expression", "macro_invocation"}),
        declared=_names("const_item", "static_item") | {"let_declaration": "pattern"},
        named=_names("function_item", "struct_item", "enum_item", "trait_item", "mod_item"),
    ),
    Language(
        "ruby",
        (".rb",),
        ("tree_sitter_ruby", "language"),
        frozenset({"body_statement", "then", "do", "block_body", "else", "ensure"}),
        {
            "if": "if",
            "unless": "if",
            "for": "for",
            "while": "while",
            "until": "while",
            "begin": "try",
            "method": "function",
            "singleton_method": "function",
        },
        line_comment="#",
        groups=frozenset({"begin"}),
        clauses=frozenset({"elsif", "rescue", "when", "in_clause"}),
        closer="end",
        operators=frozenset({"assignment", "operator_assignment", "binary"}),
        calls=frozenset({"call"}),
        named=_names("method", "singleton_method", "class", "module"),
    ),
)
LANGUAGES: Mapping[str, Language] = {row.id: row for row in _ROWS}
_BY_EXTENSION = {extension: row for row in _ROWS for extension in row.extensions}
_ALIASES = {"c": "cpp", "c_sharp": "csharp"}
TEXTS = frozenset(
    {
        *("abap", "asciidoc", "bat", "bibtex", "blade", "clojure", "coffeescript", "css", "csv", "dart", "diff"),
        *("dockercompose", "dockerfile", "dotenv", "elixir", "elm", "erlang", "fsharp", "git-commit", "git-rebase"),
        *("graphql", "groovy", "haml", "handlebars", "haskell", "html", "ini", "jade", "jinja", "json", "jsonc"),
        *("jsonl", "julia", "kotlin", "latex", "less", "lua", "makefile", "markdown", "mdx", "mediawiki", "nix"),
        *(
            "objective-c",
            "objective-cpp",
            "ocaml",
            "org",
            "perl",
            "perl6",
            "php",
            "plaintext",
            "postgres",
            "powershell",
        ),
        *("properties", "proto3", "pug", "r", "razor", "restructuredtext", "rst", "sass", "scala", "scheme", "scss"),
        *("shaderlab", "shellscript", "slim", "sql", "stylus", "svelte", "svg", "swift", "terraform", "tex", "toml"),
        *("typst", "vb", "vue", "xml", "xsl", "yaml", "zig"),
    }
)
"""Identifiers of languages whose syntax is not known here: those of LSP 3.18 (TextDocumentItem) and of VS Code's common extensions."""
_NAMES = {"c++": "cpp", "c#": "csharp", "golang": "go", "python3": "python", "nodejs": "javascript"}


def language_of(name: str) -> Language | None:
    """The language of an LSP identifier or of a path; None when its syntax is not known here."""
    known = LANGUAGES.get(_ALIASES.get(name, name))
    return known or _BY_EXTENSION.get(PurePosixPath(name).suffix.lower())


def language_named(name: str) -> Language | None:
    """The language of a name that people use (`Python`, `py`, `C++`, `c_sharp`), in any case; None when it is not known here."""
    word = name.strip().lower()
    word = _NAMES.get(word, word)
    return LANGUAGES.get(_ALIASES.get(word, word)) or _BY_EXTENSION.get(f".{word}")


@cache
def parser_of(language: Language) -> tree_sitter.Parser:
    """The tree-sitter parser of a language, loaded once."""
    module, function = language.grammar
    grammar = getattr(importlib.import_module(module), function)()
    return tree_sitter.Parser(tree_sitter.Language(grammar))
