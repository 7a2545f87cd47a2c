"""How fast and how busy the machine is while a model's time is measured on it.

A calibration is taken when a run begins and after each of its sources. Measured latencies decide endings, so a run that shared its machine
with other work, or on a machine that changed its speed, is not the run that a quiet one would have been: it says so.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from statistics import median
from typing import Any

import msgspec

REPEATS = 9
_STEPS = 30_000
CHANGE = 1.25
"""The ratio of two speeds above which the machine has changed its speed."""
CONTENTION = 1.5
"""The ratio of the middle to the best time of one calibration above which other work took turns with it."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """The machine at one time. `load` is the load average of the last minute (None: this system has none), `processors` those we may use.

    `best_ms` and `middle_ms` are the shortest and the median time of a short fixed computation.
    """

    when: str
    """`start`, or the source that has just been played."""
    load: float | None
    processors: int
    best_ms: float
    middle_ms: float


def calibrate(when: str, clock: Callable[[], float] = time.perf_counter) -> Calibration:
    """Look at the machine, for some 70 ms."""
    times = [_timed(clock) for _ in range(REPEATS)]
    return Calibration(
        when=when,
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        processors=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        best_ms=round(min(times), 3),
        middle_ms=round(median(times), 3),
    )


def _timed(clock: Callable[[], float]) -> float:
    """The ms of a chain of 30,000 SHA-256."""
    began, digest = clock(), b""
    for _ in range(_STEPS):
        digest = hashlib.sha256(digest).digest()
    return (clock() - began) * 1000


def described(processes: Sequence[Sequence[Calibration]]) -> dict[str, Any]:
    """What a summary says of the machine: the calibrations of each process of the run in turn, and `warnings` (empty: it was quiet)."""
    found = [*chain.from_iterable(processes)]
    busy = chain.from_iterable(_busy_at_start(process) for process in processes if process)
    warned = [*busy, *_contended(found), *_changed(found)] if found else []
    return {"calibrations": msgspec.to_builtins(found), "warnings": warned}


def _busy_at_start(process: Sequence[Calibration]) -> Iterator[str]:
    """Only the first calibration counts: later the load is that of the run itself."""
    first = process[0]
    if first.load is not None and first.load > first.processors - 1:
        yield (
            f"the machine was busy when the run began: load {first.load:.1f} on {_processors(first.processors)}, so the model "
            "had none to itself"
        )


def _processors(number: int) -> str:
    return f"{number} processor" + ("s" if number != 1 else "")


def _contended(found: Sequence[Calibration]) -> Iterator[str]:
    worst = max(found, key=lambda one: one.middle_ms / one.best_ms)
    if worst.middle_ms > CONTENTION * worst.best_ms:
        yield (
            f"other work took turns with this run ({worst.when}): a computation of {worst.best_ms:.1f} ms mostly took "
            f"{worst.middle_ms:.1f} ms"
        )


def _changed(found: Sequence[Calibration]) -> Iterator[str]:
    quick, slow = (pick(found, key=lambda one: one.middle_ms) for pick in (min, max))
    if slow.middle_ms > CHANGE * quick.middle_ms:
        yield (
            f"the machine changed its speed: the same computation took {quick.middle_ms:.1f} ms ({quick.when}) and "
            f"{slow.middle_ms:.1f} ms ({slow.when})"
        )
