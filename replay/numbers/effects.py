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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from replay.numbers.differences import holm, paired_difference
from replay.numbers.intervals import CONFIDENCE, clustered_share
from replay.records import ALL, NONE, ArmTrial, without

TOGETHER = "together"
Arms: TypeAlias = Mapping[str, ArmTrial]
"""The trials of one moment by arm."""
NO_CLUSTERS: Mapping[str, str] = {}
"""Every moment stands alone."""


def ablation(
    trials: Iterable[ArmTrial], steps: Sequence[str], clusters: Mapping[str, str] = NO_CLUSTERS
) -> dict[str, Any]:
    """All figures of an ablation: over all languages, by language, and the cases behind them.

    `moments` counts the testable ones, `infrastructure` the trials among them without a verdict. `arms` has the share of moments
    at which each arm passes, `effects` what each step does, and all of them `together`. `clusters` names the cluster of each
    moment by its id; a moment that it does not name stands alone. `p_adjusted` of each effect is its p adjusted by Holm: over all steps, and over all
    steps of all languages.
    """
    moments = [arms for arms in _whole(trials, steps) if arms[ALL].verdict.name != "untestable"]
    languages = sorted({arms[ALL].language for arms in moments})
    by_language = {name: [arms for arms in moments if arms[ALL].language == name] for name in languages}
    return {
        "steps": list(steps),
        **_adjusted([_figures(moments, steps, clusters)])[0],
        "languages": dict(
            zip(by_language, _adjusted([_figures(own, steps, clusters) for own in by_language.values()]), strict=True)
        ),
        "cases": [case for arms in moments for case in _cases(arms, steps)],
    }


def effect(moments: Iterable[Arms], arm: str, clusters: Mapping[str, str] = NO_CLUSTERS) -> dict[str, Any]:
    """What the steps that `arm` lacks do, from pairs of it and the arm with all steps.

    `n` pairs, of which `gained`, `broken`, `killed` and `emptied` (see above). `net` is the share gained less the share broken with
    its 95 % interval, `p` the test of no difference (both by `paired_difference`).
    """
    kinds = [(_cluster(arms, clusters), _kinds(arms, arm)) for arms in moments if _has_verdicts(arms, arm)]
    counts = {kind: sum(kind in found for _, found in kinds) for kind in ("killed", "emptied")}
    pairs = [
        (cluster, "passes" in found, "broken" in found or ("passes" in found and "gained" not in found))
        for cluster, found in kinds
    ]
    return {**paired_difference(pairs), **counts}


def _cluster(arms: Arms, clusters: Mapping[str, str]) -> str:
    moment = arms[ALL].moment
    return clusters.get(moment, moment)


def _figures(moments: Sequence[Arms], steps: Sequence[str], clusters: Mapping[str, str]) -> dict[str, Any]:
    arms = [ALL, NONE, *map(without, steps)]
    left_out = {step: effect(moments, without(step), clusters) for step in steps}
    return {
        "moments": len(moments),
        "infrastructure": sum(trial.verdict.name == "infrastructure" for found in moments for trial in found.values()),
        "confidence": CONFIDENCE,
        "arms": {arm: _share(moments, arm, clusters) for arm in arms},
        "effects": {**left_out, TOGETHER: effect(moments, NONE, clusters)},
    }


def _adjusted(groups: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Groups whose effects have their p-values adjusted for the number of all of them."""
    found = iter(holm([one["p"] for group in groups for one in group["effects"].values()]))
    return [
        group | {"effects": {step: one | {"p_adjusted": next(found)} for step, one in group["effects"].items()}}
        for group in groups
    ]


def _share(moments: Sequence[Arms], arm: str, clusters: Mapping[str, str]) -> dict[str, Any]:
    judged = [found for found in moments if found[arm].verdict.name != "infrastructure"]
    return clustered_share((_cluster(found, clusters), float(found[arm].passes)) for found in judged)


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


def _whole(trials: Iterable[ArmTrial], steps: Sequence[str]) -> list[Arms]:
    """The trials of each moment by arm, in an order that does not depend on which was judged first.

    A moment that lacks an arm, for its tape was given up in the middle, is no part of it.
    """
    found: dict[str, dict[str, ArmTrial]] = {}
    for trial in trials:
        found.setdefault(trial.moment, {})[trial.arm] = trial
    order: Callable[[Arms], tuple[str, str, str]] = lambda arms: (arms[ALL].tape, arms[ALL].place, arms[ALL].moment)  # noqa: E731
    whole = [arms for arms in found.values() if arms.keys() >= {ALL, NONE, *map(without, steps)}]
    return sorted(whole, key=order)
