"""A document in an editor: its text, cursor and selection (indices), and what the editor does by itself."""

from __future__ import annotations

from collections.abc import Sequence

from syntax.text import Change, index_of, offset_of

_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}
_QUOTES = "\"'`"
_CLOSE_BEFORE = " \t\r\n)]};:.,=>`\"'"


class EditorBuffer:
    """A document while it is typed.

    `closers` are the indices of closing brackets that the editor added: typing one there passes over it. `before_step` is
    the text and cursor that an undo restores.
    """

    def __init__(self, doc: int, path: str, language: str, text: str) -> None:
        self.doc, self.path, self.language, self.text = doc, path, language, text
        self.cursor = 0
        self.selection = (0, 0)
        self.closers: list[int] = []
        self.before_step: tuple[str, int] | None = None
        self.line_end = "\r\n" if "\r\n" in text else "\n"
        self.unit = 2 if language == "javascript" else 4
        self._deeper = set("([{:" if language == "python" else "([{")

    @property
    def is_code(self) -> bool:
        """Whether the editor closes brackets and indents here."""
        return self.language in {"python", "javascript"}

    def with_line_ends(self, text: str) -> str:
        """A text of a script, with the line ends of the document."""
        return text.replace("\n", self.line_end)

    def place(self, cursor: int) -> None:
        """Move the cursor to an index, with nothing selected."""
        self.cursor, self.selection = cursor, (cursor, cursor)

    def selected(self) -> tuple[int, int]:
        """The selection in UTF-16 offsets."""
        start, end = self.selection
        return self.offset(start), self.offset(end)

    def offset(self, index: int) -> int:
        """The UTF-16 offset of an index."""
        return offset_of(self.text, index)

    def go(self, before: str, after: str) -> None:
        """Move the cursor before or after a text, or to the end."""
        self.closers.clear()
        if before:
            self.place(self._find(before))
        elif after:
            self.place(self._find(after) + len(self.with_line_ends(after)))
        else:
            self.place(len(self.text))

    def mark(self, text: str) -> None:
        """Select a text."""
        self.closers.clear()
        start = self._find(text)
        self.cursor, self.selection = start + len(text), (start, start + len(text))

    def _find(self, text: str) -> int:
        wanted = self.with_line_ends(text)
        found = self.text.count(wanted)
        if found != 1:
            raise ValueError(f"{self.path} has {text!r} {found} times; name a text that it has exactly once")
        return self.text.index(wanted)

    def change(self, changes: Sequence[tuple[int, int, str]], cursor: int) -> tuple[Change, ...]:
        """Make changes, all against the current text, and return them in UTF-16 offsets."""
        written = tuple((self.offset(start), self.offset(end), new) for start, end, new in changes)
        for start, end, new in sorted(changes, reverse=True):
            self.text = self.text[:start] + new + self.text[end:]
            self.closers = [
                at + len(new) - (end - start) if at >= end else at for at in self.closers if not start <= at < end
            ]
        self.place(cursor)
        return written

    def whole(self, text: str) -> Change:
        """The change that replaces the whole text."""
        return 0, offset_of(self.text, len(self.text)), text

    def to_indices(self, change: Change) -> tuple[int, int, str]:
        """A change in UTF-16 offsets, in indices."""
        return index_of(self.text, change[0]), index_of(self.text, change[1]), change[2]

    def writes_over(self, key: str) -> bool:
        """Whether a key only passes over the closing bracket that the editor added here."""
        return self.cursor in self.closers and self.text[self.cursor : self.cursor + 1] == key

    def closer_for(self, key: str) -> str:
        """What the editor adds here after an opening bracket or quote; empty for nothing."""
        if not self.is_code or key not in _PAIRS or self.selection[0] != self.selection[1] or self._in_comment():
            return ""
        after = self.text[self.cursor : self.cursor + 1]
        if after and after not in _CLOSE_BEFORE:
            return ""
        return "" if key in _QUOTES and self._quote_ends_here(key) else _PAIRS[key]

    def _quote_ends_here(self, key: str) -> bool:
        before = self._line_before()
        prefixed = before[-1:] == "f" and not before[-2:-1].isalnum()
        return before.count(key) % 2 == 1 or (before[-1:].isalnum() and not prefixed)

    def _in_comment(self) -> bool:
        return self._line_before().lstrip().startswith(("#", "//", "*", "/*"))

    def _line_before(self) -> str:
        return self.text[self._line_start() : self.cursor]

    def _line_start(self) -> int:
        return self.text.rfind("\n", 0, self.cursor) + 1

    def indent_here(self) -> int:
        """Spaces at the start of the cursor's line, up to the cursor."""
        before = self._line_before()
        return len(before) - len(before.lstrip(" "))

    def enter(self) -> tuple[list[tuple[int, int, str]], int]:
        """The changes that Enter makes here, and the cursor after them."""
        at, line = self.cursor, self._line_before()
        given = self.line_end + " " * self.indent_here()
        if line and not line.strip():
            return [(self._line_start(), at, ""), (at, at, given)], self._line_start() + len(given)
        if not self.is_code or self._in_comment() or line.rstrip()[-1:] not in self._deeper:
            return [(at, at, given)], at + len(given)
        deeper = given + " " * self.unit
        closes = self.text[at : at + 1] and self.text[at : at + 1] == _PAIRS.get(line[-1:])
        return [(at, at, deeper + (given if closes else ""))], at + len(deeper)

    def next_line_closes(self, indent: str, rest: str) -> int:
        """The index after the closing bracket of the next line, if the text to type continues with exactly that bracket; else 0."""
        closing = self.line_end + indent + rest[:1]
        if rest[:1] in set(")]}") and self.text.startswith(closing, self.cursor):
            return self.cursor + len(closing)
        return 0
