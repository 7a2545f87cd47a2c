"""The special tokens of all model families, and where they stand in an answer.

The data are `special_tokens.toml` and the words of `templates.toml`; a token of either is known everywhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from server.prompt.templates import TEMPLATES


class TokenFamily(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The special tokens of one family of models; `special_tokens.toml` explains each member."""

    name: str
    tokens: tuple[str, ...]
    turns: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    family: tuple[TokenFamily, ...]


def _read() -> tuple[TokenFamily, ...]:
    text = Path(__file__).with_name("special_tokens.toml").read_text("utf-8")
    listed = msgspec.toml.decode(text, type=_File).family
    templates = (
        TokenFamily(name=one.name, tokens=tuple(filter(_is_mark, (*one.marks, *one.stops))), source=one.source)
        for one in TEMPLATES.values()
    )
    return (*listed, *templates)


def _is_mark(word: str) -> bool:
    return word[0] in "<[" and not word.isspace()


FAMILIES: Final = _read()
TURNS: Final = frozenset(token.lower() for family in FAMILIES for token in family.turns)
"""Tokens behind which the name of a role or a channel is written, in lower case."""
FILES: Final = frozenset(token.lower() for family in FAMILIES for token in family.files)
"""Tokens behind which the name of another file is written, in lower case."""
SPELLINGS: Final = tuple(
    dict.fromkeys(token for family in FAMILIES for token in (*family.tokens, *family.turns, *family.files))
)
"""Every token once, as its tokenizer spells it."""
_AS_CODE = re.compile(r"</?([\w-]+)>|\[/?(\w+)\]|\{\{(\w+)\}\}|# .*")
_BETWEEN_BARS = r"<\|[A-Za-z/][\w.:-]{0,40}\|>|<\uff5c[^\uff5c<>\n]{1,40}\uff5c>"
"""Names between bars are tokens in any family, and in no programming language."""
_FIRST = frozenset(token[0] for token in SPELLINGS)
_BAR_CUT_OFF = re.compile(r"<\|(?:/?[a-z][\w.:-]{0,40}\|?)?\Z|<\uff5c[^\uff5c<>\n]{0,40}\Z", re.IGNORECASE)
_LEAST = 5
"""Characters of the beginning of a token that could be code as well: `a <end` is more likely a comparison."""


def _alternatives(tokens: Iterable[str]) -> str:
    """An expression for any of the tokens, the longest first; grouped by first character, which makes a search fast."""
    rests = defaultdict(list)
    for token in sorted(tokens, key=len, reverse=True):
        rests[token[0]].append(re.escape(token[1:]).replace("\\ ", " ?"))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(others)})" for first, others in rests.items())


SPECIAL: Final = re.compile(f"{_alternatives(SPELLINGS)}|{_BETWEEN_BARS}|\ufffd{{3,}}", re.IGNORECASE)
"""Any special token, in either case."""


def name_in_code(token: str) -> str | None:
    """The name within a token that could be code or markup as well (`<EOT>`, `[SUFFIX]`); None where no code looks so (`<|eot|>`)."""
    match = _AS_CODE.fullmatch(token)
    return None if match is None else next((name for name in match.groups() if name), "")


def _beginnings() -> Iterator[str]:
    """What tokens begin with, long enough to be no code; without its last character even a short one is recognised."""
    for token in (token.lower() for token in SPELLINGS):
        least = 3 if name_in_code(token) is None else min(_LEAST, len(token) - 1)
        yield from (token[:size] for size in range(least, len(token)))


_BEGINNINGS = frozenset(_beginnings())
_LONGEST = max(map(len, _BEGINNINGS))


def cut_off(text: str) -> int | None:
    """The index at which a text ends with the beginning of a special token, as the length limit leaves it; None where it does not."""
    match = _BAR_CUT_OFF.search(text, max(0, len(text) - _LONGEST))
    if match is not None:
        return match.start()
    starts = range(max(0, len(text) - _LONGEST), len(text) - 2)
    return next((at for at in starts if text[at] in _FIRST and text[at:].lower() in _BEGINNINGS), None)
