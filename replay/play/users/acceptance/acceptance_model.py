"""The acceptance model: how likely it is that a suggestion is accepted, by what the person can see of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from replay.play.users.acceptance.errors import CoefficientsError
from replay.play.users.acceptance.features import FEATURES
from replay.play.users.offers import Offer

BUNDLED = Path(__file__).with_name("coefficients.toml")
"""The coefficients that come with ghosttape; the file says what they were fitted on."""
FORMAT = 1


class Coefficient(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weight of one feature. `interval` is its 95 % interval, `data` names the data set that it was fitted on.

    `seen` is from the least to the greatest value that it was fitted on, on the feature's scale. A value beyond counts as
    that end: nothing is known of what lies there.
    """

    coefficient: float
    center: float
    seen: tuple[float, float] = (-math.inf, math.inf)
    interval: tuple[float, float] | None = None
    data: str = ""


class Weights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A logistic function. `unfitted` are features that no data covered; they have no say. `quality` is for readers."""

    intercept: float
    interval: tuple[float, float] | None = None
    unfitted: tuple[str, ...] = ()
    features: dict[str, Coefficient]
    quality: tuple[dict[str, Any], ...] = ()

    def score(self, values: Mapping[str, float | None]) -> float:
        """The log-odds of an acceptance: `intercept + Σ coefficient · (scaled value - center)`.

        A value that is missing stands at the center, so that it changes nothing.
        """
        return self.intercept + sum(self._term(name, values.get(name)) for name in self.features)

    def _term(self, name: str, value: float | None) -> float:
        if value is None:
            return 0.0
        weight = self.features[name]
        low, high = weight.seen
        return weight.coefficient * (min(max(FEATURES[name].scale(value), low), high) - weight.center)


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two sets of weights: for suggestions whose provider tells its confidence, and for the others."""

    format: int
    data: tuple[dict[str, Any], ...] = ()
    without_confidence: Weights
    with_confidence: Weights | None = None

    def probability(self, offer: Offer) -> float:
        """The chance in [0, 1] that an offer is accepted."""
        knows = offer.confidence is not None and self.with_confidence is not None
        weights = self.with_confidence if knows and self.with_confidence else self.without_confidence
        return logistic(weights.score({name: FEATURES[name].measure(offer) for name in weights.features}))


def logistic(score: float) -> float:
    """1 / (1 + e^-score), without overflow."""
    return 1 / (1 + math.exp(-score)) if score >= 0 else 1 - 1 / (1 + math.exp(score))


def load(path: Path) -> Model:
    """Read a file of coefficients (docs/users.md describes it).

    Raises:
        CoefficientsError: it is missing, is no TOML, lacks something, or names a feature that is not known.

    """
    try:
        model = msgspec.toml.decode(path.read_bytes(), type=Model)
    except OSError as error:
        raise CoefficientsError(f"{path}: coefficients cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CoefficientsError(f"{path}: these are no coefficients of an acceptance model: {error}") from error
    _check(path, model)
    return model


def _check(path: Path, model: Model) -> None:
    if model.format != FORMAT:
        raise CoefficientsError(f"{path}: format {model.format} is not known, only {FORMAT} is: fit it again")
    for name, weights in (("without_confidence", model.without_confidence), ("with_confidence", model.with_confidence)):
        for fault in _faults(name, weights) if weights else ():
            raise CoefficientsError(f"{path}: {fault}")


def _faults(name: str, weights: Weights) -> Iterator[str]:
    """What is wrong with a set of weights that is well-formed."""
    if not math.isfinite(weights.intercept):
        yield f"{name}.intercept is {weights.intercept}, and must be finite"
    for feature in (*weights.features, *weights.unfitted):
        if feature not in FEATURES:
            yield f"{name} names the feature {feature!r}, which is not known: choose from {', '.join(FEATURES)}"
    for feature, weight in weights.features.items():
        if feature in weights.unfitted:
            yield f"{name}.features.{feature} is among the unfitted as well: leave it out of one of them"
        if not math.isfinite(weight.coefficient) or not math.isfinite(weight.center):
            yield f"{name}.features.{feature} has {weight.coefficient} and {weight.center}, and they must be finite"
    if name == "without_confidence" and "confidence" in weights.features:
        yield f"{name} is for suggestions of unknown confidence and cannot weigh it"
