"""Where an editor's "accept next word" and "accept next line" cut a suggestion.

Imitates VS Code (`inlineCompletionsModel.ts`, `acceptNextWord` and `acceptNextLine`; the default word pattern of
`wordHelper.ts`, and the language configurations that change it). What the two commands take from a text:

* a word, if the text begins with one; else everything before the first word; if there is none, everything;
* but never more than up to the end of the first run of white space that ends before that;
* a line: everything up to and with the first LF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

SEPARATORS = "`~!@#$%^&*()-=+[{]}\\|;:'\",.<>/?"
"""What parts words where a language says nothing else."""
IN_WORDS: Mapping[str, str] = {
    "cpp": "$",
    "javascript": "#$",
    "javascriptreact": "#$",
    "typescript": "#$",
    "typescriptreact": "#$",
}
"""Language → the separators that are parts of its words."""
_WHITE = "\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SPACE = re.compile(f"[{_WHITE}]+")


def boundaries(text: str, language: str) -> Iterator[int]:
    """The lengths, ascending, of the beginnings of a text that taking it word by word or line by line can give.

    The last is the length of the text. `language` is the LSP identifier.
    """
    at = 0
    while at < len(text):
        end = at + next_word(text[at:], language)
        yield from (line for line in range(at + 1, end) if text[line - 1] == "\n")
        yield end
        at = end


def takes(text: str, language: str, characters: int) -> int:
    """The fewest keys that accept so many characters of a text: one for all of it, else one a line or a word."""
    if characters >= len(text):
        return 1
    keys = at = 0
    while at < characters:
        line = text.find("\n", at) + 1
        at = line if at < line <= characters else at + next_word(text[at:], language)
        keys += 1
    return keys


def next_word(text: str, language: str) -> int:
    """How many characters of a text "accept next word" takes."""
    word = _pattern(IN_WORDS.get(language, "")).search(text)
    end = len(text) if word is None else word.start() or word.end()
    space = _SPACE.search(text)
    return min(end, space.end()) if space else end


@cache
def _pattern(in_words: str) -> re.Pattern[str]:
    apart = "".join(re.escape(char) for char in SEPARATORS if char not in in_words)
    return re.compile(rf"-?[0-9]*\.[0-9][0-9A-Za-z_]*|[^{apart}{_WHITE}]+")
