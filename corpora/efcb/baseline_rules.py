"""What is solved without reading the question, or without any understanding of it: rules that choose of four choices, and ask no model.

A benchmark that such a rule solves measures the rule. Each rule is known from the data: GMCQ-Hard makes its wrong choices by swapping two words of the
right one (Liang 2025, section 3.2.2), so the right one is nearest to all others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import Levenshtein

from corpora.efcb.questions import PullRequestQuestion

_PIECE = re.compile(r"\s+|\S+")
_WORD = re.compile(r"\w+")
_ALIKE = 1e-9


def first(choices: Sequence[str], words: Words) -> list[float]:
    """Prefer the first choice, whatever it is."""
    return [float(-index) for index in range(len(choices))]


def longest(choices: Sequence[str], words: Words) -> list[float]:
    """Prefer the choice with the most characters."""
    return [float(len(choice)) for choice in choices]


def medoid(choices: Sequence[str], words: Words) -> list[float]:
    """Prefer the choice whose edit distances to the others sum to the least; over runs of white space and of other characters.

    Example: of `a b`, `b a` and `a b c`, the first is 2 edits from the second and 2 from the third, and no other choice is as near to both.
    """
    pieces = [_PIECE.findall(choice) for choice in choices]
    return [-float(sum(Levenshtein.distance(one, other) for other in pieces)) for one in pieces]


def overlap(choices: Sequence[str], words: Words) -> list[float]:
    """Prefer the choice that shares the rarest words with the description: the sum of their inverse document frequencies (Sparck Jones 1972)."""
    return [words.shared(choice) for choice in choices]


RuleOf = Callable[[Sequence[str], "Words"], list[float]]
RULES: Mapping[str, RuleOf] = MappingProxyType(
    {"first": first, "longest": longest, "medoid": medoid, "overlap": overlap}
)
"""Name → how much the rule prefers each choice. The first of those that it prefers most is its answer."""
CHANCE = 0.25
"""The share that is right where one of four choices is drawn at random."""


@dataclass(frozen=True)
class PatchTexts:
    """The patches of a repository, by which words are rare or frequent."""

    texts: tuple[str, ...]

    @cached_property
    def frequencies(self) -> Counter[str]:
        """In how many patches each word occurs."""
        return Counter(word for text in self.texts for word in words_of(text))

    def rarity(self, word: str) -> float:
        """The inverse document frequency ln(N / n) of a word in n of N patches; 0 where it is in none."""
        found = self.frequencies[word]
        return math.log(len(self.texts) / found) if found else 0.0


@dataclass(frozen=True)
class Words:
    """The words of a question's description, and how rare each is."""

    description: str
    documents: PatchTexts

    def shared(self, text: str) -> float:
        """The sum of the rarities of the words that a text shares with the description."""
        return math.fsum(map(self.documents.rarity, sorted(words_of(text) & words_of(self.description))))


def words_of(text: str) -> set[str]:
    """The words of a text, in lower case."""
    return {word.lower() for word in _WORD.findall(text)}


def choose(rule: str, question: PullRequestQuestion, documents: PatchTexts) -> int:
    """The index of the choice that a rule takes; of choices that it likes alike, the first."""
    liked = RULES[rule](question.choices, Words(question.description, documents))
    return next(index for index, value in enumerate(liked) if value >= max(liked) - _ALIKE)


def documents_of(questions: Iterable[PullRequestQuestion]) -> dict[str, PatchTexts]:
    """Task and repository (as `gmcq-easy/duckdb`) → all choices of its questions."""
    texts: dict[str, list[str]] = {}
    for question in questions:
        texts.setdefault(f"{question.task}/{question.repository}", []).extend(question.choices)
    return {place: PatchTexts(tuple(own)) for place, own in texts.items()}


def solved_by(questions: Sequence[PullRequestQuestion]) -> dict[str, tuple[str, ...]]:
    """Name of each multiple choice question → the rules that solve it, in the order of `RULES`."""
    asked = [question for question in questions if question.choices]
    documents = documents_of(asked)
    return {
        question.name: tuple(
            rule
            for rule in RULES
            if choose(rule, question, documents[f"{question.task}/{question.repository}"]) == question.right
        )
        for question in asked
    }
