"""The quality of a fit, on trials of people (or stretches) that were left out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score

BINS = 5
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scored:
    """Trials with their chances by fits without their group."""

    name: str
    """The data set."""
    accepted: Rows
    """1 for each accepted trial, else 0."""
    groups: Rows
    """The group of each trial."""
    chances: Floats
    """Two columns: the chance by the features, and the others' rate of acceptance."""
    before: Floats | None = None
    """The score by the earlier data sets, if there are any."""

    def measures(self) -> Mapping[str, Callable[[Rows], float]]:
        """Name of a measure → function of the rows that it is computed on."""
        accepted, chances, before = self.accepted, self.chances, self.before
        measures: dict[str, Callable[[Rows], float]] = {
            "auc": lambda rows: float(roc_auc_score(accepted[rows], chances[rows, 0])),
            "log_loss": lambda rows: _loss(accepted[rows], chances[rows, 0]),
            "log_loss_of_rate": lambda rows: _loss(accepted[rows], chances[rows, 1]),
            "gain": lambda rows: _loss(accepted[rows], chances[rows, 1]) - _loss(accepted[rows], chances[rows, 0]),
        }
        if before is not None:
            measures["auc_before"] = lambda rows: float(roc_auc_score(accepted[rows], before[rows]))
        return measures


def _loss(accepted: Rows, chances: Floats) -> float:
    return float(log_loss(accepted, chances, labels=[0, 1]))


def quality(scored: Scored, samples: Sequence[Rows]) -> dict[str, Any]:
    """AUC, log-loss and calibration, each with its 95 % interval from samples of whole groups."""
    figures: dict[str, Any] = {}
    for name, measure in scored.measures().items():
        figures[name] = short(measure(np.arange(len(scored.accepted))))
        figures[f"{name}_interval"] = interval([measure(rows) for rows in samples])
    return {
        "data": scored.name,
        "trials": len(scored.accepted),
        "left_out": int(scored.groups.max()) + 1,
        **figures,
        "calibration": [_bin(scored, rows, samples) for rows in bins(scored.chances[:, 0])],
    }


def bins(chances: Floats) -> list[Rows]:
    """The rows sorted by chance, in equal parts."""
    return [part.astype(np.int64) for part in np.array_split(np.argsort(chances, kind="stable"), BINS)]


def _bin(scored: Scored, rows: Rows, samples: Sequence[Rows]) -> list[float]:
    """A line of the calibration table: trials, mean chance, share that was accepted, and its interval."""
    inside = np.zeros(len(scored.accepted), dtype=bool)
    inside[rows] = True
    drawn = [sample[inside[sample]] for sample in samples]
    shares = [float(scored.accepted[sample].mean()) for sample in drawn if len(sample)]
    mean, share = float(scored.chances[rows, 0].mean()), float(scored.accepted[rows].mean())
    return [len(rows), short(mean), short(share), *interval(shares)]


def interval(values: Sequence[float] | Floats) -> tuple[float, float]:
    """From the 2.5th to the 97.5th percentile."""
    low, high = np.percentile(values, [2.5, 97.5])
    return short(float(low)), short(float(high))


def short(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")
