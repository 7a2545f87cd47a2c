"""Drop closers that stand below already, and close what the suggestion opened.

Works on tokens, so brackets in strings and comments do not count. Nothing is changed unless the splice parses better for it:
a faultless splice, and so every right answer in a faultless document, is left alone. Where no code stands below the cursor, the document is not written to its
end: then a splice counts with closers for all that was open before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from server.repair.draft import Draft, indent_of
from syntax.tokens import PAIRS, Token, tokens

_CLOSER_LINE = re.compile(r"\n[ \t]*[)\]};,]+[ \t]*$")
_WORD_LINE = re.compile(r"\n[ \t]*end[ \t]*$")
_TAG_LINE = re.compile(r"\n[ \t]*</[\w.]*>[ \t]*$")
_TAGGED = frozenset({"javascript", "javascriptreact", "typescriptreact"})
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
    best, least = draft.text, _errors(draft, draft.text)
    if not least:
        return best
    for text in dict.fromkeys([*_with_fewer(draft), *_with_more(draft)]):
        count = _errors(draft, text)
        best, least = (text, count) if count < least else (best, least)
        if not least:
            break
    return best


def _errors(draft: Draft, text: str) -> int:
    """How many errors the splice of a text has; where nothing stands below the cursor, with closers for what was open before it."""
    if draft.after.strip():
        return draft.errors(text)
    return structs.replace(draft, after=_open_closers(draft, text)).errors(text)


def _open_closers(draft: Draft, text: str) -> str:
    opened: list[Token] = []
    for token in tokens(draft.tree(text), 0, len(draft.before) + len(text)):
        if token.opaque:
            continue
        if token.text in PAIRS:
            opened.append(token)
        elif opened and PAIRS[opened[-1].text] == token.text:
            opened.pop()
    return "\n" + "".join(PAIRS[token.text] for token in reversed(opened) if token.start < len(draft.before))


def may_act(draft: Draft) -> bool:
    """Whether there can be a bracket to drop or to close. It is decided by the text alone, so that most words and lines cost no parse.

    Such a bracket is one character of the suggestion. A word that opens a block may end right of the cursor.
    """
    text = draft.text.rstrip()
    if not _BRACKETS.isdisjoint(text) or _without_last_closer(draft, text) != text:
        return True
    closes = draft.language is not None and draft.language.closer
    return bool(closes) and _OPENS.search(text + draft.after[:_LONGEST_WORD]) is not None


def _with_fewer(draft: Draft) -> Iterator[str]:
    """Without the last lines of closers, and without the last closers of what was open before the cursor."""
    text = draft.text.rstrip()
    for _ in range(_TRIED):
        shorter = _without_last_closer(draft, text)
        if shorter == text:
            break
        text = shorter
        yield text
    surplus, _ = _balance(draft)
    text = draft.text
    for token in list(reversed(surplus))[:_TRIED]:
        at = token.start - len(draft.before)
        head, tail = text[:at], text[at + 1 :]
        text = head.rstrip() if not tail.strip() else head + tail
        yield text


def _without_last_closer(draft: Draft, text: str) -> str:
    """Without a last line that only closes: brackets, Ruby's `end`, a JSX tag."""
    assert draft.language is not None
    shorter = _CLOSER_LINE.sub("", text)
    if shorter == text and draft.language.closer:
        return _WORD_LINE.sub("", text)
    if shorter == text and draft.language.id in _TAGGED:
        return _TAG_LINE.sub("", text)
    return shorter


def _with_more(draft: Draft) -> Iterator[str]:
    """With closers for what the suggestion itself opened, one more each time, where more than a line is wanted."""
    if draft.wanted == "line":
        return
    _, opened = _balance(draft)
    text = draft.text.rstrip()
    for token in list(reversed(opened))[:_TRIED]:
        text += _closer(draft, token)
        yield text
    if draft.language is not None and draft.language.closer and _words_open(draft):
        yield f"{text}\n{indent_of(_opening_line(draft))}{draft.language.closer}"


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
