"""What an ablation found: for each repair the tests gained and broken by it, the right suggestions it killed, and how sure that is.

An arm *passes* at a moment when it offers something, and the project's tests pass with that in place. A step is weighed by pairs:
a moment with all steps against the same moment without this one. A moment is in the pairs of a step when both have a
verdict; where the infrastructure failed in one of them the pair is left out, and counted apart. Of the pairs of a step are

* *gained*: with all steps it passes, without this step it does not;
* *broken*: with all steps it does not pass, without this step it does;
* *killed*: those of the broken whose raw text (no steps at all) passes. The answer was right, and the step spoilt it. The other broken
  ones had to be mended by another step first;
* *emptied*: those of the killed of which nothing was left.

The steps together are weighed in the same way, all against none. There each broken one is killed, for the raw text passed. These
numbers are no sums over the steps: what either of two steps mends is gained by neither alone, and what needs both is gained by each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from replay.numbers.metrics import CONFIDENCE, share
from replay.records import ALL, NONE, Trial, without

TOGETHER = "together"
Arms: TypeAlias = Mapping[str, Trial]
"""The trials of one moment by arm."""


def ablation(trials: Iterable[Trial], steps: Sequence[str]) -> dict[str, Any]:
    """All figures of an ablation: over all languages, by language, and the cases behind them.

    `moments` counts the testable ones, `infrastructure` the trials among them without a verdict. `arms` has the share of moments
    at which each arm passes (Wilson interval), `effects` what each step does, and all of them `together`.
    """
    moments = [arms for arms in _whole(trials, steps) if arms[ALL].verdict.name != "untestable"]
    languages = sorted({arms[ALL].language for arms in moments})
    by_language = {name: [arms for arms in moments if arms[ALL].language == name] for name in languages}
    return {
        "steps": list(steps),
        **_figures(moments, steps),
        "languages": {name: _figures(own, steps) for name, own in by_language.items()},
        "cases": [case for arms in moments for case in _cases(arms, steps)],
    }


def effect(moments: Iterable[Arms], arm: str) -> dict[str, Any]:
    """What the steps that `arm` lacks do, from pairs of it and the arm with all steps.

    `n` pairs, of which `gained`, `broken`, `killed` and `emptied` (see above). `net` is the share gained less the share broken with
    its 95 % interval for paired shares, `p` the exact McNemar test (both by `paired`).
    """
    kinds = [_kinds(arms, arm) for arms in moments if _has_verdicts(arms, arm)]
    counts = {kind: sum(kind in found for found in kinds) for kind in ("gained", "broken", "killed", "emptied")}
    with_all = sum("passes" in found for found in kinds)
    return {"n": len(kinds), **counts, **paired(counts["gained"], counts["broken"], with_all, len(kinds))}


def paired(gained: int, broken: int, with_all: int, n: int) -> dict[str, Any]:
    """The difference of two paired shares: `net` with value, low and high in [-1, 1], and the `p` of no difference.

    The interval is Newcombe's square-and-add one (Statistics in Medicine 17, 1998, 2635-2650, method 10) on Wilson intervals by scipy; `p` is
    McNemar's exact test, two-sided, which is scipy's binomial test of the pairs that differ. `with_all` of the `n` pairs pass with all steps.
    """
    from scipy import stats  # takes over a second to load: not before a run has something to sum up

    if n == 0:
        return {"net": {"value": None, "low": None, "high": None}, "p": None}
    both = with_all - gained
    neither = n - both - gained - broken
    low, high = _newcombe(both, gained, broken, neither)
    p = stats.binomtest(gained, gained + broken).pvalue if gained + broken else 1.0
    return {"net": {"value": (gained - broken) / n, "low": low, "high": high}, "p": float(p)}


def _newcombe(both: int, gained: int, broken: int, neither: int) -> tuple[float, float]:
    n = both + gained + broken + neither
    first, second = (share(passed, n) for passed in (both + gained, both + broken))
    below1, above1 = _arms_of(first)
    below2, above2 = _arms_of(second)
    margins = (both + gained) * (broken + neither) * (both + broken) * (gained + neither)
    lead = both * neither - gained * broken
    corrected = max(lead - n / 2, 0.0) if lead > 0 else float(lead)
    phi = corrected / math.sqrt(margins) if margins else 0.0
    difference = (gained - broken) / n
    low = difference - math.sqrt(below1**2 - 2 * phi * below1 * above2 + above2**2)
    high = difference + math.sqrt(above1**2 - 2 * phi * above1 * below2 + below2**2)
    return max(-1.0, low), min(1.0, high)


def _arms_of(found: Mapping[str, Any]) -> tuple[float, float]:
    """How far an interval reaches below its value, and above."""
    return found["value"] - found["low"], found["high"] - found["value"]


def _figures(moments: Sequence[Arms], steps: Sequence[str]) -> dict[str, Any]:
    arms = [ALL, NONE, *map(without, steps)]
    left_out = {step: effect(moments, without(step)) for step in steps}
    return {
        "moments": len(moments),
        "infrastructure": sum(trial.verdict.name == "infrastructure" for found in moments for trial in found.values()),
        "confidence": CONFIDENCE,
        "arms": {arm: _share(found[arm] for found in moments) for arm in arms},
        "effects": {**left_out, TOGETHER: effect(moments, NONE)},
    }


def _share(trials: Iterable[Trial]) -> dict[str, Any]:
    judged = [trial.passes for trial in trials if trial.verdict.name != "infrastructure"]
    return share(sum(judged), len(judged))


def _has_verdicts(arms: Arms, arm: str) -> bool:
    return all(arms[name].verdict.name != "infrastructure" for name in (ALL, arm))


def _kinds(arms: Arms, arm: str) -> set[str]:
    """What a pair counts as: `passes` with all steps, `gained`, `broken`, `killed`, `emptied`."""
    kept, left_out = arms[ALL], arms[arm]
    broken = left_out.passes and not kept.passes
    killed = broken and arms[NONE].passes
    marks = {
        "passes": kept.passes,
        "gained": kept.passes and not left_out.passes,
        "broken": broken,
        "killed": killed,
        "emptied": killed and not kept.text,
    }
    return {name for name, true in marks.items() if true}


def _cases(arms: Arms, steps: Sequence[str]) -> Iterator[dict[str, str]]:
    """The moments at which leaving a step out changes the verdict: where, which step, and what for."""
    for step in steps:
        found = _kinds(arms, without(step)) if _has_verdicts(arms, without(step)) else set()
        kind = next((kind for kind in ("gained", "killed", "broken") if kind in found), "")
        if kind:
            kept = arms[ALL]
            yield {"step": step, "kind": kind, "tape": kept.tape, "place": kept.place, "moment": kept.moment}


def _whole(trials: Iterable[Trial], steps: Sequence[str]) -> list[Arms]:
    """The trials of each moment by arm, in an order that does not depend on which was judged first.

    A moment that lacks an arm, for its tape was given up in the middle, is no part of it.
    """
    found: dict[str, dict[str, Trial]] = {}
    for trial in trials:
        found.setdefault(trial.moment, {})[trial.arm] = trial
    order: Callable[[Arms], tuple[str, str, str]] = lambda arms: (arms[ALL].tape, arms[ALL].place, arms[ALL].moment)  # noqa: E731
    whole = [arms for arms in found.values() if arms.keys() >= {ALL, NONE, *map(without, steps)}]
    return sorted(whole, key=order)
