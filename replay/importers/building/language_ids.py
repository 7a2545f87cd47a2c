"""The language identifiers that LSP 3.17 ("Text Document Item") recommends, by file name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_BY_SUFFIX = {
    "bat": "bat",
    "c": "c",
    "cc": "cpp",
    "cjs": "javascript",
    "clj": "clojure",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "cts": "typescript",
    "cxx": "cpp",
    "dart": "dart",
    "diff": "diff",
    "ex": "elixir",
    "exs": "elixir",
    "go": "go",
    "groovy": "groovy",
    "h": "cpp",
    "hpp": "cpp",
    "hs": "haskell",
    "htm": "html",
    "html": "html",
    "ini": "ini",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "jsonc": "jsonc",
    "jsonl": "jsonl",
    "jsx": "javascriptreact",
    "kt": "kotlin",
    "less": "less",
    "lua": "lua",
    "m": "objective-c",
    "markdown": "markdown",
    "md": "markdown",
    "mjs": "javascript",
    "mts": "typescript",
    "php": "php",
    "pl": "perl",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "sass": "sass",
    "scala": "scala",
    "scss": "scss",
    "sh": "shellscript",
    "sql": "sql",
    "svg": "xml",
    "swift": "swift",
    "tex": "latex",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "typescriptreact",
    "vb": "vb",
    "vue": "vue",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
}
_BY_NAME = {"dockerfile": "dockerfile", "makefile": "makefile", ".gitignore": "ignore"}
_CELL = re.compile(r"#%% vscode\.cell\b[^\n]*\[language=([\w+-]+)\]")


def language_id(path: str, text: str = "") -> str:
    """The language of a document by its path; a notebook's is that of its first cell. Unknown is `plaintext`."""
    name = PurePosixPath(path).name.lower()
    if name.endswith(".ipynb") and (cell := _CELL.match(text)):
        return cell[1]
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2], "plaintext")
