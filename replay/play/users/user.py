"""The simulated user: how much of a shown suggestion the user accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from replay.errors import ReplayError
from replay.play.users.acceptance.acceptance_model import BUNDLED, Model, load
from replay.play.users.offers import Offer
from server.nearest import did_you_mean

__all__ = ["Fitted", "Offer", "Rule", "UnknownUserError", "User", "user_of"]

_MODEL = "model"
Leaving: TypeAlias = Literal["rejected", "typed-through", "shown"]
"""How a suggestion ends of which nothing is accepted."""


class UnknownUserError(ReplayError):
    """No user has this name."""


class User(Protocol):
    """A simulated user: a rule that decides about each shown suggestion."""

    @property
    def name(self) -> str:
        """The name for `--user`."""

    @property
    def needs_tests(self) -> bool:
        """Whether `Offer.passes` must be known before this person decides."""

    def accepts(self, offer: Offer) -> int:
        """The number of characters of `offer.text` that are accepted: all, a beginning, or 0."""

    def leaves(self, offer: Offer) -> Leaving | None:
        """How a suggestion ends that is not accepted, whatever the person writes later; None: what is written decides."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A person who follows one rule."""

    name: str
    rule: Callable[[Offer], int]
    needs_tests: bool = False
    leaving: Callable[[Offer], Leaving | None] = lambda _: None

    def accepts(self, offer: Offer) -> int:
        """How many characters the rule accepts."""
        return self.rule(offer)

    def leaves(self, offer: Offer) -> Leaving | None:
        """How the rule ends what it does not accept."""
        return self.leaving(offer)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A user who accepts a whole suggestion with the probability that an acceptance model computes."""

    name: str
    model: Model
    needs_tests: bool = False

    def accepts(self, offer: Offer) -> int:
        """Accept all or nothing by a random draw; the same seed gives the same decision."""
        return len(offer.text) if offer.draw < self.model.probability(offer) else 0

    def leaves(self, offer: Offer) -> Leaving | None:
        """None: what is not accepted ends by what is written."""
        return None


def _exact(offer: Offer) -> int:
    return len(offer.text) if offer.followed.whole else 0


def _words(offer: Offer) -> int:
    ends = boundaries(offer.text, offer.language)
    return max((end for end in ends if end <= offer.followed.stood), default=0)


def _always(offer: Offer) -> int:
    return len(offer.text)


def _tests(offer: Offer) -> int:
    return len(offer.text) if offer.passes else 0


def _recorded(offer: Offer) -> int:
    taken = offer.then.taken if offer.then else ""
    return len(taken) if offer.text.startswith(taken) else 0


def _as_left(offer: Offer) -> Leaving | None:
    then = offer.then
    if then is None or then.shown != offer.text:
        return None
    return then.ending if then.ending in {"rejected", "typed-through", "shown"} else None


exact = Rule("exact", _exact)
"""Accepts the suggestion if the tape comes to contain exactly this text there, otherwise nothing."""
words = Rule("words", _words)
"""Accepts words from the first on, as long as the tape comes to contain them there; words are cut as by "accept next
word".
"""
always = Rule("always", _always)
"""Accepts everything."""
tests = Rule("tests", _tests, needs_tests=True)
"""Accepts what passes the project's tests."""
recorded = Rule("recorded", _recorded, leaving=_as_left)
"""Accepts the text that the recorded person accepted here, if the suggestion begins with it; ends the very suggestion that was shown then as it ended then."""

USERS: Mapping[str, User] = {user.name: user for user in (exact, words, always, tests, recorded)}


def user_of(text: str) -> User:
    """The user of a name; `model` has the bundled coefficients, `model:PATH.toml` those of a file.

    Raises:
        UnknownUserError: there is none.
        CoefficientsError: the model's file cannot be read or is invalid.

    """
    name, _, path = text.partition(":")
    if name == _MODEL:
        return Fitted(text, load(Path(path) if path else BUNDLED))
    if text not in USERS:
        near = did_you_mean(name, [*USERS, _MODEL])
        raise UnknownUserError(
            f"no user is called {text!r}{near}: choose one of {', '.join(USERS)}, {_MODEL}, or {_MODEL}:PATH.toml"
        )
    return USERS[text]


# Where an editor's "accept next word" and "accept next line" cut a suggestion.
#
# Imitates VS Code (`inlineCompletionsModel.ts`, `acceptNextWord` and `acceptNextLine`; the default word pattern of
# `wordHelper.ts`, and the language configurations that change it). What the two commands take from a text:
#
# * a word, if the text begins with one; else everything before the first word; if there is none, everything;
# * but never more than up to the end of the first run of white space that ends before that;
# * a line: everything up to and with the first LF.

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
