"""What the numbers of a run are, and how sure they are: shares and the median latency with their 95 % interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replay.records import ANSWERED, Effort, Record

CONFIDENCE = 0.95
POINTS = (50, 75, 90, 95, 99)
OF_THE_RECORD = "not measured: answers were read from a record; with --latency fixed:MS they take as long as you say"
_NOT_TESTED = {"untestable", "infrastructure"}


def share(successes: int, n: int) -> dict[str, float | int | None]:
    """A plain share with its Wilson interval (Wilson 1927, by scipy): value, low, high in [0, 1] and n.

    With n = 0 there is no value: value, low and high are None.
    """
    from scipy import stats  # takes over a second to load: not before a run has something to sum up

    if n == 0:
        return {"value": None, "low": None, "high": None, "n": 0}
    interval = stats.binomtest(successes, n).proportion_ci(CONFIDENCE, method="wilson")
    return {"value": successes / n, "low": float(interval.low), "high": float(interval.high), "n": n}


def pass_at_1(records: Iterable[Record]) -> dict[str, float | int | None]:
    """The share of testable moments whose suggestion passes the project's tests (pass@1, Chen et al. 2021, n = k = 1).

    Counted are moments at which the provider answered, with text or with nothing, and whose hole the tests notice.
    Untestable moments and failures of the infrastructure are no part of it; nor are requests that were given up.
    """
    judged = [record.verdict.name for record in records if record.verdict and record.verdict.name not in _NOT_TESTED]
    return share(judged.count("passed"), len(judged))


def passed_in_time(records: Iterable[Record]) -> dict[str, float | int | None]:
    """As `pass_at_1`, but what came too late to be shown counts as not passed."""
    judged = [record for record in records if record.verdict and record.verdict.name not in _NOT_TESTED]
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

    Requests that were given up have no answer: where a policy cancels, these are the answers quicker than the next key.

    The interval of the median is the binomial one of order statistics (scipy `quantile_test`).
    """
    values = sorted(
        record.suggestion.latency for record in records if record.suggestion and record.ending.name != "failed"
    )
    if not values:
        return {"n": 0}
    import numpy as np
    from scipy import stats

    points = {f"p{point}": float(np.percentile(values, point)) for point in POINTS}
    interval = stats.quantile_test(values, p=0.5).confidence_interval(CONFIDENCE)
    return {**points, "p50_low": _finite(interval.low), "p50_high": _finite(interval.high), "n": len(values)}


def unmeasured(latency: Mapping[str, Any]) -> dict[str, Any]:
    """Quantiles of a run whose answers were read from a file: nulls and a note, for they would be the file's and not the model's."""
    names = [*(f"p{point}" for point in POINTS), "p50_low", "p50_high"]
    return dict.fromkeys(names) | {"n": latency["n"], "note": OF_THE_RECORD}


def _finite(value: float) -> float | None:
    return float(value) if value == value else None  # noqa: PLR0124 - only NaN differs from itself


def keystrokes_saved(records: Iterable[Record], typed: int) -> dict[str, int]:
    """Edits of the tape that accepted suggestions made needless, less the keys for accepting them, of all `typed` edits.

    In judge mode the moments are independent, so one stretch of typing could be saved by several of them. It is counted
    once: as in an editor, a moment inside a stretch that an earlier suggestion has already written does not come up.
    """
    saved, needless = 0, set[tuple[str, int]]()
    for record in sorted(records, key=_as_met):
        edits = {(record.moment.tape, event) for event in record.covered}
        if edits and not edits & needless:
            needless |= edits
            saved += len(edits) - record.keys
    return {"value": saved, "of": typed}


def _as_met(record: Record) -> tuple[str, int, int, str]:
    """The order in which a person meets the suggestions: by place on the tape, and there the longest first."""
    return record.moment.tape, record.moment.event, -len(record.covered), record.moment.id


def driven(efforts: Sequence[Effort]) -> dict[str, Any]:
    """Keystrokes saved in drive mode: keys on the tapes less keys really needed, and their share of the keys on the tapes.

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
    """All figures of a run; `typed` gives for each tape how many edits the person made by hand, `efforts` what a driven one took.

    `measured` is off where the latency would be that of reading recorded answers: then it has no value.
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


def _counted(names: Iterable[str]) -> dict[str, int]:
    """How often each name comes, the most frequent first, names of one count by the alphabet."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _figures(records: Sequence[Record], typed: int) -> dict[str, Any]:
    verdicts = [record.verdict for record in records if record.verdict]
    return {
        "moments": len(records),
        "endings": _counted(record.ending.name for record in records),
        "reasons": _counted(str(record.ending) for record in records if record.ending.reason),
        "verdicts": _counted(verdict.name for verdict in verdicts if verdict.name != "untestable"),
        "untestable": _counted(verdict.reason for verdict in verdicts if verdict.name == "untestable"),
        "metrics": {
            "pass_at_1": pass_at_1(records),
            "passed_in_time": passed_in_time(records),
            "acceptance": acceptance(records),
            "keystrokes_saved": keystrokes_saved(records, typed),
            "latency_ms": latency_ms(records),
        },
    }
