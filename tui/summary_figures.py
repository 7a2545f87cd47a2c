"""The figures of a run, read from its summary, as words for a screen. A figure that was not measured is an empty string.

A summary is the JSON document that `replay.numbers.figures.summary` or `corpora.run.scores.summary` makes. Its keys are read here
and nowhere else in the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from replay.numbers.clusters import NAMES
from replay.numbers.figures import BY_NAME, FIGURES, FigureKind, Unit
from tui.terminal_text import one_line

Summary: TypeAlias = Mapping[str, Any]
DASH = "\N{EN DASH}"
_WIDE = 0.1
"""The width of an interval from which on it is said why it is wide, where all moments end alike."""
_DIFFERENCES = {
    "more": "B passes more",
    "fewer": "B passes fewer",
    "as many": "as many pass, to within {asked} points",
    "too few to tell": "too few to tell: the interval is wider than the {asked} points that are asked about",
}


@dataclass(frozen=True, slots=True)
class JudgedCounts:
    """How many moments have a verdict, by what the verdict is worth."""

    testable: int
    """The tests can tell whether the suggestion is right."""
    untestable: int
    """No test can tell it."""
    untested: int
    """The tests could not be run: a failure of the infrastructure."""


def judged_counts(summary: Summary) -> JudgedCounts:
    """Return how many moments have a verdict."""
    verdicts = counts(summary, "verdicts")
    untested = verdicts.pop("infrastructure", 0)
    return JudgedCounts(sum(verdicts.values()), sum(counts(summary, "untestable").values()), untested)


def judged_words(summary: Summary) -> str:
    """Return the moments with a verdict as `12 testable, 71 untestable`; empty if no moment has one."""
    judged = judged_counts(summary)
    parts = ((judged.testable, "testable"), (judged.untestable, "untestable"), (judged.untested, "not tested"))
    found = [f"{number:,} {word}" for number, word in parts if number]
    return ", ".join(found)


def number_of(number: int, thing: str) -> str:
    """Return a number of things as `1 tape`, `2,350 tapes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def origins_words(origins: Any) -> str:
    """Return where each member of how a project is tested comes from, the strongest first: `flag: command; ghosttape.toml: requires; tape: toolchain`."""
    by_origin: dict[str, list[str]] = {}
    for name, origin in mapping(origins).items():
        by_origin.setdefault(str(origin), []).append(str(name))
    return "; ".join(f"{origin}: {', '.join(by_origin[origin])}" for origin in sorted(by_origin, key=_strength))


def _strength(origin: str) -> int:
    """The place of an origin: what flags say, alone or with others, goes before a folder's file, and that before the rest."""
    return 0 if origin == "flag" else 1 if origin.endswith("flag") else 2 if origin == "ghosttape.toml" else 3


def moments_words(summary: Summary) -> str:
    """Return the number of moments as `2,350`."""
    number = summary.get("moments")
    return "" if number is None else f"{number:,}"


def metric(summary: Summary, name: str) -> Mapping[str, Any]:
    """Return the values of a metric; an empty mapping if the run has not measured it."""
    return mapping(mapping(summary.get("metrics")).get(name))


def counts(summary: Summary, name: str) -> dict[str, int]:
    """Return the counts under `name`, the most frequent first; empty if there are none."""
    pairs: Iterable[tuple[str, int]] = mapping(summary.get(name)).items()
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def reasons(summary: Summary, ending: str) -> dict[str, int]:
    """Return how often each reason of an ending occurs, the most frequent first.

    The summary counts them as `ending(reason)`: `gated(mid-word)` is the reason `mid-word` of `gated`.
    """
    start = f"{ending}("
    found = counts(summary, "reasons").items()
    return {name[len(start) : -1]: number for name, number in found if name.startswith(start)}


def effort(summary: Summary) -> dict[str, int]:
    """Return the keys that drive mode counted, in their own order; empty in judge mode."""
    return dict(mapping(summary.get("effort")))


def tapes(summary: Summary) -> dict[str, Summary]:
    """Return the summary of each tape by its name."""
    return {name: tape for name, tape in mapping(summary.get("tapes")).items() if isinstance(tape, Mapping)}


def entries(summary: Summary, name: str) -> list[Mapping[str, Any]]:
    """Return the list under `name`, such as `left_out`; empty if there is none."""
    found = summary.get(name)
    return [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, Sequence) else []


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def percent(share: float) -> str:
    """Return a share as whole percents without the sign: 0.39 is `39`."""
    return f"{100 * share:.0f}"


def range_words(share: Mapping[str, Any]) -> str:
    """Return the 95 % interval of a share, as `24-56 %` with a long dash; empty if it has none."""
    low, high = share.get("low"), share.get("high")
    return "" if low is None or high is None else f"{percent(low)}{DASH}{percent(high)} %"


def interval_words(summary: Summary) -> str:
    """Return the 95 % interval of the share that passed, as `24-56 %` with a long dash."""
    return range_words(metric(summary, "pass_at_1"))


def share_words(share: Mapping[str, Any]) -> str:
    """Return a share with its interval, as `39 % (24-56 %)` with a long dash; empty if it has no value."""
    value, ends = share.get("value"), range_words(share)
    return "" if value is None else f"{percent(value)} %" + (f" ({ends})" if ends else "")


def figure_words(figure: Mapping[str, Any], unit: Unit) -> str:
    """Return a figure with its 95 % interval in its unit, as `39 % (24-56 %)` with a long dash or `1.20 (0.9 to 1.5)`; empty if it has no value."""
    if unit == "share":
        return share_words(figure)
    value, low, high = (figure.get(name) for name in ("value", "low", "high"))
    if value is None:
        return ""
    if unit == "count":
        return f"{value:,}"
    ends = "" if low is None or high is None else f" ({measure_words(low, unit)} to {measure_words(high, unit)})"
    return f"{measure_words(value, unit)}{ends}"


def passed(summary: Summary) -> tuple[str, str]:
    """Return how many testable moments passed, as `12 of 31` and `39 %`."""
    share = metric(summary, "pass_at_1")
    value, number = share.get("value"), share.get("n")
    return _share_words(value, number) if value is not None and number else ("", "")


def passed_words(summary: Summary, *, name_interval: bool = True) -> str:
    """Return how many testable moments passed, as `12 of 31 testable, 39 % (95 % interval 24-56 %)` with a long dash."""
    number, share = passed(summary)
    interval = interval_words(summary)
    name = "95 % interval " if name_interval else ""
    return f"{number} testable, {share}" + (f" ({name}{interval})" if interval else "") if number else ""


def testable_share(summary: Summary) -> Mapping[str, Any]:
    """Return the share of the moments with a verdict that is testable: it stands beside each pass@1."""
    return mapping(metric(summary, "pass_at_1").get("testable"))


def clusters(summary: Summary) -> tuple[str, str]:
    """Return what the interval of the share that passed goes by, as `20 holes` and, for the design effect, `1.9`."""
    share, by = metric(summary, "pass_at_1"), summary.get("cluster_by")
    number, effect = share.get("clusters"), share.get("design_effect")
    if not number or by not in NAMES:
        return "", ""
    return f"{number:,} {NAMES[by] if number != 1 else by}", "" if effect is None else f"{effect:.1f}"


def clusters_words(summary: Summary) -> str:
    """Return the same as `20 holes, design effect 1.9`."""
    number, effect = clusters(summary)
    return f"{number}, design effect {effect}" if effect else number


def alike_words(summary: Summary) -> str:
    """Say why the interval is wide where every testable moment passes, or none; empty elsewhere.

    Example: `All pass: 3 holes that end alike cannot tell 100 % from 44 %`.
    """
    share, (number, _) = metric(summary, "pass_at_1"), clusters(summary)
    value, low, high = (share.get(name) for name in ("value", "low", "high"))
    if value not in {0, 1} or low is None or high is None or high - low < _WIDE or not number:
        return ""
    said, other = ("All pass", low) if value else ("None passes", high)
    those = "that end alike cannot" if share["clusters"] > 1 else "cannot"
    return f"{said}: {number} {those} tell {percent(value)} % from {percent(other)} %"


def by_hole_words(summary: Summary) -> str:
    """Return the share that passed where each hole counts once, as `41 % (23-60 %)` with a long dash."""
    return share_words(metric(summary, "pass_by_hole"))


def shares(summary: Summary, name: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the share of each ending (`endings`), or of each reason why moments are `untestable`."""
    return mapping(mapping(summary.get("shares")).get(name))


def lengths(summary: Summary) -> dict[str, Mapping[str, Any]]:
    """Return the share that passed by length of the ground truth; lengths that do not occur are left out."""
    found = metric(summary, "pass_by_length")
    return {name: share for name, share in found.items() if isinstance(share, Mapping) and share.get("n")}


def groups(summary: Summary) -> list[tuple[str, list[tuple[str, Mapping[str, Any]]]]]:
    """Return the share that passed in groups: for each title (`by language`, …) the names of its groups and their shares; titles without groups are left out."""
    return [(title, rows) for title, rows in _all_groups(summary) if rows]


def _all_groups(summary: Summary) -> Iterator[tuple[str, list[tuple[str, Mapping[str, Any]]]]]:
    for title, key, names in (
        ("by language", "languages", ("language",)),
        ("by category", "categories", ("category",)),
        ("by language and category", "cells", ("language", "category")),
    ):
        yield title, [(", ".join(row[name] for name in names), mapping(row["share"])) for row in summary.get(key) or ()]
    of_tapes = [(name, metric(part, "pass_at_1")) for name, part in tapes(summary).items()]
    yield "by tape", of_tapes if len(of_tapes) > 1 else []
    by_length = [(f"{name} characters", mapping(share)) for name, share in metric(summary, "pass_by_length").items()]
    yield "by the length of the ground truth", by_length if any(share.get("n") for _, share in by_length) else []


def in_time(summary: Summary) -> tuple[str, str]:
    """Return how many testable moments passed in time, as `12 of 88` and `14 %`; empty texts if every answer came in time."""
    share = metric(summary, "passed_in_time")
    value, number = share.get("value"), share.get("n")
    if (
        value is None
        or not number
        or not (share.get("unanswered") or number != metric(summary, "pass_at_1").get("n") or share.get("too_late"))
    ):
        return "", ""
    return _share_words(value, number)


def in_time_words(summary: Summary) -> str:
    """Return how many passed in time, as `12 of 88 testable, 14 %; 9 passed too late; 3 without an answer`."""
    number, share = in_time(summary)
    found = metric(summary, "passed_in_time")
    counted = ((found.get("too_late"), "passed too late"), (found.get("unanswered"), "without an answer"))
    rest = [f"; {count:,} {words}" for count, words in counted if count]
    return f"{number} testable, {share}{''.join(rest)}" if number else ""


def keystrokes(summary: Summary) -> tuple[str, str]:
    """Return the keystrokes saved, as `412 of 1,200` and `34 %`."""
    saved = metric(summary, "keystrokes_saved")
    value, of = saved.get("value"), saved.get("of")
    if value is None or not of:
        return "", ""
    return _share_words(value / of, of)


def keystrokes_words(summary: Summary) -> str:
    """Return the keystrokes saved with the interval of their share, as `412 of 1,200, 34 % (20-48 %)` with a long dash."""
    number, share = keystrokes(summary)
    ends = range_words(metric(summary, "keystrokes_saved"))
    return f"{number}, {share}" + (f" ({ends})" if ends else "") if number else ""


def no_person_words(summary: Summary) -> str:
    """Return what was left out as no person's, as `437 edits (29 like single keys), 115 places`; empty if nothing was."""
    found = mapping(summary.get("no_person"))
    edits, keys, places = (found.get(name, 0) for name in ("edits", "keys", "places"))
    like_keys = f" ({keys:,} like single keys)" if keys else ""
    parts = [f"{edits:,} edits{like_keys}" if edits else "", f"{places:,} places" if places else ""]
    return ", ".join(filter(None, parts))


def latency(summary: Summary, quantile: str) -> str:
    """Return a quantile of the latency, such as `p95`, as `1,204 ms`; a dash if the answers come from a file."""
    if latency_is_unmeasured(summary):
        return DASH
    value = metric(summary, "latency_ms").get(quantile)
    return "" if value is None else f"{value:,.0f} ms"


def latency_words(summary: Summary) -> str:
    """Return the latency as `p50 143 ms, p95 1,204 ms`; a dash with its reason if the answers come from a file."""
    if latency_is_unmeasured(summary):
        return f"{DASH} (the answers come from a file: their time is not the model's)"
    return ", ".join(f"{name} {text}" for name in ("p50", "p95") if (text := latency(summary, name)))


def latency_is_unmeasured(summary: Summary) -> bool:
    """Whether the answers come from a file, so that their latency is not the provider's."""
    return "note" in metric(summary, "latency_ms")


def net_words(net: Mapping[str, float | None]) -> str:
    """Return a difference in percentage points with its interval, as `+3.1 (-1.0 to +7.2)`; empty if it has no value."""
    value, low, high = (net[name] for name in ("value", "low", "high"))
    if value is None:
        return ""
    ends = "" if low is None or high is None else f" ({100 * low:+.1f} to {100 * high:+.1f})"
    return f"{100 * value:+.1f}{ends}"


def passing_words(passing: float) -> str:
    """Return how many moments pass, as `128`; with several samples, where a moment passes in part, as `127.4`."""
    return f"{passing:,}" if isinstance(passing, int) else f"{passing:,.1f}"


def verdict_words(answer: Mapping[str, Any]) -> str:
    """Return the verdict of an answer at a moment that changed, as `failed`; of several samples as `failed, 2 of 5 pass`."""
    several = f", {answer['passed']:,} of {answer['of']:,} pass" if answer.get("of", 1) > 1 else ""
    return f"{answer['verdict']}{several}"


def measure_name(metric: str) -> str:
    """Return what a measure is called: in words, or the id of an instruction."""
    kind = BY_NAME.get(metric)
    return (kind.short or kind.title) if kind else one_line(metric)


def measure_words(value: float, unit: str) -> str:
    """Return a mean of a measure (`replay.numbers.paired.measures`), as `41 %`, `1.20` keys or `143 ms`."""
    return {"share": f"{percent(value)} %", "keys": f"{value:.2f}", "ms": f"{value:,.0f} ms"}[unit]


def measured_net_words(net: Mapping[str, float | None], unit: str) -> str:
    """Return a difference of a measure with its interval, as `+3.1 (-1.0 to +7.2)`: of shares in points; empty if it has no value."""
    if unit == "share":
        return net_words(net)
    value, low, high = (net[name] for name in ("value", "low", "high"))
    if value is None:
        return ""
    digits = "+.2f" if unit == "keys" else "+,.0f"
    ends = "" if low is None or high is None else f" ({low:{digits}} to {high:{digits}})"
    return f"{value:{digits}}{ends}"


def chance_words(p: float | None) -> str:
    """Return a p-value as `0.012` or `<0.001`; empty if there is none."""
    if p is None:
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def adjusted_words(difference: Mapping[str, Any]) -> str:
    """Return for how many differences a p-value is adjusted, as ` (adjusted by Holm for 2 runs)`; empty for one."""
    return f" (adjusted by Holm for {difference['of']:,} runs)" if difference["of"] > 1 else ""


def difference_sentence(says: str, asked: float) -> str:
    """Say what a difference means (`replay.numbers.comparison.words`); `asked` is the least one that matters, as a share."""
    return _DIFFERENCES[says].format(asked=f"{100 * asked:g}")


def _share_words(value: float, of: int) -> tuple[str, str]:
    """Return a share of a number as two texts: 0.39 of 31 is `12 of 31` and `39 %`."""
    return f"{round(value * of):,} of {of:,}", f"{percent(value)} %"


def cost_words(summary: Summary) -> str:
    """The tokens of a run and what they cost, in a sentence; empty where nothing of it is known, or nothing costs anything."""
    found = summary.get("cost")
    if not found or (found["cost"] == 0 and not found["tokens"]):
        return ""
    least, untold = ("at least " if found["untold"] else ""), ""
    if found["untold"]:
        untold = f" {number_of(found['untold'], 'answer')} came without a count."
    if not found["tokens"]:
        return f"Tokens: the server told none.{untold}"
    told = f"Tokens: {least}{found['input_tokens']:,} of prompts, {found['output_tokens']:,} of answers"
    cost = "no price in [prices]" if found["cost"] is None else f"cost {least}{found['cost']:,.4g}"
    return f"{told}; {cost}.{untold}"


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A row of the figures of a run: its title, and its words from a summary; empty if the run did not measure it."""

    title: str
    words: Callable[[Summary], str]
    narrow: Sequence[tuple[str, Callable[[Summary], str]]] = ()
    """The rows that it has in narrow columns, where they are others."""


def figure_rows(runs: Iterable[Summary]) -> Iterator[FigureRow]:
    """The rows of figures that tables and reports have: those of `FIGURES`, and what is told beside them."""
    yield from _MOMENTS
    for kind in FIGURES:
        if kind.where[:1] in (("metrics",), ("similarity",)) and kind.where not in _WITHIN_OTHERS:
            yield from _OWN_ROWS.get(kind.name) or (_row_of(kind),)
    yield from _LATENCY
    found = [mapping(run.get("pass_at_k") or metric(run, "pass_at_k")) for run in runs]
    for k in dict.fromkeys(k for own in found for k in own if k != "1"):
        yield FigureRow(f"pass@{k}", _pass_at(k))


def _row_of(kind: FigureKind) -> FigureRow:
    words: Callable[[Summary], str] = lambda summary: figure_words(kind.document(summary), kind.unit)  # noqa: E731
    return FigureRow(kind.title, words, [(kind.short or kind.title, words)])


def _pass_at(k: str) -> Callable[[Summary], str]:
    return lambda run: share_words(mapping(mapping(run.get("pass_at_k") or metric(run, "pass_at_k")).get(k)))


def _judged(name: str) -> Callable[[Summary], str]:
    return lambda summary: f"{number:,}" if (number := getattr(judged_counts(summary), name)) else ""


def _testable_words(summary: Summary) -> str:
    return share_words(testable_share(summary))


def _part(words: Callable[[Summary], tuple[str, str]], at: int) -> Callable[[Summary], str]:
    return lambda summary: words(summary)[at]


def _quantile(name: str) -> Callable[[Summary], str]:
    return lambda summary: latency(summary, name)


def _no_person_edits(summary: Summary) -> str:
    edits = mapping(summary.get("no_person")).get("edits", 0)
    return f"{edits:,}" if edits else ""


_WITHIN_OTHERS = (("metrics", "pass_at_1", "testable"), ("metrics", "latency_ms"))
"""Where figures are whose words stand in rows of other figures."""
_MOMENTS = (
    FigureRow("moments", moments_words),
    FigureRow("with a verdict", judged_words, [(f"  {word}", _judged(name)) for word, name in (("testable", "testable"), ("untestable", "untestable"), ("not tested", "untested"))]),
    FigureRow("share testable", _testable_words, [("  share testable", _testable_words)]),
)  # fmt: skip
_OWN_ROWS: Mapping[str, Sequence[FigureRow]] = {
    "pass_at_1": (
        FigureRow("tests passed", passed_words, [("tests passed", _part(passed, 0)), ("  share", _part(passed, 1)), ("  95 % interval", interval_words)]),
        FigureRow("clusters", clusters_words, [("  clusters", _part(clusters, 0)), ("  design effect", _part(clusters, 1))]),
    ),
    "pass_by_hole": (FigureRow("passed, by hole", by_hole_words, [("  by hole", by_hole_words)]),),
    "passed_in_time": (FigureRow("passed in time", in_time_words, [("passed in time", _part(in_time, 0)), ("  share", _part(in_time, 1))]),),
    "keystrokes_saved": (
        FigureRow(
            "keystrokes saved",
            keystrokes_words,
            [
                ("keystrokes saved", _part(keystrokes, 0)),
                ("  share", _part(keystrokes, 1)),
                ("  95 % interval", lambda summary: range_words(metric(summary, "keystrokes_saved"))),
            ],
        ),
    ),
}  # fmt: skip
"""Figures that say more than a share with its interval."""
_LATENCY = (
    FigureRow("latency", latency_words, [(f"latency {name}", _quantile(name)) for name in ("p50", "p95")]),
    FigureRow("not a person's", no_person_words, [("not a person's", _no_person_edits)]),
)
