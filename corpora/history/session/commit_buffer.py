"""A document of a commit while it is typed: an `EditorBuffer` with tabs, any unit of indentation and both line ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.typing.editor_buffer import EditorBuffer
from syntax.text import is_narrow

_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(
    [
        "python",
        "javascript",
        "javascriptreact",
        "typescript",
        "typescriptreact",
        "java",
        "c",
        "cpp",
        "csharp",
        "go",
        "rust",
        "ruby",
        "php",
        "kotlin",
        "scala",
        "dart",
        "json",
        "jsonc",
        "jsonl",
        "toml",
        "yaml",
        "css",
        "scss",
        "less",
        "html",
        "xml",
        "shellscript",
    ]
)
"""Languages in which the editor closes brackets and quotes."""
_TWO = frozenset(
    [
        "javascript",
        "javascriptreact",
        "typescript",
        "typescriptreact",
        "json",
        "jsonc",
        "yaml",
        "html",
        "xml",
        "css",
        "scss",
        "ruby",
    ]
)
_COLON = frozenset({"python", "yaml"})
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class CommitBuffer(EditorBuffer):
    """A document that is typed from one text to another; `known` are both. Offsets are indices.

    `unit_text` is one indentation. `given` says that Enter wrote the white space left of the cursor.
    """

    def __init__(self, doc: int, path: str, language: str, text: str, known: Sequence[str]) -> None:
        super().__init__(doc, path, language, text)
        self.unit_text = _unit(language, known)
        self.given = False
        self._narrow = all(is_narrow(each) for each in known)
        self._opens_block = set("([{:") if language in _COLON else set("([{")

    @property
    def is_code(self) -> bool:
        """Whether the editor closes brackets and indents here."""
        return self.language in _CLOSING

    def offset(self, index: int) -> int:
        """The UTF-16 offset of an index."""
        return index if self._narrow else super().offset(index)

    def change(self, changes: Sequence[tuple[int, int, str]], cursor: int) -> tuple[tuple[int, int, str], ...]:
        """Change the text; white space left of the cursor no longer counts as written by Enter."""
        self.given = False
        return super().change(changes, cursor)

    def jump(self, start: int, end: int) -> None:
        """Move the cursor to `end`, and select from `start` to there."""
        self.given = False
        self.cursor, self.selection = end, (start, end)

    def closer_for(self, key: str) -> str:
        """What the editor adds after an opening bracket or quote; nothing after the third quote in a row."""
        return "" if key in {'"', "'", "`"} and self._line_before().endswith(key * 2) else super().closer_for(key)

    def indentation(self) -> str:
        """The white space at the start of the cursor's line, up to the cursor."""
        before = self._line_before()
        return before[: len(before) - len(before.lstrip(" \t"))]

    def newline(self, end: str) -> tuple[list[tuple[int, int, str]], int]:
        """The changes that Enter makes here with this line end, and the cursor after them."""
        at, line, indent = self.cursor, self._line_before(), self.indentation()
        if self.given and line and not line.strip():
            start = at - len(line)
            return [(start, at, ""), (at, at, end + indent)], start + len(end + indent)
        if not self.is_code or self._in_comment() or line.rstrip()[-1:] not in self._opens_block:
            return [(at, at, end + indent)], at + len(end + indent)
        deeper = end + indent + self.unit_text
        closer = _OPENERS.get(line[-1:])
        closes = closer is not None and self.text.startswith(closer, at)
        return [(at, at, deeper + (end + indent if closes else ""))], at + len(deeper)

    def outdented(self) -> int:
        """The cursor after one Backspace in the white space at the start of a line: one indentation further left."""
        indent, unit = self.indentation(), len(self.unit_text)
        if indent.strip(" ") or self.unit_text == "\t":
            return self.cursor - 1
        return self.cursor - len(indent) + (len(indent) - 1) // unit * unit


def _unit(language: str, known: Sequence[str]) -> str:
    """One indentation of the texts: a tab, or their smallest number of spaces; else the custom of the language."""
    indents = [indent for text in known for indent in _INDENT.findall(text)]
    if sum(indent.startswith("\t") for indent in indents) * 2 > len(indents):
        return "\t"
    spaces = [len(indent) for indent in indents if not indent.startswith("\t") and len(indent) in {2, 4, 8}]
    if spaces:
        return " " * min(spaces)
    return "\t" if language == "go" else " " * (2 if language in _TWO else 4)
