"""The places in an answer where what is wanted may have ended, found by the text alone.

Each place costs parses, and most lines of a long block do not end it. So a place counts only where the brackets are back at the
depth of the cursor, or the line is back at its column. Whether a place counts does not depend on the text behind it, so a stream has the
same places as the whole answer. Where a place is missed, the server reads a little more of the answer than it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from server.repair.draft import Draft, indent_of, width
from syntax.wanted import is_after_header

_BEGUN = re.compile(r"\s*(?:\w+\W|[^\w\s])")
_NEW = re.compile(r"[;\n]")
_BRACKET = re.compile(r"[()\[\]{}]")
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_NO_CODE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|//.*|/\*.*?(?:\*/|$)")
"""Strings and comments within one line; of what goes on over several, the brackets count."""


def places(draft: Draft, since: int = 0) -> Iterator[int]:
    """The places, as lengths (characters) of the answer up to them; only those behind `since`."""
    if not _has_new(draft.text, since):
        return
    if draft.wanted == "line":
        yield from (end for _, ends in _by_line(draft.text, since) for end in ends)
    elif draft.language is not None and not draft.is_in_open_text:
        reentry = _ReentryPoints(draft)
        for span, ends in _by_line(draft.text, since):
            yield from reentry.places_back(span, ends)


def _has_new(text: str, since: int) -> bool:
    """Whether there can be a place behind `since`. Most pieces of a stream have none, and this check costs less than a scan."""
    if not since or _NEW.search(text, since):
        return True
    begun = _BEGUN.match(text, text.rfind("\n") + 1)
    return begun is not None and begun.end() > since


def _by_line(text: str, since: int) -> Iterator[tuple[tuple[int, int], Sequence[int]]]:
    """The span of each line that is not blank, and its places behind `since`."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line and not line.isspace():
            yield (start, end), _of_line(line, start, end < len(text), since) if end >= since else ()
        start = end + 1


def _of_line(line: str, start: int, ended: bool, since: int) -> Sequence[int]:
    """The places of a line: behind a semicolon, behind the first word if it is a further line, and behind its line end."""
    begun = _BEGUN.match(line) if start else None
    ends = {at + 1 for at, char in enumerate(line) if char == ";"} if ";" in line else set()
    if begun:
        ends.add(begun.end())
    if ended:
        ends.add(len(line) + 1)
    return sorted(start + end for end in ends if start + end > since)


class _ReentryPoints:
    """Whether the lines of an answer are back where the cursor is: by their column, or by the brackets open in them.

    Brackets are counted twice, with and without those in strings and comments, for either count may be wrong. They are counted
    from behind the lines that an answer begins with and that stand above the cursor: it may be about to say those again.
    """

    def __init__(self, draft: Draft) -> None:
        assert draft.language is not None
        self.text, self.before, self.line_before = draft.text, draft.before, draft.line_before
        self.indented = draft.language.layout or draft.language.id == "ruby"
        block, left = draft.wanted == "block", draft.before
        self.inside = block and (is_after_header(draft.language, left) or left.count("{") > left.count("}"))
        self._begin()

    def _begin(self) -> None:
        self.depths = (0, 0)
        self.is_first = self.says_again = True
        self.least = self.floor = -1

    def places_back(self, span: tuple[int, int], ends: Sequence[int]) -> Iterator[int]:
        """Those of a line's places at which it is back; each line is asked about once, in order."""
        start, end = span
        line = self.text[start:end]
        by_column = self._is_back(line, start)
        yield from (at for at in ends if by_column or self._has_closed(line[: at - start]))
        self.depths = self._after(line)
        self.says_again = self.says_again and self._stands_above(line.strip())
        if self.says_again:
            self.depths = (0, 0)
        if line.lstrip().startswith("```"):
            self._begin()  # what stood before it was talk

    def _stands_above(self, line: str) -> bool:
        """Whether a line of the document, or the cursor's line up to the cursor, ends so."""
        return self.before.endswith(line) or f"{line}\n" in self.before

    def _is_back(self, line: str, start: int) -> bool:
        """Whether a line stands further left than all before it, or as far left as one that did; among braces, a closer."""
        if self.is_first:
            self._take_first(line, start)
            return False
        column = width(indent_of(line))
        if column < self.least:
            self.least = column
            if self.indented or line.lstrip()[0] in _CLOSERS:
                self.floor = column
        return column <= self.floor and (self.indented or self.inside)

    def _take_first(self, line: str, start: int) -> None:
        own = self.line_before if self.line_before.strip() else ("" if start else self.line_before) + indent_of(line)
        self.is_first, self.least = False, width(indent_of(own))
        self.floor = self.least if self.line_before.strip() or not self.inside else -1

    def _has_closed(self, line: str) -> bool:
        """Whether the brackets are back at the depth that ends something; among braces alone."""
        return not self.indented and min(self._after(line)) <= (-1 if self.inside else 0)

    def _after(self, line: str) -> tuple[int, int]:
        """The two counts of open brackets behind a line."""
        every, code = _opened(line)
        return self.depths[0] + every, self.depths[1] + code


@lru_cache(maxsize=4096)
def _opened(line: str) -> tuple[int, int]:
    """How many brackets a line opens, less those it closes: of all, and of those outside strings and comments."""
    every, code = (_BRACKET.findall(text) for text in (line, _NO_CODE.sub("", line)))
    return (_balance(every), _balance(code)) if every else (0, 0)


def _balance(brackets: Sequence[str]) -> int:
    return sum(1 if bracket in _OPENERS else -1 for bracket in brackets)
