"""Tokens and what they cost. What a server does not tell is counted as unknown, and never guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a million tokens of a model cost, in a currency of one's own."""

    input: float
    """Of prompts."""
    output: float
    """Of answers."""

    def __post_init__(self) -> None:
        """Refuse a price below 0."""
        if min(self.input, self.output) < 0:
            raise ValueError("a price cannot be below 0")

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """The cost of some tokens: at 2.5 and 10 a million, 4,000 and 100 tokens cost 0.011."""
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


class TokenUse(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of some answers."""

    input_tokens: int = 0
    output_tokens: int = 0
    untold: int = 0
    """Answers of which the server did not tell its tokens: they are in neither sum."""
    cost: float | None = None
    """What the told tokens cost; None where a model has no price."""


def no_cost() -> dict[str, Any]:
    """Return `cost` of the summary of a run whose answers cost nothing; its tokens are not counted."""
    return {"tokens": None, **msgspec.to_builtins(TokenUse(cost=0.0))}


def known_cost(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return `tokens` and `cost` of a run, by its summary; None where they are not known. A sum that lacks answers (`untold`) is only the least that it can be, and so not known."""
    found = summary.get("cost") or {}
    return {name: None if found.get("untold") else found.get(name) for name in ("tokens", "cost")}


def token_use(answers: Iterable[tuple[str, int | None, int | None]], prices: Mapping[str, Price]) -> TokenUse:
    """Sum up answers: the model, the tokens of the prompt, those of the answer; None: not told."""
    found, told, cost = list(answers), [0, 0], 0.0
    untold, priced = 0, True
    for model, asked, answered in found:
        if asked is None or answered is None:
            untold += 1
            continue
        told[0] += asked
        told[1] += answered
        price = prices.get(model)
        priced = priced and price is not None
        cost += price.of(asked, answered) if price else 0.0
    known = bool(found) and priced and untold < len(found)
    return TokenUse(input_tokens=told[0], output_tokens=told[1], untold=untold, cost=cost if known else None)
