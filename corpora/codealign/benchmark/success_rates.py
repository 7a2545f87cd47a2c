"""Success rates with intervals, what follows and breaks the program, and the paper's tests of settings and types.

The success rate is the share of answers that follow the instruction; an answer without a program that parses does not follow. What nobody could
verify (a failed provider, an unparsable judgement) counts nowhere. Intervals are clustered by problem (`replay.numbers.intervals`).

The paper compares settings by Wilcoxon's signed-rank test and types by Friedman's with Kendall's W, over models (CodeAlignBench, section 4.3: its W is
χ² / (10 · 2), so its blocks are its ten models). Here the blocks are the problems of one run, or several runs (`compared_runs`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any, TypeAlias

from corpora.codealign.benchmark.benchmark_run import UNVERIFIED, AlignmentOutcome
from corpora.codealign.benchmark.instruction_sampling import GROUPS
from corpora.codealign.benchmark.task_prompts import SETTINGS
from replay.numbers.intervals import clustered_share

BlockRates: TypeAlias = Sequence[Sequence[float]]
"""A row for each block, with the rate of each treatment."""


def alignment_figures(outcomes: Sequence[AlignmentOutcome]) -> dict[str, Any]:
    """All figures of a run, as one JSON document."""
    by_setting = {setting: [one for one in outcomes if one.setting == setting] for setting in SETTINGS}
    return {
        "tasks": len(outcomes),
        "without_verdict": dict(Counter(one.why_unverified for one in outcomes if one.following in UNVERIFIED)),
        "settings": {setting: _figures(own) for setting, own in by_setting.items() if own},
        "settings_test": settings_test(_paired(_in_both(outcomes), lambda one: one.setting, SETTINGS)),
        "types_test": {
            setting: types_test(_paired(own, lambda one: one.group, GROUPS))
            for setting, own in by_setting.items()
            if own
        },
        "follow_and_break": [
            {"problem": one.problem, "setting": one.setting, "instruction": one.instruction, "tests": one.tests}
            for one in outcomes
            if one.following == "followed" and one.breaks
        ],
    }


def _figures(own: Sequence[AlignmentOutcome]) -> dict[str, Any]:
    """The figures of one setting: in all, by group (the paper's three types), by type, by who verifies (rule or judge) and by instruction."""
    keys: Mapping[str, Callable[[AlignmentOutcome], str]] = {
        "groups": lambda one: one.group,
        "types": lambda one: one.type,
        "by": lambda one: one.by,
        "instructions": lambda one: one.instruction,
    }
    return _rates(own) | {
        name: {label: _rates([one for one in own if key(one) == label]) for label in sorted(set(map(key, own)))}
        for name, key in keys.items()
    }


def _rates(own: Sequence[AlignmentOutcome]) -> dict[str, Any]:
    """Shares of some outcomes. `follows_and_passes` is a share of those that were tested; an answer without a program does neither, where the problem has tests."""
    known = [one for one in own if one.following not in UNVERIFIED]
    tested = [one for one in known if one.is_tested or (one.has_tests and one.following == "no program")]
    return {
        "n": len(own),
        "unverified": len(own) - len(known),
        "no_program": sum(one.following == "no program" for one in known),
        "success": clustered_share((one.problem, float(_follows(one))) for one in known),
        "follows_and_passes": clustered_share((one.problem, float(_follows(one) and _passes(one))) for one in tested),
        "follows_and_fails": sum(_follows(one) and not _passes(one) for one in tested),
        "passes": clustered_share((one.problem, float(_passes(one))) for one in tested),
    }


def _follows(one: AlignmentOutcome) -> bool:
    return one.following == "followed"


def _passes(one: AlignmentOutcome) -> bool:
    return one.tests == "passed"


def _in_both(outcomes: Sequence[AlignmentOutcome]) -> list[AlignmentOutcome]:
    """Those of instructions that are verified at their problem in all settings: settings are compared over the same tasks."""
    settings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in outcomes:
        if one.following not in UNVERIFIED:
            settings[one.problem, one.instruction].add(one.setting)
    return [one for one in outcomes if settings[one.problem, one.instruction] == set(SETTINGS)]


def _paired(
    outcomes: Iterable[AlignmentOutcome], key: Callable[[AlignmentOutcome], str], labels: Sequence[str]
) -> BlockRates:
    """For each problem that has all labels, the success rate of each."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in outcomes:
        if one.following not in UNVERIFIED:
            found[one.problem][key(one)].append(float(_follows(one)))
    whole = (own for own in found.values() if all(label in own for label in labels))
    return [[fmean(own[label]) for label in labels] for own in whole]


def settings_test(blocks: BlockRates) -> dict[str, Any]:
    """Wilcoxon's signed-rank test of `follow-up` less `predefined` over blocks, two-sided (scipy; blocks without a difference are left out).

    `n` blocks, of which `differ` differ; the median and the mean of the differences; `statistic` and `p`, None where no block differs.
    """
    differences = [second - first for first, second in blocks]
    found: dict[str, Any] = {
        "n": len(differences),
        "differ": sum(each != 0 for each in differences),
        "median_difference": median(differences) if differences else None,
        "mean_difference": fmean(differences) if differences else None,
        "statistic": None,
        "p": None,
    }
    if not found["differ"]:
        return found
    from scipy.stats import wilcoxon

    tested = wilcoxon(differences)
    return found | {"statistic": float(tested.statistic), "p": float(tested.pvalue)}


def types_test(blocks: BlockRates) -> dict[str, Any]:
    """Friedman's test of the types over blocks, and Kendall's W = χ² / (n (k - 1)) for n blocks and k types; None where the rates are all tied.

    Example: χ² of 12.2 over ten models and three types is W = 0.61 (CodeAlignBench, section 4.3).
    """
    found: dict[str, Any] = {"n": len(blocks), "types": list(GROUPS), "chi2": None, "p": None, "kendalls_w": None}
    if len(blocks) < 2:
        return found
    from scipy.stats import friedmanchisquare

    if all(len(set(row)) == 1 for row in blocks):
        return found
    tested = friedmanchisquare(*zip(*blocks, strict=True))
    chi2 = float(tested.statistic)
    if math.isnan(chi2):
        return found
    return found | {"chi2": chi2, "p": float(tested.pvalue), "kendalls_w": chi2 / (len(blocks) * (len(GROUPS) - 1))}


def compared_runs(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The paper's tests over several runs (models) as blocks, from the figures of each; a run that lacks a setting or a type is left out."""
    rates = [run["settings"] for run in runs]
    whole = [[_value(own, setting) for setting in SETTINGS] for own in rates if all(name in own for name in SETTINGS)]
    return {
        "runs": len(runs),
        "settings_test": settings_test([row for row in whole if None not in row]),
        "types_test": {setting: types_test(_by_group(rates, setting)) for setting in SETTINGS},
    }


def _value(settings: Mapping[str, Any], setting: str) -> Any:
    return settings[setting]["success"]["value"]


def _by_group(rates: Sequence[Mapping[str, Any]], setting: str) -> BlockRates:
    rows = [
        [own[setting]["groups"].get(group, {}).get("success", {}).get("value") for group in GROUPS]
        for own in rates
        if setting in own
    ]
    return [row for row in rows if None not in row]
