"""How long an answer took, as laid onto the virtual clock."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import NormalDist

from replay.errors import ReplayError
from replay.records import Moment
from replay.tapes.clock import virtual_times
from replay.tapes.tape import Edit, Ghost, Open, Phase, Tape
from server.nearest import did_you_mean

_KINDS = ("measured", "tape", "fixed", "lognormal")


class LatencyError(ReplayError):
    """A latency model is none that is known, or the tape has none."""


@dataclass(frozen=True, slots=True)
class AnswerThen:
    """A request as it was answered in the tape's editor: after how many ms its answer came, and after how many it was shown.

    `shown` is infinite if it never was. If it was not answered (`answered`), both are longer than it was waited for.
    """

    came: float
    shown: float
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Latency:
    """A latency model. `draw` gives the ms of the answer to a request at a moment; None means: as measured on the wall.

    What is drawn depends on the seed and the moment alone, so that a request more or less changes no other. `then` is how
    a request that is asked again was answered, whether or not the server has that answer in its cache now.
    """

    name: str
    draw: Callable[[Moment], float | None]
    then: Callable[[Moment], AnswerThen | None] = lambda _: None


def share_of(seed: int, moment: Moment, what: str) -> float:
    """A number in [0, 1) that depends on the seed, the moment and the purpose alone."""
    digest = hashlib.sha256(f"{seed}:{what}:{moment.id}".encode()).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


def latency_of(text: str, seed: int, tape: Tape | None = None) -> Latency:
    """The model that a text names: `measured`, `fixed:MS`, `lognormal:MEDIAN,SIGMA`, or `tape`.

    `tape` takes the latency that the tape's own assistant had at the request that is asked again, or else at the nearest request with the same text in the documents:
    where it was answered, its own; where it was waited for in vain, a longer one than that, since the same question would
    have been as slow a little earlier. A request that is asked again takes until it was shown; `then` says besides when it came, and that it was never shown, if so: the
    policy of the tape's editor is part of what happened (`AnswerThen`). Elsewhere one drawn from all its requests (`_Drawn`). Without a tape only the text
    is checked.

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
        return Latency(text, lambda moment: 0.0) if tape is None else _of_tape(tape, seed)
    if kind == "fixed" and len(values) == 1 and 0 <= values[0] < math.inf:
        return Latency(text, lambda moment: values[0])
    if kind == "lognormal" and len(values) == 2 and 0 < values[0] < math.inf and 0 <= values[1] < math.inf:
        return Latency(text, lambda moment: _lognormal(values[0], values[1], share_of(seed, moment, "latency")))
    near = "" if kind in _KINDS else did_you_mean(kind, _KINDS)
    raise LatencyError(
        f"{text!r} is no latency{near}: say measured, tape, fixed:MS (fixed:80) or lognormal:MEDIAN,SIGMA (lognormal:250,0.6)"
    )


def _lognormal(median: float, sigma: float, share: float) -> float:
    """A draw of the log-normal distribution with this median (ms) and log standard deviation."""
    return median * math.exp(sigma * NormalDist().inv_cdf(max(share, 2**-57)))


def _of_tape(tape: Tape, seed: int) -> Latency:
    answered, waited = _requests(tape)
    shown = _after(tape, "empty") | _after(tape, "shown")
    if not answered:
        raise LatencyError(
            f"{tape.source}: its assistant answered nothing, so it has no latencies; choose another --latency"
        )
    drawn, asked = _Drawn(list(answered.values()), list(waited.values())), _Asked(tape)

    def took(moment: Moment, request: int) -> float:
        share = share_of(seed, moment, "latency")
        return answered[request] if request in answered else drawn.at(share, above=waited.get(request, -math.inf))

    def then(moment: Moment) -> AnswerThen | None:
        if moment.request is None:
            return None
        came = took(moment, moment.request)
        if moment.request not in answered:
            return AnswerThen(came, came, answered=False)
        return AnswerThen(came, shown.get(moment.request, math.inf))

    def draw(moment: Moment) -> float:
        if moment.request is None:
            return took(moment, asked.near(moment))
        return shown.get(moment.request, took(moment, moment.request))

    return Latency("tape", draw, then)


class _Asked:
    """The requests of a tape's assistant, by the document and the number of edits before them."""

    def __init__(self, tape: Tape) -> None:
        self.edits = [0, *accumulate(isinstance(event, Edit) for event in tape.events)]
        self._at: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
        paths: dict[int, str] = {}
        for index, event in enumerate(tape.events):
            if isinstance(event, Open):
                paths[event.doc] = event.path
            elif isinstance(event, Ghost) and event.phase == "asked":
                self._at[self.edits[index], paths[event.doc]].append((index, event.request))

    def near(self, moment: Moment) -> int:
        """The request nearest to a moment with the same texts as then; -1 if there is none."""
        if moment.event >= len(self.edits):
            return -1
        same = self._at.get((self.edits[moment.event], moment.path), ())
        return min(same, key=lambda one: abs(one[0] - moment.event), default=(-1, -1))[1]


def _requests(tape: Tape) -> tuple[dict[int, float], dict[int, float]]:
    """Request → ms: the latency of each that was answered, and how long each other one was waited for.

    Where the tape does not say when a request was given up, it was waited for until the next edit, or until the
    assistant was asked again.
    """
    answered = _after(tape, "shown") | _after(tape, "empty") | _after(tape, "answered")
    given_up = _given_up(tape)
    return answered, {**_overtaken(tape, answered.keys() | given_up.keys()), **given_up}


def _after(tape: Tape, phase: Phase) -> dict[int, float]:
    """Request → the ms after which it came to a phase first."""
    ghosts = [event for event in tape.events if isinstance(event, Ghost) and event.phase == phase]
    return {ghost.request: ghost.latency for ghost in reversed(ghosts)}


def _given_up(tape: Tape) -> dict[int, float]:
    """Requests that the tape's editor cancelled, and the ms until then: at least until the event that tells it."""
    asked: dict[int, float] = {}
    waited: dict[int, float] = {}
    for event, now in zip(tape.events, virtual_times(tape.events), strict=True):
        if isinstance(event, Ghost) and event.phase == "asked":
            asked[event.request] = now
        elif isinstance(event, Ghost) and event.phase == "cancelled":
            waited[event.request] = max(event.latency, now - asked.get(event.request, now))
    return waited


def _overtaken(tape: Tape, ended: Collection[int]) -> dict[int, float]:
    """Requests whose end is not on the tape, and the ms until the next edit or question."""
    open_now: dict[int, float] = {}
    waited: dict[int, float] = {}
    for event, now in zip(tape.events, virtual_times(tape.events), strict=True):
        asked = isinstance(event, Ghost) and event.phase == "asked"
        if asked or isinstance(event, Edit):
            waited |= {request: now - since for request, since in open_now.items()}
            open_now.clear()
        if isinstance(event, Ghost) and asked and event.request not in ended:
            open_now[event.request] = now
    return waited


class _Drawn:
    """The distribution of the latency, with requests that were given up counted as right-censored.

    Kaplan and Meier 1958 (scipy `ecdf`): to leave them out would make the assistant look faster than it was, as slow
    requests are those that typing overtakes. The curve steps at answers only; beyond its last step, where nobody waited
    long enough, the longest answer stands in.
    """

    def __init__(self, answered: Sequence[float], waited: Sequence[float]) -> None:
        from scipy import stats  # takes over a second to load

        curve = stats.ecdf(stats.CensoredData(uncensored=answered, right=waited)).cdf
        shares = [0.0, *map(float, curve.probabilities)]
        steps = [at for at, (before, share) in enumerate(pairwise(shares)) if share > before]
        self.known = [float(curve.quantiles[at]) for at in steps]
        self.shares = [shares[at + 1] for at in steps]

    def at(self, share: float, *, above: float = -math.inf) -> float:
        """The latency (ms) at a share in [0, 1) of those that are longer than `above` ms, and longer than that in any case."""
        below = bisect_right(self.known, above)
        passed = self.shares[below - 1] if below else 0.0
        found = bisect_left(self.shares, passed + share * (1 - passed), lo=min(below, len(self.known) - 1))
        return max(self.known[min(found, len(self.known) - 1)], math.nextafter(above, math.inf))
