"""The figures of a run, each declared once. A new figure is one entry of `FIGURES`.

From an entry with `of_records` follow its place in the summary (`summary`), its row in the tables of the terminal and of reports
(`tui.summary_figures`) and its limit for gates (`replay.gates`); with `at_answers` its measure in a comparison (`replay.numbers.paired`), with
`is_listed` its place in that document (`replay.numbers.comparison`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, TypeAlias

from replay.numbers.costs import known_cost
from replay.numbers.metrics import (
    POINTS,
    UNJUDGED,
    acceptance,
    counted,
    driven,
    is_silence,
    keys_saved,
    keystrokes_saved,
    latency_ms,
    pass_at_1,
    pass_by_hole,
    pass_by_length,
    passed_in_time,
    shares,
    silence,
    unmeasured,
)
from replay.numbers.similarity import edit_similarity
from replay.options import ClusterBy
from replay.records import ANSWERED, GIVEN_UP, SHOWN, Effort, Record

Unit: TypeAlias = Literal["share", "keys", "ms", "count"]
"""`share`: in [0, 1], so that a difference lies in [-1, 1]. `keys`: keys saved at a moment. `ms`: at a moment. `count`: exact, and without an interval."""
Values: TypeAlias = Callable[[Sequence[Record]], Sequence[float | None]]
"""A number at each answer of a run: of its records in their order, None where one says nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a run, as its summary has it. None: not measured, or too little is known to tell."""

    name: str
    value: float | None = None
    low: float | None = None
    """`low` and `high` are the ends of the 95 % interval (`replay.numbers.intervals`)."""
    high: float | None = None
    n: int | None = None
    """The moments that it is of; of keystrokes saved, the keys on the tapes."""
    clusters: int | None = None
    design_effect: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    """What stands beside it in the summary, such as how many answers came `too_late`."""


@dataclass(frozen=True, slots=True)
class AnswerValues:
    """How a figure is compared: by a number at each answer of both runs, moment by moment."""

    values: Values
    unit: Unit = "share"
    is_yes_or_no: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureKind:
    """All that is to be known of a figure."""

    name: str
    """In gates and documents: `pass_at_1`."""
    title: str
    """In tables: `tests passed`."""
    meaning: str
    short: str = ""
    """In a comparison, where it differs from the title."""
    unit: Unit = "share"
    is_gain: bool = True
    """Whether more of it is better."""
    place: Sequence[str] | None = None
    """Where the summary has it; by default under its name in `metrics`. Empty: nowhere, it is only compared."""
    ends: tuple[str, str, str] = ("value", "low", "high")
    """What value, low and high are called there."""
    of_records: Callable[[Sequence[Record], ClusterBy], Mapping[str, Any]] | None = None
    """How it is computed, where some records are enough; the summary of a replay then has it, unless that gives an empty document."""
    is_of_person: bool = False
    """Whether it says what a person does: of several answers to one question that is of the first alone."""
    at_answers: AnswerValues | None = None
    is_listed: bool = False
    """Whether the document of a comparison has it beside each run."""

    @property
    def where(self) -> Sequence[str]:
        """The keys that lead to it in a summary."""
        return ("metrics", self.name) if self.place is None else self.place

    def document(self, summary: Mapping[str, Any]) -> Mapping[str, Any]:
        """The figure as it stands in a summary; empty where that has none."""
        return _member(summary, *self.where)

    def read(self, summary: Mapping[str, Any]) -> Figure:
        """The figure of a run, by its summary."""
        if self.unit == "count":
            return Figure(name=self.name, value=_count(summary, self.where))
        found = self.document(summary)
        value, low, high = (found.get(end) for end in self.ends)
        n, clusters, effect = (found.get(name) for name in ("n", "clusters", "design_effect"))
        return Figure(
            name=self.name, value=value, low=low, high=high, n=n, clusters=clusters, design_effect=effect, more=found
        )


def figure_of(document: Mapping[str, Any], name: str = "") -> Figure:
    """The figure that a mapping with `value`, `low` and `high` stands for."""
    return FigureKind(name=name, title="", meaning="", place=("of",)).read({"of": document})


def read_figure(summary: Mapping[str, Any], name: str) -> Figure:
    """A declared figure of a run, by its summary."""
    return BY_NAME[name].read(summary)


def _member(found: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _count(summary: Mapping[str, Any], where: Sequence[str]) -> float | None:
    """A number in a summary. What a group such as `endings` does not name occurred 0 times; what a run cost may be unknown."""
    *group, name = where
    if group == ["cost"]:
        return known_cost(summary)[name]  # type: ignore[no-any-return]
    return _member(summary, *group).get(name, 0) if group else summary.get(name)


def _each(value: Callable[[Record], float | None]) -> Values:
    return lambda records: [value(record) for record in records]


def _passed_in_time(record: Record) -> float | None:
    """As `replay.numbers.metrics.passed_in_time`: what came too late, or was given up, did not pass in time."""
    if record.ending.name in {"gated", "debounced"}:
        return None
    verdict = record.verdict or (record.missed and record.missed.verdict)
    name = (verdict.fixed or verdict.name) if verdict else ""
    if name in {"", *UNJUDGED}:
        return None
    return float(name == "passed" and record.ending.name not in GIVEN_UP | {"late"})


def _offered(record: Record) -> str | None:
    """The text of an answer; empty where nothing was offered, None where nobody answered or no ground truth is known."""
    if record.ending.name not in ANSWERED or not record.moment.truth:
        return None
    return record.suggestion.text if record.suggestion else ""


def _exact(record: Record) -> float | None:
    text = _offered(record)
    return None if text is None else float(text.strip() == record.moment.truth.strip())


def _similarity(record: Record) -> float | None:
    text = _offered(record) if record.moment.next_edit is None else None  # a difference is no code
    return None if text is None else edit_similarity(text, record.moment.truth)


def _accepted(record: Record) -> float | None:
    is_decided = record.ending.name in SHOWN and record.moment.next_edit is None
    return float(record.ending.name in {"accepted", "part"}) if is_decided else None


def _silent(record: Record) -> float | None:
    return float(record.ending.name not in SHOWN) if record.ending.name in ANSWERED and is_silence(record) else None


def _latency(record: Record) -> float | None:
    return record.suggestion.latency if record.suggestion and record.ending.name != "failed" else None


def _keys(records: Sequence[Record]) -> Sequence[float | None]:
    """Of each sample by itself: a person sees one answer at a moment."""
    in_order = sorted(records, key=_sample)
    saved = {id_: keys for _, own in groupby(in_order, _sample) for id_, keys in keys_saved(list(own)).items()}
    return [float(saved.get(record.moment.id, 0)) for record in records]


def _sample(record: Record) -> int:
    return record.moment.sample


FIGURES: Sequence[FigureKind] = (
    FigureKind(
        name="pass_at_1",
        title="tests passed",
        meaning="the share of testable moments whose suggestion passes the project's tests (pass@1)",
        of_records=pass_at_1,
        is_listed=True,
    ),
    FigureKind(
        name="pass_by_hole",
        title="passed, by hole",
        meaning="the mean over holes of the share that passes in each",
        of_records=pass_by_hole,
    ),
    FigureKind(
        name="passed_in_time",
        title="passed in time",
        meaning="the share of testable moments whose suggestion passes and came in time to be shown",
        of_records=passed_in_time,
        is_of_person=True,
        at_answers=AnswerValues(_each(_passed_in_time), is_yes_or_no=True),
        is_listed=True,
    ),
    FigureKind(
        name="exact",
        title="same as the ground truth",
        meaning="the share of answers that are the ground truth but for white space at the ends",
        short="exact",
        place=("similarity", "exact"),
        at_answers=AnswerValues(_each(_exact), is_yes_or_no=True),
    ),
    FigureKind(
        name="edit_similarity",
        title="edit similarity to the truth",
        meaning="1 less the Levenshtein distance of answer and truth by the length of the longer one",
        short="edit similarity",
        place=("similarity", "edit_similarity"),
        at_answers=AnswerValues(_each(_similarity)),
    ),
    FigureKind(
        name="acceptance",
        title="suggestions accepted",
        meaning="the share of shown suggestions that the user accepted, whole or in part",
        short="accepted",
        of_records=acceptance,
        is_of_person=True,
        at_answers=AnswerValues(_each(_accepted), is_yes_or_no=True),
        is_listed=True,
    ),
    FigureKind(
        name="silence",
        title="silent where no edit follows",
        meaning="the share of the moments after which the person made no edit at which no edit was shown",
        short="silent",
        of_records=silence,
        at_answers=AnswerValues(_each(_silent), is_yes_or_no=True),
    ),
    FigureKind(
        name="keystrokes_saved",
        title="keystrokes saved",
        meaning="edits that accepted suggestions made unnecessary less the keys for accepting, by the edits on the tapes",
        short="keys saved",
        ends=("share", "low", "high"),
        is_of_person=True,
        at_answers=AnswerValues(_keys, "keys"),
        is_listed=True,
    ),
    FigureKind(
        name="testable",
        title="share testable",
        meaning="the share of the moments with a verdict at which the tests can tell whether an answer is right",
        place=("metrics", "pass_at_1", "testable"),
    ),
    FigureKind(
        name="adherence",
        title="follows instructions",
        meaning="the share of the suggestions that instructions of developers concern that follow them",
        place=("instructions", "all", "adherence"),
    ),
    FigureKind(
        name="follows_and_passes",
        title="follows and passes",
        meaning="the share of them that follow the instructions and pass the tests",
        place=("instructions", "all", "follows_and_passes"),
    ),
    FigureKind(
        name="latency",
        title="mean latency",
        meaning="the mean time until an answer came",
        unit="ms",
        is_gain=False,
        place=(),
        at_answers=AnswerValues(_each(_latency), "ms"),
    ),
    *(
        FigureKind(
            name=f"latency_p{point}",
            title=f"latency p{point}",
            meaning=f"the time in which {point} of 100 answers came",
            unit="ms",
            is_gain=False,
            place=("metrics", "latency_ms"),
            ends=(f"p{point}", f"p{point}_low", f"p{point}_high"),
        )
        for point in POINTS
    ),
    FigureKind(name="moments", title="moments", meaning="the places at which an editor asks", unit="count", place=("moments",)),
    FigureKind(name="failed", title="failed requests", meaning="the requests that the provider failed", unit="count", is_gain=False, place=("endings", "failed")),
    FigureKind(name="tokens", title="tokens", meaning="the tokens of prompts and answers", unit="count", is_gain=False, place=("cost", "tokens")),
    FigureKind(name="cost", title="cost", meaning="what the tokens cost", unit="count", is_gain=False, place=("cost", "cost")),
    FigureKind(name="infrastructure", title="not tested", meaning="the suggestions whose tests could not be run", unit="count", is_gain=False, place=("verdicts", "infrastructure")),
)  # fmt: skip
"""In the order of tables and documents."""
BY_NAME: Mapping[str, FigureKind] = {kind.name: kind for kind in FIGURES}


def summary(
    records: Sequence[Record],
    typed: Mapping[str, int],
    efforts: Mapping[str, Effort] | None = None,
    *,
    measured: bool = True,
    by: ClusterBy = "hole",
) -> dict[str, Any]:
    """All figures of a run.

    `typed` is the number of edits by hand on each tape, `efforts` the keys of each tape in drive mode.

    `measured` is false if answers were read from a record: then the latency has no value. `by` names the clusters of the intervals.
    """
    ordered = sorted(
        records, key=lambda record: record.moment.id
    )  # verdicts come in any order, and sums depend on it in the last digit
    figures = _summed(ordered, typed, by)
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


def _summed(records: Sequence[Record], typed: Mapping[str, int], by: ClusterBy) -> dict[str, Any]:
    whole = _figures(records, sum(typed.values()), by)
    by_tape = {tape: [record for record in records if record.moment.tape == tape] for tape in typed}
    return {**whole, "tapes": {tape: _figures(own, typed[tape], by) for tape, own in by_tape.items()}}


def _figures(records: Sequence[Record], typed: int, by: ClusterBy) -> dict[str, Any]:
    verdicts = [record.verdict for record in records if record.verdict]
    computed = ((kind.name, kind.of_records(records, by)) for kind in FIGURES if kind.of_records)
    declared = {name: document for name, document in computed if document}
    return {
        "cluster_by": by,
        "moments": len(records),
        "endings": counted(record.ending.name for record in records),
        "reasons": counted(str(record.ending) for record in records if record.ending.reason),
        "verdicts": counted(verdict.name for verdict in verdicts if verdict.name != "untestable"),
        "untestable": counted(verdict.reason for verdict in verdicts if verdict.name == "untestable"),
        "shares": shares(records, by),
        "metrics": {
            **{name: declared.pop(name) for name in ("pass_at_1", "pass_by_hole")},
            "pass_by_length": pass_by_length(records, by),
            **declared,
            "keystrokes_saved": keystrokes_saved(records, typed, by),
            "latency_ms": latency_ms(records, by),
        },
    }
