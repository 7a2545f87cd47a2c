"""Drop closers that stand below already, and close what the suggestion opened: brackets, words, and a string on its last line.

Works on tokens, so brackets in strings and comments do not count. Nothing is changed unless the splice parses better for it:
a faultless splice, and so every right answer in a faultless document, is left alone. Where no code stands below the cursor, the document is not written to its
end: then a splice counts with closers for all that was open before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec import structs

from server.repair.draft import STRING, TAGGED, Draft, indent_of, width
from syntax.tokens import PAIRS, Token, open_brackets, tokens

_CLOSER_LINE = re.compile(r"\n[ \t]*[)\]};,]+[ \t]*$")
_WORD_LINE = re.compile(r"\n[ \t]*end[ \t]*$")
_TAG_LINE = re.compile(r"\n[ \t]*</[\w.]*>[ \t]*$")
_BEGINS = frozenset({"def", "class", "module", "case", "begin", "do"})
_BEGINS_A_LINE = frozenset({"if", "unless", "while", "until", "for"})
_BRACKETS = frozenset("()[]{}")
_OPENS = re.compile("|".join(sorted(_BEGINS | _BEGINS_A_LINE)))
_LONGEST_WORD = max(map(len, _BEGINS | _BEGINS_A_LINE))
_TRIED = 4


def repair(draft: Draft) -> str:
    """The suggestion whose splice has the fewest errors; of equals the one that changes least."""
    if draft.language is None or not may_act(draft) or draft.is_in_open_text:
        return draft.text
    best, least = _least(draft.text, _with_fewer(draft), partial(_errors, draft))
    if not least:
        return best
    count = draft.errors if _is_unfinished(draft) else partial(_errors, draft)
    return _least(best, _with_more(draft), count)[0]


def _least(text: str, others: Iterator[str], count: Callable[[str], int]) -> tuple[str, int]:
    """The text with the fewest errors, and how many; of equals the first."""
    best, least = text, count(text)
    while least and (other := next(others, None)) is not None:
        errors = count(other)
        best, least = (other, errors) if errors < least else (best, least)
    return best, least


def _is_unfinished(draft: Draft) -> bool:
    """Whether the document ends at the cursor while something is open: then what the suggestion opens may stay open too."""
    return not draft.after.strip() and bool(open_brackets(draft.tree(), len(draft.before)))


def errors_when_closed(draft: Draft, text: str) -> int:
    """How many errors the splice of a text has; where nothing stands below the cursor, with brackets and words that close what was open before it.

    Of words these are as many as lines above the cursor are less deep, one for each depth.
    """
    if draft.after.strip() or draft.language is None or not draft.language.closer:
        return _errors(draft, text)
    words = f"\n{draft.language.closer}" * _depth(draft)
    return structs.replace(draft, after=_open_closers(draft, text) + words).errors(text)


def _errors(draft: Draft, text: str) -> int:
    """How many errors the splice of a text has; where nothing stands below the cursor, with closers for what was open before it."""
    if draft.after.strip() or draft.language is None:
        return draft.errors(text)
    return structs.replace(draft, after=_open_closers(draft, text)).errors(text)


def _open_closers(draft: Draft, text: str) -> str:
    """Closers for what was open before the cursor and the text leaves open."""
    end = len(draft.before) + len(text)
    opened = [token for token in open_brackets(draft.tree(text), end) if token.start < len(draft.before)]
    return "\n" + "".join(PAIRS[token.text] for token in reversed(opened))


def _depth(draft: Draft) -> int:
    """How many depths less than that of the cursor's line the lines above it have, each less deep than the one below."""
    column, depth = width(indent_of(draft.line_before)), 0
    for line in reversed(draft.before.split("\n")[:-1]):
        if line.strip() and width(indent_of(line)) < column:
            column, depth = width(indent_of(line)), depth + 1
    return depth


def may_act(draft: Draft) -> bool:
    """Whether there can be a bracket to drop or to close. It is decided by the text alone, so that most words and lines cost no parse.

    Such a bracket is one character of the suggestion. A word that opens a block may end right of the cursor.
    """
    text = draft.text.rstrip()
    if not _BRACKETS.isdisjoint(text) or _open_quote(draft) or _without_last_closer(draft, text) != text:
        return True
    closes = draft.language is not None and draft.language.closer
    return bool(closes) and _OPENS.search(text + draft.after[:_LONGEST_WORD]) is not None


def _with_fewer(draft: Draft) -> Iterator[str]:
    """Without the last lines of closers, and without the last closers of what was open before the cursor.

    Where nothing stands below the cursor, brackets that close what was open are right: only others are left out.
    """
    surplus, _ = _balance(draft)
    shortened = _without_last_closer if draft.after.strip() else _without_last_word
    if not draft.after.strip():
        surplus = _unmatched(draft, surplus)
    text = draft.text.rstrip()
    for _ in range(_TRIED):
        shorter = shortened(draft, text)
        if shorter == text:
            break
        text = shorter
        yield text
    yield from _without(draft, surplus)


def _unmatched(draft: Draft, surplus: Sequence[Token]) -> list[Token]:
    """The closers that close nothing which is open before the cursor."""
    opened, unmatched = [token.text for token in open_brackets(draft.tree(), len(draft.before))], []
    for token in surplus:
        if opened and PAIRS[opened[-1]] == token.text:
            opened.pop()
        else:
            unmatched.append(token)
    return unmatched


def _without(draft: Draft, closers: Sequence[Token]) -> Iterator[str]:
    """The suggestion without the last closer, the last two, and so on."""
    text = draft.text
    for token in list(reversed(closers))[:_TRIED]:
        at = token.start - len(draft.before)
        head, tail = text[:at], text[at + 1 :]
        text = head.rstrip() if not tail.strip() else head + tail
        yield text


def _without_last_closer(draft: Draft, text: str) -> str:
    """Without a last line that only closes: brackets, Ruby's `end`, a JSX tag."""
    shorter = _CLOSER_LINE.sub("", text)
    return _without_last_word(draft, text) if shorter == text else shorter


def _without_last_word(draft: Draft, text: str) -> str:
    """Without a last line that only closes, where that is a word or a tag."""
    assert draft.language is not None
    if draft.language.closer:
        return _WORD_LINE.sub("", text)
    return _TAG_LINE.sub("", text) if draft.language.id in TAGGED else text


def _with_more(draft: Draft) -> Iterator[str]:
    """With closers for what the suggestion itself opened, one more each time, where more than a line is wanted."""
    if draft.wanted == "line":
        return
    text = draft.text.rstrip()
    if quote := _open_quote(draft):
        text += quote
        yield text
    _, opened = _balance(draft)
    for token in list(reversed(opened))[:_TRIED]:
        text += _closer(draft, token)
        yield text
    if draft.language is not None and draft.language.closer and _words_open(draft):
        yield f"{text}\n{indent_of(_opening_line(draft))}{draft.language.closer}"


def _open_quote(draft: Draft) -> str:
    """The quote of the string that the last line of the suggestion begins and leaves open; empty if there is none."""
    text = draft.text.rstrip()
    last = text.rpartition("\n")[2]
    line = last if last is not text else draft.line_before + text
    opened = re.search(r"[\"']", STRING.sub("", line)) if last.count('"') % 2 or last.count("'") % 2 else None
    return opened[0] if opened else ""


def _words_open(draft: Draft) -> bool:
    """Whether the suggestion itself opened something that a word closes, and did not close it."""
    at, depth, line = len(draft.before), 0, -1
    for token in tokens(draft.tree(), at, draft.end):
        if token.opaque or token.start < at:
            continue
        row = draft.text.count("\n", 0, token.start - at)
        begins = token.text in _BEGINS or (row != line and token.text in _BEGINS_A_LINE)
        depth += begins - (token.text == "end")
        line = row
    return depth > 0


def _opening_line(draft: Draft) -> str:
    """The line on which the suggestion begins."""
    return next((line for line in (draft.line_before + draft.text).split("\n") if line.strip()), "")


def _closer(draft: Draft, token: Token) -> str:
    whole = draft.before + draft.text
    line = whole[whole.rfind("\n", 0, token.start) + 1 :]
    own_line = token.text == "{" and "\n" in whole[token.start :]
    return f"\n{indent_of(line)}}}" if own_line else PAIRS[token.text]


def _balance(draft: Draft) -> tuple[list[Token], list[Token]]:
    """The suggestion's closers without an opener in it, and its openers without a closer."""
    surplus: list[Token] = []
    opened: list[Token] = []
    for token in tokens(draft.tree(), len(draft.before), draft.end):
        if token.opaque or token.start < len(draft.before):
            continue
        if token.text in PAIRS:
            opened.append(token)
        elif token.text in PAIRS.values():
            if opened and PAIRS[opened[-1].text] == token.text:
                opened.pop()
            else:
                surplus.append(token)
    return surplus, opened
