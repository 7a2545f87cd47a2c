"""The figures of a run: shares and the median latency, each with its 95 % interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

from replay.records import ANSWERED, Effort, Record

CONFIDENCE = 0.95
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for `CONFIDENCE`."""
POINTS = (50, 75, 90, 95, 99)
OF_THE_RECORD = "not measured: answers were read from a record; with --latency fixed:MS they take as long as you say"
UNJUDGED = frozenset({"untestable", "infrastructure"})
"""Verdicts that say nothing about an answer."""


def share(successes: int, n: int) -> dict[str, float | int | None]:
    """A plain share with its Wilson interval (Wilson 1927): value, low, high in [0, 1] and n.

    With n = 0 there is no value: value, low and high are None. The interval equals that of scipy's `binomtest`, to the last
    bit; scipy is not used because loading it takes longer than many runs. Example: 8 of 10 is 0.8, from 0.490 to 0.943.
    """
    if n == 0:
        return {"value": None, "low": None, "high": None, "n": 0}
    value = successes / n
    whole = 2 * (n + _Z**2)
    center, half = (2 * n * value + _Z**2) / whole, _Z / whole * sqrt(4 * n * value * (1 - value) + _Z**2)
    low, high = center - half if successes else 0.0, center + half if successes < n else 1.0
    return {"value": value, "low": low, "high": high, "n": n}


def pass_at_1(records: Iterable[Record]) -> dict[str, float | int | None]:
    """The share of testable moments whose suggestion passes the project's tests (pass@1, Chen et al. 2021, n = k = 1).

    A moment counts if the provider answered, with or without text, and if the tests notice the hole. Untestable moments,
    failures of the infrastructure and cancelled requests do not count.
    """
    judged = [record.verdict.name for record in records if record.verdict and record.verdict.name not in UNJUDGED]
    return share(judged.count("passed"), len(judged))


def passed_in_time(records: Iterable[Record]) -> dict[str, float | int | None]:
    """As `pass_at_1`, but an answer that came too late to be shown counts as not passed."""
    judged = [record for record in records if record.verdict and record.verdict.name not in UNJUDGED]
    in_time = [
        record
        for record in judged
        if record.verdict and record.verdict.name == "passed" and record.ending.name != "late"
    ]
    return share(len(in_time), len(judged))


def acceptance(records: Iterable[Record]) -> dict[str, float | int | None]:
    """The share of shown suggestions that the user accepted, whole or in part."""
    shown = [record.ending.name for record in records if record.ending.name in ANSWERED - {"late", "empty", "filtered"}]
    return share(sum(name in {"accepted", "part"} for name in shown), len(shown))


def latency_ms(records: Iterable[Record]) -> dict[str, float | int | None]:
    """Quantiles (linear interpolation, Hyndman & Fan type 7) of the latency of every answer, in ms, as laid on the clock.

    A cancelled request has no answer. If the policy cancels, only answers that came before the next key count.

    The interval of the median is the binomial interval of order statistics, as in scipy's `quantile_test`.
    """
    values = sorted(
        record.suggestion.latency for record in records if record.suggestion and record.ending.name != "failed"
    )
    if not values:
        return {"n": 0}
    import numpy as np

    points = {f"p{point}": float(np.percentile(values, point)) for point in POINTS}
    below = _fewest_heads(len(values))
    low, high = (values[below - 1], values[-below]) if below else (None, None)
    return {**points, "p50_low": low, "p50_high": high, "n": len(values)}


def _fewest_heads(tosses: int) -> int:
    """The 2.5 % quantile of the number of heads in so many tosses of a coin. Example: 2 for 10 tosses."""
    likely, ways, heads = (1 - CONFIDENCE) / 2, 1, 0
    wanted = Fraction(likely) * 2**tosses
    total = ways
    while total < wanted:
        ways = ways * (tosses - heads) // (heads + 1)
        heads += 1
        total += ways
    return heads


def unmeasured(latency: Mapping[str, Any]) -> dict[str, Any]:
    """The quantiles of a run whose answers were read from a file: nulls and a note, because reading a file says nothing of the model."""
    names = [*(f"p{point}" for point in POINTS), "p50_low", "p50_high"]
    return dict.fromkeys(names) | {"n": latency["n"], "note": OF_THE_RECORD}


def keystrokes_saved(records: Iterable[Record], typed: int) -> dict[str, int]:
    """The share of keystrokes saved: edits that accepted suggestions made unnecessary, minus the keys for accepting, over `typed` edits.

    In judge mode the moments are independent, so several suggestions can save the same edits. Each edit counts once: as in
    an editor, a moment inside text that an earlier suggestion wrote is left out.
    """
    saved, needless = 0, set[tuple[str, int]]()
    for record in sorted(records, key=_as_met):
        edits = {(record.moment.tape, event) for event in record.covered}
        if edits and not edits & needless:
            needless |= edits
            saved += len(edits) - record.keys
    return {"value": saved, "of": typed}


def _as_met(record: Record) -> tuple[str, int, int, str]:
    """The order in which a person sees the suggestions: by place on the tape; at one place the longest first."""
    return record.moment.tape, record.moment.event, -len(record.covered), record.moment.id


def driven(efforts: Sequence[Effort]) -> dict[str, Any]:
    """Keystrokes saved in drive mode: keys on the tapes minus keys needed, and the share of this in the keys on the tapes.

    The interval of the share is a percentile bootstrap by tape (Efron 1979, by scipy, 9,999 samples, seed 0); a single
    tape gives none.
    """
    keys, saved = [effort.tape for effort in efforts], [effort.saved for effort in efforts]
    low, high = _by_tape(saved, keys)
    share_saved = sum(saved) / sum(keys) if sum(keys) else None
    return {"value": sum(saved), "of": sum(keys), "share": share_saved, "low": low, "high": high}


def _by_tape(parts: Sequence[int], wholes: Sequence[int]) -> tuple[float | None, float | None]:
    if len(wholes) < 2 or not all(wholes):
        return None, None
    import numpy as np
    from scipy import stats

    def ratio(part: Any, whole: Any, axis: int = -1) -> Any:
        return np.sum(part, axis=axis) / np.sum(whole, axis=axis)

    interval = stats.bootstrap(
        (parts, wholes), ratio, paired=True, vectorized=True, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    return float(interval.low), float(interval.high)


def summary(
    records: Sequence[Record],
    typed: Mapping[str, int],
    efforts: Mapping[str, Effort] | None = None,
    *,
    measured: bool = True,
) -> dict[str, Any]:
    """All figures of a run.

    `typed` is the number of edits by hand on each tape, `efforts` the keys of each tape in drive mode.

    `measured` is false if answers were read from a record: then the latency has no value.
    """
    figures = _summed(records, typed)
    for one in () if measured else (figures, *figures["tapes"].values()):
        one["metrics"]["latency_ms"] = unmeasured(one["metrics"]["latency_ms"])
    real = {tape: effort for tape, effort in (efforts or {}).items() if effort.tape or effort.accepts}
    for tape, effort in real.items():
        _put_driven(figures["tapes"][tape], [effort])
    if real:
        _put_driven(figures, list(real.values()))
    return figures


def _put_driven(figures: dict[str, Any], efforts: Sequence[Effort]) -> None:
    figures["metrics"]["keystrokes_saved"] = driven(efforts)
    figures["effort"] = {name: sum(getattr(one, name) for one in efforts) for name in Effort.__struct_fields__}


def _summed(records: Sequence[Record], typed: Mapping[str, int]) -> dict[str, Any]:
    whole = _figures(records, sum(typed.values()))
    by_tape = {tape: [record for record in records if record.moment.tape == tape] for tape in typed}
    return {**whole, "tapes": {tape: _figures(own, typed[tape]) for tape, own in by_tape.items()}}


def counted(names: Iterable[str]) -> dict[str, int]:
    """Name → number of times that it occurs; the most frequent first, equal counts in alphabetical order."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _figures(records: Sequence[Record], typed: int) -> dict[str, Any]:
    verdicts = [record.verdict for record in records if record.verdict]
    return {
        "moments": len(records),
        "endings": counted(record.ending.name for record in records),
        "reasons": counted(str(record.ending) for record in records if record.ending.reason),
        "verdicts": counted(verdict.name for verdict in verdicts if verdict.name != "untestable"),
        "untestable": counted(verdict.reason for verdict in verdicts if verdict.name == "untestable"),
        "metrics": {
            "pass_at_1": pass_at_1(records),
            "passed_in_time": passed_in_time(records),
            "acceptance": acceptance(records),
            "keystrokes_saved": keystrokes_saved(records, typed),
            "latency_ms": latency_ms(records),
        },
    }
