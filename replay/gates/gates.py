"""Gates of a run, as for CI: a figure must reach a limit, or the run must not be worse than another.

Both go by 95 % intervals. A gate is `missed` if the interval lies wholly on the wrong side, `kept` if it lies wholly on the right one, else `unsure`. What
is missed fails; what is unsure fails only if that is wanted (`strict`). A figure that the run does not have is missed: what was not measured holds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from replay.errors import GateError
from replay.numbers.figures import FIGURES, FigureKind
from replay.numbers.paired.measures import LEVEL

GateOutcome: TypeAlias = Literal["kept", "missed", "unsure"]
RunStanding: TypeAlias = Literal["better", "equal", "worse", "unsure"]
"""How a run stands to another: `equal` is not worse by more than the margin, for sure."""


@dataclass(frozen=True, slots=True)
class GateLimit:
    """What a figure of a run must reach: `figure` is a name of `LIMITED`, or one of `ADHERENCE` with an instruction behind a colon; shares are in [0, 1], latencies in ms."""

    figure: str
    number: float

    @property
    def instruction(self) -> str | None:
        """The instruction that an adherence is of, "" for all together; None where the figure is no adherence."""
        name, _, id_ = self.figure.partition(":")
        return id_ if name in ADHERENCE else None

    @property
    def name(self) -> str:
        """The gate as a person writes it."""
        return f"{self.figure}={self.number:g}"


@dataclass(frozen=True, slots=True)
class GateResult:
    """How a gate came out."""

    gate: str
    """Its name: `pass_at_1=0.3`, or `not worse than baseline`."""
    outcome: GateOutcome
    says: str
    """One sentence with the numbers."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    standing: RunStanding | None = None
    """Of a comparison."""

    def fails(self, *, strict: bool) -> bool:
        """Whether the command that was given this gate ends with a failure."""
        return self.outcome == "missed" or (strict and self.outcome == "unsure")


LIMITED: Mapping[str, FigureKind] = {kind.name: kind for kind in FIGURES if kind.where}
"""The figures that can have a limit. Of those that are no gain (latency, failures) the limit is the most, of the others the least."""
ADHERENCE = ("adherence", "follows_and_passes")
"""Shares of the suggestions that instructions of developers concern (`replay.numbers.adherence`); each can be of one instruction."""


def _kind(figure: str) -> FigureKind | None:
    """What a figure is; None for none. Example: `adherence:avoid-recursion`."""
    name, colon, id_ = figure.partition(":")
    if not colon:
        return LIMITED.get(name)
    return replace(LIMITED[name], place=("instructions", "by_id", id_, name)) if id_ and name in ADHERENCE else None


def limit_of(text: str) -> GateLimit:
    """Read a limit. Examples: `pass_at_1=0.30`, `pass_at_1=30%`, `latency_p95=800`, `adherence:avoid-recursion=0.9`.

    Raises:
        GateError: there is no such figure, or no such number.

    """
    name, sign, number = text.partition("=")
    name = name.strip()
    kind = _kind(name)
    if not sign or kind is None:
        raise GateError(
            f"{text!r} is no gate: FIGURE=NUMBER, with one of {', '.join(LIMITED)}; of one instruction: adherence:ID"
        )
    scale = 0.01 if number.strip().endswith("%") else 1.0
    try:
        value = float(number.strip().removesuffix("%")) * scale
    except ValueError as error:
        raise GateError(f"{text!r} is no gate: {number.strip()!r} is no number") from error
    if not math.isfinite(value) or (kind.unit == "share" and abs(value) > 1):
        raise GateError(f"{text!r} is no gate: {name} is a share between 0 and 1 (0.3 or 30%)")
    return GateLimit(name, value)


def check_limit(limit: GateLimit, summary: Mapping[str, Any]) -> GateResult:
    """Return how a run stands to a limit, by its summary."""
    kind = _kind(limit.figure)
    assert kind is not None, limit.figure  # `limit_of` knows it
    found = kind.read(summary)
    value, low, high = found.value, found.low, found.high
    if value is None:
        return GateResult(limit.name, "missed", f"{limit.figure} was not measured in this run")
    if kind.unit == "count":
        low = high = value
    outcome = _outcome(low, high, limit.number, is_gain=kind.is_gain)
    unit = " ms" if kind.unit == "ms" else ""
    wanted = f"{'at least' if kind.is_gain else 'at most'} {limit.number:g}{unit}"
    ends = "" if kind.unit == "count" else f" (95 % {_end(low, kind)} to {_end(high, kind)})"
    told = {"kept": "", "missed": "it is not: ", "unsure": "the interval holds both: "}[outcome]
    says = f"{limit.figure} must be {wanted}; {told}{_number(value, kind)}{unit}{ends}"
    return GateResult(limit.name, outcome, says, value, low, high)


def _outcome(low: float | None, high: float | None, limit: float, *, is_gain: bool) -> GateOutcome:
    """An end that is not known may lie anywhere."""
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    if not is_gain:
        least, most, limit = -most, -least, -limit
    return "kept" if least >= limit else "missed" if most < limit else "unsure"


def _number(value: float, kind: FigureKind) -> str:
    if kind.unit == "count":
        return f"{value:,g}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,.0f}" if kind.unit == "ms" else f"{value:.3f}"


def _end(value: float | None, kind: FigureKind) -> str:
    return "unknown" if value is None else _number(value, kind)


def check_against(found: Mapping[str, Any], margin: float) -> GateResult:
    """Return how a run stands to another, by the document of `replay.numbers.comparison.compare` with the other as its first run.

    `margin` is the loss of tests passed that is put up with, as a share. The run is `worse` if the whole interval of the difference lies below it and the two runs
    are told apart (p below 0.05, as in compare); `unsure` if a part does, or they are not. Where other runs are compared beside it, p is adjusted by Holm for their
    number, and the interval is the one that holds with theirs together (Bonferroni).
    """
    name, difference = f"not worse than {found['runs'][0]}", found["difference"]
    value, low, high = difference["net"]["value"], difference["together"]["low"], difference["together"]["high"]
    if value is None:
        return GateResult(name, "missed", "no moment could be tested in both runs", standing="unsure")
    standing = _standing(low, high, difference["p_adjusted"], margin)
    outcome: GateOutcome = {"worse": "missed", "unsure": "unsure"}.get(standing, "kept")  # type: ignore[assignment]
    says = f"{_standing_words(standing, margin)}: {100 * value:+.1f} points in tests passed ({_sureness(difference)}), over {difference['n']:,} moments"
    return GateResult(name, outcome, says, value, low, high, standing)


def _sureness(difference: Mapping[str, Any]) -> str:
    """The interval and p, as `95 % +1.0 to +5.0, p 0.003`; of several comparisons it is said that both are for all of them."""
    together, of = difference["together"], difference["of"]
    interval = f"95 % {_points(together['low'])} to {_points(together['high'])}"
    p = f"p {_chance(difference['p_adjusted'])}"
    if of == 1:
        return f"{interval}, {p}"
    return f"{interval} for all {of} comparisons together, that is {100 * together['confidence']:.4g} % for each; {p}, adjusted by Holm"


def _standing(low: float | None, high: float | None, p: float | None, margin: float) -> RunStanding:
    """As compare says it: `better` and `worse` only where the interval does not hold 0 and p is below 0.05."""
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    are_apart = p is not None and p < LEVEL and (least > 0 or most < 0)
    if least > 0 and are_apart:
        return "better"
    if most < -margin and are_apart:
        return "worse"
    return "equal" if least >= -margin and (margin > 0 or least <= 0) else "unsure"


def _chance(p: float | None) -> str:
    return "unknown" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _standing_words(standing: RunStanding, margin: float) -> str:
    points = f"{100 * margin:g} points"
    return {
        "better": "it is better",
        "equal": f"it is not worse by more than {points}",
        "worse": f"it is worse by more than {points}",
        "unsure": f"it may be worse by more than {points}, or not",
    }[standing]


def _points(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:+.1f}"


def any_fails(results: Sequence[GateResult], *, strict: bool) -> bool:
    """Return whether a command with these gates ends with a failure."""
    return any(result.fails(strict=strict) for result in results)
