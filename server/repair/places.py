"""The places at which an answer is looked at: where what is wanted may have ended, told by the text alone.

To look costs parses, and most lines of a long block end nothing: so a place counts only where the brackets are back at the
depth of the cursor, or the line at its column. Whether a place counts depends on nothing behind it, so it is the same however
the answer was cut into pieces. A place left out ends nothing wrongly: the answer is only waited for a little longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from server.repair.draft import Draft, indent_of, width
from server.repair.stop import is_after_header, resolve

_BEGUN = re.compile(r"\s*(?:\w+\W|[^\w\s])")
_NEW = re.compile(r"[;\n]")
_BRACKET = re.compile(r"[()\[\]{}]")
_OPENERS = frozenset("([{")
_NO_CODE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|//.*|/\*.*?(?:\*/|$)")
"""Strings and comments within one line; of what goes on over several, the brackets count."""


def places(draft: Draft, since: int = 0) -> Iterator[int]:
    """The lengths (characters) of the beginnings of an answer that are worth a look, but for those up to `since`."""
    if not _has_new(draft.text, since):
        return
    if resolve(draft) == "line":
        yield from (end for _, ends in _by_line(draft.text) for end in ends if end > since)
    elif draft.language is not None and not draft.is_in_open_text:
        back = _Back(draft)
        for line, ends in _by_line(draft.text):
            yield from (end for end in back.among(line, ends) if end > since)


def _has_new(text: str, since: int) -> bool:
    """Whether there can be a place behind `since`; most pieces of a stream have none, and are not worth a scan."""
    if not since or _NEW.search(text, since):
        return True
    begun = _BEGUN.match(text, text.rfind("\n") + 1)
    return begun is not None and begun.end() > since


def _by_line(text: str) -> Iterator[tuple[tuple[int, int], list[int]]]:
    """Each line's span, and its places: behind a semicolon, behind the first word of a further line, and behind its line end."""
    start = 0
    for line in text.split("\n"):
        begun = _BEGUN.match(line) if start else None
        ends = {start + match.end() for match in re.finditer(";", line)} | ({start + begun.end()} if begun else set())
        end = start + len(line)
        yield (start, end), sorted(ends | ({end + 1} if line.strip() and end < len(text) else set()))
        start = end + 1


class _Back:
    """Whether the lines of an answer are back where the cursor is: by their column, or by the brackets open in them.

    Brackets are counted twice, with and without those in strings and comments, for either count may be wrong. An answer that begins
    by saying what stands above is looked at everywhere, as its brackets and columns are not counted from the cursor.
    """

    def __init__(self, draft: Draft) -> None:
        assert draft.language is not None
        self.text, self.before, self.line_before = draft.text, draft.before, draft.line_before
        self.indented = draft.language.layout or draft.language.id == "ruby"
        block, left = resolve(draft) == "block", draft.before
        self.inside = block and (is_after_header(draft.language, left) or left.count("{") > left.count("}"))
        self._begin()

    def _begin(self) -> None:
        self.depths = [0, 0]
        self.is_first, self.says_again = True, False
        self.least = self.floor = -1

    def among(self, span: tuple[int, int], ends: list[int]) -> Iterator[int]:
        """Those of a line's places at which it is back."""
        start, end = span
        line = self.text[start:end]
        if not line.strip():
            return
        again = self.says_again
        by_column = self._is_back(line, start) or again
        yield from (at for at in ends if by_column or self._has_closed(line[: at - start]))
        if line.lstrip().startswith("```"):
            self._begin()  # what stood before it was talk
        else:
            self.depths = self._after(line)

    def _is_back(self, line: str, start: int) -> bool:
        """Whether a line stands further left than all before it, or as far left as one that did."""
        if self.is_first:
            self._take_first(line, start)
            return False
        column = width(indent_of(line))
        if column < self.least:
            self.least = self.floor = column
        return column <= self.floor and (self.indented or self.inside)

    def _take_first(self, line: str, start: int) -> None:
        self.is_first = False
        own = self.line_before if self.line_before.strip() else ("" if start else self.line_before) + indent_of(line)
        self.least = width(indent_of(own))
        self.floor = self.least if self.line_before.strip() or not self.inside else -1
        self.says_again = f"{line.strip()}\n" in f"{self.before}\n"

    def _has_closed(self, line: str) -> bool:
        """Whether the brackets are back at the depth that ends something; among braces alone."""
        wanted = -1 if self.inside else 0
        return not self.indented and min(self._after(line)) <= wanted

    def _after(self, line: str) -> list[int]:
        """The two counts of open brackets behind a line."""
        texts = (line, _NO_CODE.sub("", line))
        return [depth + _opened(text) for depth, text in zip(self.depths, texts, strict=True)]


def _opened(text: str) -> int:
    return sum(1 if match[0] in _OPENERS else -1 for match in _BRACKET.finditer(text))
