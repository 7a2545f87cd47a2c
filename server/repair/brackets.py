"""Drop closers that stand below already, and close what the suggestion opened.

Works on tokens, so brackets in strings and comments do not count. Nothing is changed unless the splice parses better for it:
a faultless splice, and so every right answer in a faultless document, is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from server.repair.draft import Draft, indent_of
from server.repair.stop import resolve
from server.repair.tokens import PAIRS, Token, tokens

_CLOSER_LINE = re.compile(r"\n[ \t]*[)\]};,]+[ \t]*$")
_TRIED = 4


def repair(draft: Draft) -> str:
    """The suggestion whose splice has the fewest errors; of equals the one that changes least."""
    errors = draft.errors()
    if draft.language is None or not errors:
        return draft.text
    candidates = [draft.text, *_with_fewer(draft), *_with_more(draft)]
    counted = [(errors if text == draft.text else draft.errors(text), number) for number, text in enumerate(candidates)]
    return candidates[min(counted)[1]]


def _with_fewer(draft: Draft) -> Iterator[str]:
    """Without the last lines of closers, and without the last closers of what was open before the cursor."""
    text = draft.text.rstrip()
    for _ in range(_TRIED):
        shorter = _CLOSER_LINE.sub("", text)
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


def _with_more(draft: Draft) -> Iterator[str]:
    """With closers for what the suggestion itself opened, one more each time, where more than a line is wanted."""
    if resolve(draft) == "line":
        return
    _, opened = _balance(draft)
    text = draft.text.rstrip()
    for token in list(reversed(opened))[:_TRIED]:
        text += _closer(draft, token)
        yield text


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
