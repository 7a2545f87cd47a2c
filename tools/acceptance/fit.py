"""Fit the acceptance model: `make fit DATA="FIRST SECOND …"` writes `coefficients.toml`.

The first data set gives the rate of acceptance and the weights of all features that it covers. Each further data set gives only
the weights of features that no earlier one covers; the score so far is a column of its fit. A feature that a trial lacks is at
the mean. The fit is a logistic regression by maximum likelihood, without a penalty. It needs scikit-learn, which ghosttape
itself does not.

For example the score -0.63 + 0.32 · (3.7 - 3.2) = -0.47 gives the chance 1 / (1 + e^0.47) = 0.38.
"""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from replay.errors import ReplayError
from replay.play.users.acceptance.acceptance_model import BUNDLED, FORMAT, Coefficient, Model, Weights
from replay.play.users.acceptance.acceptance_trials import DataSet, Trial, decode, lines, read
from replay.play.users.acceptance.features import FEATURES
from replay.tapes.tape import read as read_tape
from tools.acceptance.from_study import trials_of_study
from tools.acceptance.from_tape import trials_of_tape
from tools.acceptance.quality import Floats, Scored, interval, quality, short

RESAMPLES = 1000
"""Bootstrap samples for each interval."""
_ARRAY = re.compile(r"\[(\n[^\[\]]*,\n\s*)\]")
HEAD = """\
# The acceptance model. Written by tools/acceptance/fit.py: do not change numbers here, run `make fit DATA=…`.
# docs/users.md says what the fields mean, and how far the figures carry.
#
# chance = 1 / (1 + e^-score),  score = intercept + the sum of coefficient * (x - center) over the features, where x is:
"""
FOOT = """\
# No x goes beyond `seen`. Features that are `unfitted` have no say. `quality` is on people who were left out, or stretches of
# five minutes where there is one person: `gain` is by how much the log-loss is below that of the mere rate; `calibration` has
# a line for each fifth of the trials, by chance: trials, mean chance, share that was accepted, its 95 % interval.
"""


@dataclass(frozen=True)
class FitStage:
    """One data set's part in a fit: the features `names`, beside the score of the earlier stages (`prior`)."""

    data: DataSet
    names: tuple[str, ...]
    prior: Weights | None

    def design(self) -> Floats:
        """A row for each trial: the centred features, and last the centred score so far, if there is one.

        The mean is that of the trials with the feature; the other trials are at the mean.
        """
        columns = [self._column(name) for name in self.names]
        if self.prior is not None:
            columns.append(self.so_far())
        return np.stack([np.nan_to_num(column - np.nanmean(column)) for column in columns], axis=1)

    def _column(self, name: str) -> Floats:
        """A feature of all trials; NaN where a trial lacks it."""
        return np.array([math.nan if (x := trial.scaled(name)) is None else x for trial in self.data.trials])

    def coefficients(self, fitted: Floats, intervals: Sequence[tuple[float, float]]) -> dict[str, Coefficient]:
        """The weights of the stage's features, from the columns of the fit."""
        columns = [self._column(name) for name in self.names]
        return {
            name: Coefficient(
                coefficient=_round(value),
                center=_round(np.nanmean(column)),
                seen=(_round(np.nanmin(column)), _round(np.nanmax(column))),
                interval=bounds,
                data=self.data.header.name,
            )
            for name, column, value, bounds in zip(self.names, columns, fitted, intervals, strict=True)
        }

    def so_far(self) -> Floats:
        """The score of each trial by the earlier stages."""
        prior = self.prior
        return np.array([prior.score(_values(trial, prior)) if prior else 0.0 for trial in self.data.trials])

    def accepted(self) -> NDArray[np.int64]:
        """1 for each accepted trial, else 0."""
        return np.array([trial.accepted for trial in self.data.trials], dtype=np.int64)

    def groups(self) -> NDArray[np.int64]:
        """The group of each trial: its person, or its stretch if there is one person."""
        return np.unique(self.data.groups(), return_inverse=True)[1].astype(np.int64)


def _values(trial: Trial, weights: Weights) -> dict[str, float | None]:
    return {name: trial.value(name) for name in weights.features}


def fit(data: Sequence[DataSet], *, resamples: int = RESAMPLES, seed: int = 0) -> Model:
    """A model from data sets; the first one sets the rate."""
    confident = [found for one in data if (found := _with_confidence(one)) is not None]
    return Model(
        format=FORMAT,
        data=tuple(_described(one) for one in data),
        without_confidence=_weights(data, [name for name in FEATURES if name != "confidence"], resamples, seed),
        with_confidence=_weights(confident, list(FEATURES), resamples, seed) if confident else None,
    )


def _with_confidence(data: DataSet) -> DataSet | None:
    """The trials with a confidence; None if they do not have both outcomes."""
    trials = tuple(trial for trial in data.trials if trial.confidence is not None)
    return DataSet(data.header, trials) if len({trial.accepted for trial in trials}) == 2 else None


def _described(data: DataSet) -> dict[str, object]:
    return {
        "name": data.header.name,
        "source": data.header.source,
        "trials": len(data.trials),
        "accepted": sum(trial.accepted for trial in data.trials),
        "people": len({trial.person for trial in data.trials}),
        "covers": list(data.covers()),
    }


def _weights(data: Sequence[DataSet], wanted: Sequence[str], resamples: int, seed: int) -> Weights:
    weights: Weights | None = None
    for one in data:
        new = tuple(
            name for name in wanted if name in one.covers() and name not in (weights.features if weights else ())
        )
        if new:
            weights = _staged(FitStage(one, new, weights), resamples, seed)
    if weights is None:
        raise ReplayError(f"nothing to fit: no trial has any of {', '.join(wanted)}")
    unfitted = tuple(name for name in wanted if name not in weights.features)
    return msgspec.structs.replace(weights, unfitted=unfitted)


def _staged(stage: FitStage, resamples: int, seed: int) -> Weights:
    """The weights so far and those of one stage."""
    design, accepted, groups = stage.design(), stage.accepted(), stage.groups()
    samples = redrawn(groups, accepted, resamples, seed)
    fitted = solve(design, accepted)
    drawn = np.array([solve(design[rows], accepted[rows]) for rows in samples])
    intervals = [interval(drawn[:, at]) for at in range(len(fitted))]
    before = None if stage.prior is None else stage.so_far()
    scored = Scored(stage.data.header.name, accepted, groups, left_out(design, accepted, groups), before)
    found = quality(scored, samples)
    if stage.prior is None:
        return Weights(
            intercept=_round(fitted[0]),
            interval=intervals[0],
            features=stage.coefficients(fitted[1:], intervals[1:]),
            quality=(found,),
        )
    found |= {"slope_before": short(fitted[-1]), "slope_before_interval": intervals[-1]}
    return msgspec.structs.replace(
        stage.prior,
        features=stage.prior.features | stage.coefficients(fitted[1:-1], intervals[1:-1]),
        quality=(*stage.prior.quality, found),
    )


def solve(design: Floats, accepted: NDArray[np.int64]) -> Floats:
    """The intercept and the coefficients of maximum likelihood."""
    spread = np.where(design.std(axis=0) > 0, design.std(axis=0), 1.0)
    regression = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a sample in which one feature separates the outcomes has no maximum
        regression.fit(design / spread, accepted)
    return np.concatenate([regression.intercept_, regression.coef_[0] / spread])


def left_out(design: Floats, accepted: NDArray[np.int64], groups: NDArray[np.int64]) -> Floats:
    """The chance of each trial by a fit on all other groups, and in the last column the others' rate of acceptance."""
    chances = np.empty((len(accepted), 2))
    for group in np.unique(groups):
        out, rest = groups == group, groups != group
        if not 0 < accepted[rest].mean() < 1:
            raise ReplayError("one person (or stretch) has all accepted trials, or all others: more data is needed")
        fitted = solve(design[rest], accepted[rest])
        chances[out, 0] = 1 / (1 + np.exp(-(fitted[0] + design[out] @ fitted[1:])))
        chances[out, 1] = accepted[rest].mean()
    return chances


def redrawn(
    groups: NDArray[np.int64], accepted: NDArray[np.int64], resamples: int, seed: int
) -> list[NDArray[np.int64]]:
    """Bootstrap samples of whole groups, as rows; samples with only one outcome are left out."""
    random = np.random.default_rng(seed)
    rows = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    samples = (
        np.concatenate([rows[at] for at in random.integers(len(rows), size=len(rows))]) for _ in range(resamples)
    )
    return [sample for sample in samples if 0 < accepted[sample].mean() < 1]


def _round(value: float | np.floating[Any]) -> float:
    return float(f"{value:.6g}")


def read_any(path: Path) -> DataSet:
    """Read a tape (`*.tape.jsonl`, `.gz`), states of the Copilot study, or trials."""
    if path.name.endswith((".tape.jsonl", ".tape.jsonl.gz")):
        return trials_of_tape(read_tape(path))
    number, first = next(lines(path), (1, b"{}"))
    return trials_of_study(path) if "measurements" in decode(path, number, first, dict) else read(path)


def text_of(model: Model) -> str:
    """The file of coefficients."""
    units = "".join(f"#   {name:<11} {feature.unit}\n" for name, feature in FEATURES.items())
    return HEAD + units + FOOT + "\n" + _ARRAY.sub(_on_one_line, msgspec.toml.encode(model).decode())


def _on_one_line(array: re.Match[str]) -> str:
    return "[" + ", ".join(re.split(r",\s*", array.group(1).strip().rstrip(","))) + "]"


def main(arguments: Sequence[str]) -> None:
    """Fit the bundled coefficients on these files, write them and print them."""
    if not arguments:
        sys.exit('name the data to fit on: make fit DATA="FIRST SECOND …" (docs/users.md)')
    try:
        text = text_of(fit([read_any(Path(name)) for name in arguments]))
    except ReplayError as error:
        sys.exit(str(error))
    BUNDLED.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
