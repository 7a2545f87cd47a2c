"""How long an answer took, as laid onto the virtual clock."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from replay.clock import virtual_times
from replay.errors import ReplayError
from replay.records import Moment
from replay.tape import Edit, Ghost, Tape


class LatencyError(ReplayError):
    """A latency model is none that is known, or the tape has none."""


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency model. `draw` gives the ms of the answer to a request at a moment; None means: as measured on the wall.

    What is drawn depends on the seed and the moment alone, so that a request more or less changes no other.
    """

    name: str
    draw: Callable[[Moment], float | None]


def share_of(seed: int, moment: Moment, what: str) -> float:
    """A number in [0, 1) that depends on the seed, the moment and the purpose alone."""
    digest = hashlib.sha256(f"{seed}:{what}:{moment.id}".encode()).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def latency_of(text: str, seed: int, tape: Tape | None = None) -> Latency:
    """The model that a text names: `measured`, `fixed:MS`, `lognormal:MEDIAN,SIGMA`, or `tape`.

    `tape` takes the latency that the tape's own assistant had at the very request, where there was one and it was
    answered, and the time that it was waited for in vain, where it was not; elsewhere one drawn from all its requests
    (`_quantiles`). Without a tape only the text is checked.

    Raises:
        LatencyError: the text is none of these, or the tape holds no answers.

    """
    kind, _, numbers = text.partition(":")
    try:
        values = [float(number) for number in numbers.split(",")] if numbers else []
    except ValueError:
        values = []
    if text == "measured":
        return Latency(text, lambda moment: None)
    if text == "tape":
        return Latency(text, _taken(tape, seed))
    if kind == "fixed" and len(values) == 1 and 0 <= values[0] < math.inf:
        return Latency(text, lambda moment: values[0])
    if kind == "lognormal" and len(values) == 2 and 0 < values[0] < math.inf and 0 <= values[1] < math.inf:
        return Latency(text, lambda moment: _lognormal(values[0], values[1], share_of(seed, moment, "latency")))
    raise LatencyError(
        f"{text!r} is no latency: say measured, tape, fixed:MS (fixed:80) or lognormal:MEDIAN,SIGMA (lognormal:250,0.6)"
    )


def _lognormal(median: float, sigma: float, share: float) -> float:
    """A draw of the log-normal distribution with this median (ms) and log standard deviation."""
    return median * math.exp(sigma * NormalDist().inv_cdf(max(share, 2**-57)))


def _taken(tape: Tape | None, seed: int) -> Callable[[Moment], float | None]:
    if tape is None:
        return lambda moment: 0.0
    answered, unanswered = _requests(tape)
    if not answered:
        raise LatencyError(
            f"{tape.source}: its assistant answered nothing, so it has no latencies; choose another --latency"
        )
    quantile = _quantiles(list(answered.values()), list(unanswered.values()))

    def draw(moment: Moment) -> float:
        asked = tape.events[moment.event] if moment.event < len(tape.events) else None
        own = {**answered, **unanswered}.get(asked.request) if isinstance(asked, Ghost) else None
        return quantile(share_of(seed, moment, "latency")) if own is None else own

    return draw


def _requests(tape: Tape) -> tuple[dict[int, float], dict[int, float]]:
    """Request → ms: the latency of each that was answered, and how long each other one was waited for.

    A request that shows nothing was waited for until the next edit, or until the assistant was asked again.
    """
    times = virtual_times(tape.events)
    shown = (event for event in tape.events if isinstance(event, Ghost) and event.phase == "shown")
    answered = {ghost.request: ghost.latency for ghost in shown}
    open_now: dict[int, float] = {}
    waited: dict[int, float] = {}
    for event, now in zip(tape.events, times, strict=True):
        asked = isinstance(event, Ghost) and event.phase == "asked"
        if asked or isinstance(event, Edit):
            waited |= {request: now - since for request, since in open_now.items()}
            open_now.clear()
        if isinstance(event, Ghost) and asked and event.request not in answered:
            open_now[event.request] = now
    return answered, waited


def _quantiles(answered: Sequence[float], waited: Sequence[float]) -> Callable[[float], float]:
    """The quantile function of the latency, with requests that were given up counted as right-censored.

    Kaplan and Meier 1958 (scipy `ecdf`): to leave them out would make the assistant look faster than it was, as slow
    requests are those that typing overtakes. Beyond the last answer the largest latency stands in.
    """
    from scipy import stats  # takes over a second to load

    curve = stats.ecdf(stats.CensoredData(uncensored=answered, right=waited)).cdf
    known = [float(value) for value in curve.quantiles]
    shares = [float(value) for value in curve.probabilities]
    return lambda share: known[min(bisect_left(shares, share), len(known) - 1)]
