"""Command lines of a shell: their commands, and a command without what may be a secret.

A word is kept only if it is plainly no secret; what is not understood is covered, and a line that is not understood has no commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replay.recording.secrets.redaction import COVER
from replay.recording.secrets.word_lists import EXPRESSIONS, HARMLESS_OPTIONS, HARMLESS_VARIABLES

_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\r]+|\\\r?\n)
    | (?P<comment>\#[^\n]*)
    | (?P<redirection>\d*[<>]+[&|]?|&>+)
    | (?P<separator>[;&|()\n])
    | (?P<word>(?:\\.|'[^']*(?<!\\)'|"(?:\\.|(?!\$\()[^"\\`])*"|=(?!\()|[^\s'"\\;&|()<>`=])+)
    """,
    re.VERBOSE | re.DOTALL,
)
"""Not understood: quotes without an end, commands in double quotes or backticks, lists in brackets, a quote behind a backslash in single quotes."""
_DIGITS = "0123456789"
_QUOTING = re.compile(r"['\"\\]")
_PLAIN = re.compile(r"(?!.*://)@?[\w.~+/:,*\[\]%^-]*")
_EXPRESSION = re.compile(r"(?!.*://)[\w .~+/:,*\[\]|()^$-]*")
_SETTING = re.compile(r"[-/]{0,2}[\w.:-]{1,60}")
_FLAGS = re.compile(r"-(?:[b-oq-tv-zA-Z][a-zA-Z]{0,2}|v+|[jnw]\d{1,3}|)|--[a-zA-Z][a-zA-Z0-9-]*|--")
_COMPLETE = re.compile(r"-(?:v+|[jnw]\d+)")
"""Short options that have their value, or none."""
_SHORT = re.compile(r"-[A-Za-z]")


def commands(line: str) -> list[list[str]]:
    """The words of each command of a line, as they are written, with their quotes.

    Redirections, comments and here-documents are left out. A line that is not understood has no commands: of shells, quotes
    are understood, and no more.
    """
    found: list[list[str]] = [[]]
    at, is_redirected, has_document = 0, False, False
    while at < len(line):
        token = _TOKEN.match(line, at)
        if token is None:
            return []
        at, text = token.end(), token[0]
        if token.lastgroup == "redirection":
            is_redirected, has_document = True, has_document or text.lstrip(_DIGITS) == "<<"
        elif token.lastgroup == "separator":
            if has_document and text == "\n":
                break
            is_redirected = False
            found.append([])
        elif token.lastgroup == "word" and not is_redirected:
            found[-1].append(text)
    return [words for words in found if words]


def covered(words: Sequence[str], program: int) -> str:
    """A command with all covered that may be a secret. `program` is the index of the word that is the program; from it on words may be values of options."""
    return " ".join(_covered_words(words, program))


def _covered_words(words: Sequence[str], program: int) -> Iterator[str]:
    option = ""
    for number, word in enumerate(words):
        plain = _QUOTING.sub("", word)
        is_value = number > program and option not in {"", *HARMLESS_OPTIONS} and not plain.startswith("-")
        yield COVER * len(word) if is_value else _covered_word(word, plain, option)
        option = plain if plain.startswith("-") and "=" not in plain and not _COMPLETE.fullmatch(plain) else ""


def _covered_word(word: str, plain: str, option: str) -> str:
    name, sign, value = plain.partition("=")
    if sign:
        return _covered_setting(word, name, value)
    if plain.startswith("-"):
        return word if plain in HARMLESS_OPTIONS or _FLAGS.fullmatch(plain) else _covered_option(word, plain)
    keeps = _EXPRESSION if option in EXPRESSIONS else _PLAIN
    return word if keeps.fullmatch(plain) else COVER * len(word)


def _covered_setting(word: str, name: str, value: str) -> str:
    """`NAME=value`, `--option=value`: the name stays, and the value only if its name is harmless."""
    if not _SETTING.fullmatch(name) or not value.strip("="):
        return COVER * len(word)
    keeps = _EXPRESSION if name in EXPRESSIONS else _PLAIN
    if name in HARMLESS_VARIABLES | HARMLESS_OPTIONS and keeps.fullmatch(value):
        return word
    return f"{name}={COVER * len(value)}"


def _covered_option(word: str, plain: str) -> str:
    """`-pVALUE`: the letter stays."""
    return plain[:2] + COVER * len(plain[2:]) if _SHORT.match(plain) else COVER * len(word)
