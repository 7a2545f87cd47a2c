"""End at the innermost unfinished block, statement or line.

What is wanted comes from the hint and the text around the cursor (`syntax/wanted.py`).
Inside a comment or a string only a line is ended, and with "any" nothing. Where the splice has no error and the whole suggestion lies in the
extent that its syntax tree gives, the suggestion stays as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias

import tree_sitter

from server.repair.draft import TAGGED, Draft, indent_of, width
from server.repair.steps.ends import restore_suffix, tidied
from syntax.blocks import extent_in
from syntax.languages import Language
from syntax.tokens import PAIRS, Token, open_brackets, tokens
from syntax.wanted import Extent, is_after_header

Keeps: TypeAlias = Callable[[Token, int, str], bool]

_CLAUSES = frozenset({"elif", "else", "except", "finally", "elsif", "when", "rescue", "ensure", "end"})
_GOES_ON = frozenset({"else", "catch", "finally", "while", "as", "satisfies", "instanceof", "in", "of"})
_CONTINUES = frozenset(
    {"return", "and", "or", "not", "in", "of", "new", "typeof", "await", "else", "do", "extends", "=>"}
)
_NO_SEMICOLON = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact", "go"})
_ENDS = frozenset(")]};")
_GO_HEADER = re.compile(r"[\s}]*(?:else\s+)?(?:if|for|switch)\b[^{]*$")
_TRY = re.compile(r"(?:^|\s)try\s*[:{]$")
_CLAUSE_BELOW = re.compile(r"[\s}]*(?:except|catch|finally)\b")
_SAME_LINE = re.compile(r"[ \t]*(?:\(\))?[)\];,]*(?=[ \t]*(?://.*)?(?:\n|$))")
"""What may follow the closer of a block on its line, as in `})();`: a call, and closers of what holds the block."""


def repair(draft: Draft) -> str:
    """The suggestion up to the end of what is wanted."""
    end = _end(draft)
    text = draft.text if end is None else draft.text[:end]
    return restore_suffix(draft, text if draft.stop == "any" else tidied(draft, text))


def is_finished(draft: Draft) -> bool:
    """Whether the suggestion holds all that is wanted, so that the rest of a stream is not needed."""
    end = _end(draft)
    return end is not None and (end < len(draft.text.rstrip()) or _is_closed(draft))


def is_decorator(draft: Draft) -> bool:
    """Whether a line is wanted that names a decorator: it does not parse while what it decorates is not written."""
    return draft.wanted == "line" and draft.line_before.lstrip().startswith("@")


def lacks_body(draft: Draft) -> bool:
    """Whether the suggestion ends with a header whose body does not stand below; the grammar of a layout language takes that."""
    language, whole = draft.language, draft.before + draft.text.rstrip()
    if language is None or not language.layout or not whole.endswith(":") or not is_after_header(language, whole):
        return False
    below = next((line for line in draft.after.split("\n")[1:] if line.strip()), "")
    return width(indent_of(below)) <= width(indent_of(whole[whole.rfind("\n") + 1 :]))


def _is_closed(draft: Draft) -> bool:
    return draft.wanted == "line" or draft.text.rstrip().endswith(";")


def _end(draft: Draft) -> int | None:
    """The index in the suggestion at which what is wanted ends; None when it does not end there."""
    kind = draft.wanted
    if draft.stop == "any":
        return None
    if kind == "line":
        return _line_end(draft.text)
    if draft.language is None or not may_end(draft, draft.language) or draft.is_in_open_text:
        return None
    end = _layout_end(draft, kind) if _is_indented(draft.language) else _brace_end(draft, kind)
    return None if end is None or _is_within(draft, kind, end) else end


def may_end(draft: Draft, language: Language) -> bool:
    """Whether a tree can show an end within the suggestion. It is decided by the text alone, so that most words cost no parse.

    In a layout language an end needs a second line, or white space in front, which can be a token. In a language with braces it needs a
    closer, a semicolon or a line end.
    """
    if "\n" in draft.text:
        return True
    if _is_indented(language):
        return draft.text[:1].isspace() and not draft.line_before.strip()
    return not _ENDS.isdisjoint(draft.text)


def _is_indented(language: Language) -> bool:
    return language.layout or language.id == "ruby"


def _line_end(text: str) -> int | None:
    start = len(text) - len(text.lstrip("\n"))
    end = text.find("\n", start)
    return None if end < 0 else end


def _is_within(draft: Draft, kind: Extent, end: int) -> bool:
    """Whether the tree says that all of the suggestion belongs together, though the rule would cut it."""
    if not draft.text[end:].strip() or draft.tree().root.has_error:
        return False
    return extent_in(draft.tree(), len(draft.before), kind) >= len(draft.before) + len(draft.text.rstrip())


# Layout languages: lines and their indentation.


def _layout_end(draft: Draft, kind: Extent) -> int | None:
    lines = lines_of(draft)
    after_header = is_after_header(draft.language, draft.before)
    if kind == "block" and after_header:
        keeps = lines.keeps_one_line if lines.goes_on else lines.keeps_block(_header_width(draft))
    elif kind == "block" and lines.width:
        keeps = lines.keeps_block(lines.width - 1)
    else:
        keeps = lines.keeps_statement
    return lines.end(keeps)


def _header_width(draft: Draft) -> int:
    """The indentation of the header before the cursor, by its first line where the tree knows it."""
    left = draft.code_before
    tree = draft.tree()
    at = tree.byte(len(left) - 1)
    node = tree.root.descendant_for_byte_range(at, at + 1)
    known = node is not None and node.parent is not None and not node.parent.is_error and node.parent.parent is not None
    start = tree.index(node.parent.start_byte) if known and node and node.parent else len(left)
    line = draft.before[draft.before.rfind("\n", 0, start) + 1 :]
    return width(indent_of(line))


@lru_cache(maxsize=2)
def lines_of(draft: Draft) -> LogicalLines:
    """The lines of a draft; two steps in a row ask for those of the same one."""
    return LogicalLines(draft)


class LogicalLines:
    """The logical lines of a suggestion: those that begin outside brackets and strings."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.tree = draft.tree()
        self.tokens = [
            token for token in tokens(self.tree, len(draft.before), draft.end) if token.start >= len(draft.before)
        ]
        self.open = open_brackets(self.tree, len(draft.before))
        self.reached = _straddled(draft)
        first = draft.text[: len(draft.text) - len(draft.text.lstrip())]
        starts_here = not draft.is_fresh and "\n" not in first
        self.goes_on = starts_here or bool(self.open) or draft.code_before.endswith("\\")
        self._begins = [self._begins_line(token) for token in self.tokens]
        self.width = self._base()
        self.ruby = draft.language is not None and draft.language.id == "ruby"
        self.opened = self.decorated = self.closed = False

    def _base(self) -> int:
        """The indentation of the statement at the cursor."""
        if self.open:
            return self._column(self.open[0].start)
        if self.goes_on:
            return width(indent_of(self.draft.line_before))
        code = next((token for token in self.tokens if not token.comment), None)
        return self._column(code.start) if code else 0

    def _column(self, index: int) -> int:
        return width(indent_of(self.tree.text[self.tree.text.rfind("\n", 0, index) + 1 : index + 1]))

    def columns(self) -> Iterator[tuple[int, str]]:
        """The column of each logical line that begins in the suggestion, and the token before it; comments are no lines."""
        for token, previous in self._begun():
            yield self._column(token.start), previous

    def _begun(self) -> Iterator[tuple[Token, str]]:
        depth, previous = len(self.open), self.draft.code_before[-1:]
        for token, begins in zip(self.tokens, self._begins, strict=True):
            if depth == 0 and begins and not token.comment:
                yield token, previous
            depth = max(0, depth + (token.text in PAIRS) - (token.text in PAIRS.values()))
            previous = previous if token.comment else token.text

    def end(self, keeps: Keeps) -> int | None:
        """The index in the suggestion behind the last token of the lines that `keeps` takes; None for all of them."""
        depth, reached, previous = len(self.open), self.reached, self.draft.code_before[-1:]
        started, self.opened, self.closed = self.goes_on, False, False
        self.decorated = self.goes_on and self.draft.line_before.lstrip().startswith("@")
        for token, begins in zip(self.tokens, self._begins, strict=True):
            if depth == 0 and begins:
                if token.comment:
                    continue
                if started and not keeps(token, self._column(token.start), previous):
                    return reached
                started, self.decorated = True, token.text == "@"
            depth = max(0, depth + (token.text in PAIRS) - (token.text in PAIRS.values()))
            if not token.comment or not begins:
                reached, previous = token.end - len(self.draft.before), token.text
        return None

    def _begins_line(self, token: Token) -> bool:
        text = self.tree.text
        start = text.rfind("\n", 0, token.start) + 1
        return (
            not text[start : token.start].strip()
            and not text.endswith("\\\n", 0, start)
            and (start > len(self.draft.before) or not self.goes_on)
        )

    def keeps_one_line(self, token: Token, column: int, previous: str) -> bool:
        """A body on the header's own line ends with it."""
        return False

    def keeps_deeper_than(self, floor: int) -> Keeps:
        """A block goes on while its lines are deeper; Ruby's `end` still belongs to it."""

        def keeps(token: Token, column: int, previous: str) -> bool:
            if self.closed:
                return False
            self.closed = self.ruby and column <= floor and token.text == "end"
            return column > floor or self.closed

        return keeps

    def keeps_block(self, floor: int) -> Keeps:
        """A block goes on while its lines are deeper; those of open `try`s through their clauses, if none stand below."""
        edge = self._clause_column(floor)
        if edge is None or edge > floor:
            return self.keeps_deeper_than(floor)

        def keeps(token: Token, column: int, previous: str) -> bool:
            return column > edge or (column == edge and token.text in TRY_CLAUSES)

        return keeps

    def _clause_column(self, floor: int) -> int | None:
        """The column of the outermost `try` open at the cursor that gets its clause from the suggestion, and from nowhere else."""
        found = {self._column(start) for start in open_tries(self.draft)}
        found |= {floor} if _TRY.search(self.draft.code_before) else set()
        return self._first_clause({column for column in found if not has_clause_below(self.draft, column)})

    def _first_clause(self, tries: Collection[int]) -> int | None:
        least, found = math.inf, None
        for token, _ in self._begun() if tries else ():
            column = self._column(token.start)
            if column < least and column in tries and token.text in TRY_CLAUSES:
                found = column
            least = min(least, column)
        return found

    def keeps_statement(self, token: Token, column: int, previous: str) -> bool:
        """A statement goes on in its body, in its clauses, and under its decorators."""
        if column > self.width and (self.opened or self.ruby or previous == ":"):
            self.opened = True
            return True
        if column != self.width or self.closed:
            return False
        self.closed = token.text == "end"
        return self.decorated or (self.opened and token.text in _CLAUSES)


# Brace languages: tokens and the brackets around them.


def _goes_on(following: Token | None) -> bool:
    """Whether a statement whose block has been closed goes on with a clause."""
    return following is not None and following.text in {"else", "catch", "finally"}


def _brace_end(draft: Draft, kind: Extent) -> int | None:
    tree = draft.tree()
    found = [token for token in tokens(tree, len(draft.before), draft.end) if token.start >= len(draft.before)]
    outer = open_brackets(tree, len(draft.before))
    walk = _Braces(draft, found, outer)
    if kind == "block" and any(token.block for token in outer):
        return walk.block_end()
    return walk.statement_end()


def _straddled(draft: Draft) -> int:
    """Behind the string or comment in which the cursor stands."""
    at = len(draft.before)
    ends = [min(token.end, draft.end) - at for token in tokens(draft.tree(), at, draft.end) if token.start < at]
    return max(ends, default=0)


class _Braces:
    """A walk over the tokens of a suggestion. `outer` are the brackets open at the cursor, `inner` those it opened itself."""

    def __init__(self, draft: Draft, found: Sequence[Token], outer: Sequence[Token]) -> None:
        assert draft.language is not None
        self.language = draft.language
        self.draft, self.tokens, self.outer = draft, found, list(outer)
        self.inner: list[Token] = []
        self.closed: Token | None = None

    def block_end(self) -> int | None:
        """Behind the closer of the block that was open at the cursor, or of the last clause of a `try`, and what ends its line."""
        tried = False
        for token, following in zip_longest(self.tokens, self.tokens[1:]):
            closed = self._pass(token)
            tried = tried or (closed is not None and self._is_try(closed))
            ends = (closed is not None and closed.block) or (tried and token.text == "}" and not self.inner)
            if ends and not (tried and _goes_on(following)):
                return self._line_of(token.end - len(self.draft.before))
        return None

    def _is_try(self, opener: Token) -> bool:
        """Whether a brace opens the block of a `try` that has no clause below."""
        left = self.draft.before[: opener.end]
        return opener.block and _TRY.search(left[-40:]) is not None and not _CLAUSE_BELOW.match(self.draft.after)

    def _line_of(self, end: int) -> int:
        """Behind what else ends the line on which a block is closed, unless that stands right of the cursor or does not parse."""
        text, after = self.draft.text, self.draft.after.lstrip()
        match = _SAME_LINE.match(text, end)
        tail = match[0].strip() if match else ""
        if match is None or not tail or after.startswith(tail[0]):
            return end
        return end if self.draft.errors(text[: match.end()]) else match.end()

    def statement_end(self) -> int | None:
        """Behind the first complete statement, before the closer of the block around it."""
        reached, previous = _straddled(self.draft), None
        for number, token in enumerate(self.tokens):
            if previous is not None and self._is_free() and self._parts(previous, token):
                return reached
            closed = self._pass(token)
            following = self.tokens[number + 1] if number + 1 < len(self.tokens) else None
            if closed is not None and closed.block and (reached or not _goes_on(following)):
                return reached or token.end - len(self.draft.before)
            if not token.comment:
                reached, previous = token.end - len(self.draft.before), token
            if self._is_free() and self._completes(token, following):
                return reached
        return None

    def _pass(self, token: Token) -> Token | None:
        """Take one token in; the bracket from before the cursor that it closes, if it closes one."""
        if token.opaque:
            return None
        if token.text in PAIRS:
            self.inner.append(token)
        elif token.text in PAIRS.values():
            if self.inner:
                self.closed = self.inner.pop()
            elif self.outer:
                return self.outer.pop()
        return None

    def _is_free(self) -> bool:
        return not self.inner and (not self.outer or self.outer[-1].block)

    def _completes(self, token: Token, following: Token | None) -> bool:
        if token.text == ";":
            return not self._is_in_go_header(token)
        if token.text != "}" or following is None or (self.closed and self._is_attribute(self.closed)):
            return False
        if self.language.id in _NO_SEMICOLON and self.closed is not None and not self.closed.block:
            return False  # a value, as in a tag's attribute; a line end behind it is looked at by `_parts`
        return following.text[0] not in ")]{},;.([?:=+-*/%&|<>!" and following.text not in _GOES_ON

    def _is_in_go_header(self, token: Token) -> bool:
        """Whether a semicolon parts the clauses of a header, around which Go has no parentheses."""
        text = self.draft.tree().text
        line = text[text.rfind("\n", 0, token.start) + 1 : token.start]
        return self.language.id == "go" and _GO_HEADER.match(line) is not None

    def _is_attribute(self, opener: Token) -> bool:
        """Whether a brace opens the value of an attribute in a tag, which ends nothing."""
        return self.language.id in TAGGED and self.draft.tree().text.endswith("=", 0, opener.start)

    def _parts(self, left: Token, right: Token) -> bool:
        """Whether the end of a line between two tokens ends a statement (JavaScript's automatic semicolons, Go's)."""
        between = self.draft.tree().text[left.end : right.start]
        if self.language.id not in _NO_SEMICOLON or "\n" not in between:
            return False
        goes_on = left.text in _CONTINUES or (not left.opaque and left.text[-1] in "=+-*/%&|^<>?:.,([{!~")
        return not goes_on and right.text[0] not in ".?)]:&|+*/%=<>{," and right.text not in _GOES_ON


# The `try`s that are open at the cursor: without a clause they are none, though some grammars take them so.

TRY_CLAUSES = frozenset({"except", "else", "finally"})
"""The words that begin a clause of a Python `try`."""
_NODES = frozenset({"except_clause", "except_group_clause", "catch_clause", "finally_clause"})
_LINE = re.compile(r"\n([ \t]*)([^\W\d]+|[^\s\w#])")


def open_tries(draft: Draft) -> Iterator[int]:
    """Where in the splice each `try` begins that is open at the cursor and has no clause above it, the innermost first."""
    tree = draft.tree()
    for node in _around(draft):
        if not any(tree.index(start) < len(draft.before) for start in _clauses(node)):
            yield tree.index(node.start_byte)


def has_clause_below(draft: Draft, column: int) -> bool:
    """Whether the first line below the cursor that is no deeper than a Python `try` is a clause of it."""
    for line in _LINE.finditer(draft.after):
        if (own := width(line[1])) <= column:
            return own == column and line[2] in TRY_CLAUSES
    return False


def lacks_clause(draft: Draft) -> bool:
    """Whether a `try` that was open at the cursor ends with the suggestion, and has no clause."""
    tree = draft.tree()
    bare = (node for node in _around(draft) if not any(_clauses(node)))
    return any(len(draft.before) < tree.index(node.end_byte) <= draft.end for node in bare)


def _around(draft: Draft) -> Iterator[tree_sitter.Node]:
    """The `try`s that hold the last code before the cursor, the innermost first."""
    tree = draft.tree()
    at = tree.byte(max(0, len(draft.code_before) - 1))
    node = tree.root.descendant_for_byte_range(at, at + 1)
    while node is not None:
        if node.type == "try_statement":
            yield node
        node = node.parent


def _clauses(node: tree_sitter.Node) -> Iterator[int]:
    """The first bytes of a `try`'s clauses but `else`, which is not enough."""
    return (child.start_byte for child in node.children if child.type in _NODES)
