"""Gates of a run, as for CI: a figure must reach a limit, or the run must not be worse than another.

Both go by 95 % intervals. A gate is `missed` if the interval lies wholly on the wrong side, `kept` if it lies wholly on the right one, else `unsure`. What
is missed fails; what is unsure fails only if that is wanted (`strict`). A figure that the run does not have is missed: what was not measured holds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from replay.errors import GateError
from replay.numbers.costs import known_cost
from replay.numbers.metrics import POINTS
from replay.numbers.paired.measures import LEVEL

GateOutcome: TypeAlias = Literal["kept", "missed", "unsure"]
RunStanding: TypeAlias = Literal["better", "equal", "worse", "unsure"]
"""How a run stands to another: `equal` is not worse by more than the margin, for sure."""
_Figure: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GateLimit:
    """What a figure of a run must reach: `figure` is a name of `FIGURES`, or one of `ADHERENCE` with an instruction behind a colon; shares are in [0, 1], latencies in ms."""

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


@dataclass(frozen=True, slots=True)
class _Kind:
    """A figure that can have a limit: how it is read from a summary, and which way it is good."""

    read: Callable[[Mapping[str, Any]], _Figure]
    is_gain: bool = True
    is_count: bool = False
    """A count is exact, and has no interval."""
    unit: str = ""


def _metric(name: str) -> Callable[[Mapping[str, Any]], _Figure]:
    return lambda summary: _member(summary, "metrics", name)


def _member(summary: Mapping[str, Any], *names: str) -> _Figure:
    found: Any = summary
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _saved(summary: Mapping[str, Any]) -> _Figure:
    found = _member(summary, "metrics", "keystrokes_saved")
    return {**found, "value": found.get("share")}


def _latency(point: int) -> Callable[[Mapping[str, Any]], _Figure]:
    def read(summary: Mapping[str, Any]) -> _Figure:
        found = _member(summary, "metrics", "latency_ms")
        return {
            end: found.get(f"p{point}{suffix}") for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high"))
        }

    return read


def _count(group: str, name: str) -> Callable[[Mapping[str, Any]], _Figure]:
    return lambda summary: {"value": _member(summary, group).get(name, 0)}


def _told(name: str) -> Callable[[Mapping[str, Any]], _Figure]:
    return lambda summary: {"value": known_cost(summary)[name]}


def _adherence(name: str, id_: str = "") -> Callable[[Mapping[str, Any]], _Figure]:
    """Of all instructions of the run together, or of one."""
    place = ("by_id", id_) if id_ else ("all",)
    return lambda summary: _member(summary, "instructions", *place, name)


def _kind(figure: str) -> _Kind | None:
    """What a figure is; None for none. Example: `adherence:avoid-recursion`."""
    name, colon, id_ = figure.partition(":")
    if colon:
        return _Kind(_adherence(name, id_)) if id_ and name in ADHERENCE else None
    return FIGURES.get(name)


ADHERENCE = ("adherence", "follows_and_passes")
"""Shares of the suggestions that instructions of developers concern (`replay.numbers.adherence`)."""
FIGURES: dict[str, _Kind] = {
    "pass_at_1": _Kind(_metric("pass_at_1")),
    "pass_by_hole": _Kind(_metric("pass_by_hole")),
    "passed_in_time": _Kind(_metric("passed_in_time")),
    "acceptance": _Kind(_metric("acceptance")),
    "keystrokes_saved": _Kind(_saved),
    "testable": _Kind(lambda summary: _member(summary, "metrics", "pass_at_1", "testable")),
    "exact": _Kind(lambda summary: _member(summary, "similarity", "exact")),
    "edit_similarity": _Kind(lambda summary: _member(summary, "similarity", "edit_similarity")),
    **{name: _Kind(_adherence(name)) for name in ADHERENCE},
    **{f"latency_p{point}": _Kind(_latency(point), is_gain=False, unit=" ms") for point in POINTS},
    "moments": _Kind(lambda summary: {"value": summary.get("moments")}, is_count=True),
    "failed": _Kind(_count("endings", "failed"), is_gain=False, is_count=True),
    "tokens": _Kind(_told("tokens"), is_gain=False, is_count=True),
    "cost": _Kind(_told("cost"), is_gain=False, is_count=True),
    "infrastructure": _Kind(_count("verdicts", "infrastructure"), is_gain=False, is_count=True),
}
"""The figures that can have a limit. Of those that are no gain (latency, failures) the limit is the most, of the others the least."""


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
            f"{text!r} is no gate: FIGURE=NUMBER, with one of {', '.join(FIGURES)}; of one instruction: adherence:ID"
        )
    scale = 0.01 if number.strip().endswith("%") else 1.0
    try:
        value = float(number.strip().removesuffix("%")) * scale
    except ValueError as error:
        raise GateError(f"{text!r} is no gate: {number.strip()!r} is no number") from error
    is_share = not kind.unit and not kind.is_count
    if not math.isfinite(value) or (is_share and abs(value) > 1):
        raise GateError(f"{text!r} is no gate: {name} is a share between 0 and 1 (0.3 or 30%)")
    return GateLimit(name, value)


def check_limit(limit: GateLimit, summary: Mapping[str, Any]) -> GateResult:
    """Return how a run stands to a limit, by its summary."""
    kind = _kind(limit.figure)
    assert kind is not None, limit.figure  # `limit_of` knows it
    found = kind.read(summary)
    value, low, high = (found.get(name) for name in ("value", "low", "high"))
    if value is None:
        return GateResult(limit.name, "missed", f"{limit.figure} was not measured in this run")
    if kind.is_count:
        low = high = value
    outcome = _outcome(low, high, limit.number, is_gain=kind.is_gain)
    wanted = f"{'at least' if kind.is_gain else 'at most'} {limit.number:g}{kind.unit}"
    ends = "" if kind.is_count else f" (95 % {_end(low, kind)} to {_end(high, kind)})"
    told = {"kept": "", "missed": "it is not: ", "unsure": "the interval holds both: "}[outcome]
    says = f"{limit.figure} must be {wanted}; {told}{_number(value, kind)}{kind.unit}{ends}"
    return GateResult(limit.name, outcome, says, value, low, high)


def _outcome(low: float | None, high: float | None, limit: float, *, is_gain: bool) -> GateOutcome:
    """An end that is not known may lie anywhere."""
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    if not is_gain:
        least, most, limit = -most, -least, -limit
    return "kept" if least >= limit else "missed" if most < limit else "unsure"


def _number(value: float, kind: _Kind) -> str:
    if kind.is_count:
        return f"{value:,g}" if value < 1000 else f"{value:,.0f}"
    return f"{value:,.0f}" if kind.unit else f"{value:.3f}"


def _end(value: float | None, kind: _Kind) -> str:
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
