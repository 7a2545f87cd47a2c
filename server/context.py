"""What a model is shown of the project: the text around the cursor, and what lies about elsewhere, each within its budget.

The start of the prefix moves in steps of half a budget, not with every key, so that the model's cache of the prompt holds
from one key to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from server.settings import ContextSettings

CHARACTERS_A_TOKEN = 3.2
"""Measured: 2,000 characters of Python are 614 tokens of SmolLM2."""
_WINDOW = 20
_WORD = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens by section."""

    before: int
    after: int
    snippets: int = 0
    edits: int = 0

    def overridden(self, settings: ContextSettings) -> Budget:
        """The same budget with the numbers that the settings name."""
        return Budget(
            *(
                mine if given is None else given
                for mine, given in (
                    (self.before, settings.before),
                    (self.after, settings.after),
                    (self.snippets, settings.snippets),
                    (self.edits, settings.edits),
                )
            )
        )


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of another place."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Everything there is to choose from. `others` are the other open texts, `edited` those lately worked on."""

    path: str
    language: str
    before: str
    after: str
    others: Sequence[Snippet] = ()
    edited: Sequence[Snippet] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What was chosen; lines end with line feeds."""

    path: str
    language: str
    before: str
    after: str
    snippets: tuple[Snippet, ...] = ()
    edits: tuple[Snippet, ...] = ()


def choose(around: Surroundings, budget: Budget) -> Context:
    """Cut the surroundings to a budget, each section at line starts."""
    before, after = unix(around.before), unix(around.after)
    return Context(
        around.path,
        around.language,
        _tail(before, _characters(budget.before)),
        _head(after, _characters(budget.after)),
        _similar(before, around.others, _characters(budget.snippets)),
        _fitting(around.edited, _characters(budget.edits)),
    )


def unix(text: str) -> str:
    """The text with a line feed for every line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _characters(tokens: int) -> int:
    return int(tokens * CHARACTERS_A_TOKEN)


def _tail(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    step = max(size // 2, 1)
    start = -(-(len(text) - size) // step) * step
    line = text.find("\n", start) + 1
    return text[line:] if 0 < line < len(text) - step // 2 else text[start:]


def _head(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    return text[: text.rfind("\n", 0, size) + 1] or text[:size]


def _fitting(snippets: Iterable[Snippet], size: int) -> tuple[Snippet, ...]:
    kept: list[Snippet] = []
    for snippet in snippets:
        size -= len(snippet.text)
        if size < 0:
            break
        kept.append(snippet)
    return tuple(kept)


def _similar(before: str, others: Sequence[Snippet], size: int) -> tuple[Snippet, ...]:
    """The windows of other files that share most words with the last lines, by Jaccard index."""
    if size <= 0:
        return ()
    wanted = frozenset(_WORD.findall("\n".join(before.split("\n")[-_WINDOW:])))
    scored = [
        (len(wanted & words) / len(wanted | words), number, Snippet(other.path, text))
        for number, other in enumerate(others)
        for text, words in _windows(unix(other.text))
        if wanted & words
    ]
    best = sorted(scored, key=lambda entry: (-entry[0], entry[1]))[:4]
    return _fitting((snippet for _, _, snippet in best), size)


@lru_cache(maxsize=64)
def _windows(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    lines = text.split("\n")
    parts = ("\n".join(lines[at : at + _WINDOW]) for at in range(0, len(lines), _WINDOW // 2))
    return tuple((part, frozenset(_WORD.findall(part))) for part in parts)
