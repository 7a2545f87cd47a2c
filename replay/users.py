"""The person at the keyboard: how much of a suggestion that is shown they accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from replay.acceptance.model import BUNDLED, Model, load
from replay.errors import ReplayError
from replay.offers import Offer
from replay.words import boundaries

__all__ = ["Fitted", "Offer", "Rule", "UnknownUserError", "User", "user_of"]

_MODEL = "model"


class UnknownUserError(ReplayError):
    """No user has this name."""


class User(Protocol):
    """A person: a rule for what to do with what is shown."""

    @property
    def name(self) -> str:
        """What `--user` calls it."""

    @property
    def needs_tests(self) -> bool:
        """Whether `Offer.passes` must be known before this person decides."""

    def accepts(self, offer: Offer) -> int:
        """How many characters (indices into `offer.text`) are accepted: all, a beginning, or 0."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A person who follows one rule."""

    name: str
    rule: Callable[[Offer], int]
    needs_tests: bool = False

    def accepts(self, offer: Offer) -> int:
        """How many characters the rule accepts."""
        return self.rule(offer)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A person who accepts the whole of a suggestion with the probability that a model gives it."""

    name: str
    model: Model
    needs_tests: bool = False

    def accepts(self, offer: Offer) -> int:
        """All or nothing, as the moment's draw falls: the same seed, the same decision."""
        return len(offer.text) if offer.draw < self.model.probability(offer) else 0


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
    taken = next((ghost.text for ghost in offer.then if ghost.phase in {"accepted", "part"}), "")
    return len(taken) if offer.text.startswith(taken) else 0


exact = Rule("exact", _exact)
"""Accepts what came to stand there to the letter, else nothing."""
words = Rule("words", _words)
"""Accepts the words, from the first on, that came to stand there, as an editor's "accept next word" cuts them."""
always = Rule("always", _always)
"""Accepts everything."""
tests = Rule("tests", _tests, needs_tests=True)
"""Accepts what passes the project's tests."""
recorded = Rule("recorded", _recorded)
"""Accepts what the tape's own person accepted here, where the suggestion begins with it."""

USERS: Mapping[str, User] = {user.name: user for user in (exact, words, always, tests, recorded)}


def user_of(text: str) -> User:
    """The user of a name; `model` has the bundled coefficients, `model:PATH.toml` those of a file.

    Raises:
        UnknownUserError: there is none.
        CoefficientsError: the model's file cannot be read, or says what no model can be made of.

    """
    name, _, path = text.partition(":")
    if name == _MODEL:
        return Fitted(text, load(Path(path) if path else BUNDLED))
    if text not in USERS:
        raise UnknownUserError(
            f"no user is called {text!r}: choose one of {', '.join(USERS)}, {_MODEL}, or {_MODEL}:PATH.toml"
        )
    return USERS[text]
