"""Figures along an axis against the same figures counted by hand, and shares by scipy's Wilson interval."""

import random

import pytest
from scipy import stats

from replay.numbers.curves import (
    BUDGETS,
    changes_by_repair,
    pass_by_latency,
    passed_within,
    saved_over_tape,
    verdicts_over_session,
)
from replay.numbers.flows import FlowLink, flow
from replay.numbers.metrics import keystrokes_saved
from replay.records import Ending, Missed, Moment, Record, Suggestion, TrailStep, Verdict
from tests.support.tapes import record_of


def record(event, verdict="passed", latency=80.0, ending="accepted", **fields):
    at = Moment(tape=fields.pop("tape", "a"), event=event, path="a.py", language="python", offset=event, line=event, character=0, t=0.0, hole=f"a.py:{event}")  # fmt: skip
    offered = Suggestion(text="x", start=event, end=event, latency=latency, trail=fields.pop("trail", ()))
    return Record(moment=at, ending=Ending(ending), suggestion=offered, verdict=Verdict(name=verdict) if verdict else None, **fields)  # fmt: skip


def given_up(event, latency):
    return Record(
        moment=record(event).moment,
        ending=Ending("superseded"),
        missed=Missed(suggestion=Suggestion(text="x", start=0, end=0, latency=latency), verdict=Verdict(name="passed")),
    )


def test_what_passes_within_a_budget_is_a_share_of_all_testable_moments_that_were_asked_about():
    records = [
        record(1, latency=80),
        record(2, latency=400),
        record(3, "failed", latency=10),
        given_up(4, 90),
        record(5, "untestable", latency=1),
        Record(moment=record(6).moment, ending=Ending("debounced")),
    ]
    found = {row["budget"]: row for row in passed_within(records)}
    assert tuple(found) == BUDGETS
    assert [found[budget]["value"] for budget in (50, 100, 300, 400, 10_000)] == [0, 0.5, 0.5, 0.75, 0.75]
    assert {row["n"] for row in found.values()} == {4}
    ends = stats.binomtest(2, 4).proportion_ci(method="wilson")
    assert (found[100]["low"], found[100]["high"]) == pytest.approx((ends.low, ends.high), abs=1e-9)


def test_a_larger_budget_never_passes_less():
    draw = random.Random(3)
    records = [record(at, draw.choice(["passed", "failed"]), draw.uniform(10, 9000)) for at in range(200)]
    values = [row["value"] for row in passed_within(records)]
    assert values == sorted(values)
    assert values == [
        sum(one.verdict.name == "passed" and one.suggestion.latency <= budget for one in records) / 200
        for budget in BUDGETS
    ]


def test_what_passes_by_latency_goes_by_classes_whose_end_is_part_of_them():
    records = [record(1, latency=200), record(2, "failed", latency=100.5), record(3, latency=9000), record(4, None)]
    rows = pass_by_latency(records)
    assert [(row["above"], row["up_to"], row["value"], row["n"]) for row in rows] == [
        (100, 200, 0.5, 2),
        (2000, None, 1.0, 1),
    ]


def test_a_session_is_parted_by_events_and_each_answer_counts_in_one_part():
    draw = random.Random(4)
    names = ["passed", "failed", "syntax", "untestable", "infrastructure", None]
    records = [record(at, draw.choice(names), tape=tape) for tape, end in (("a", 99), ("b", 19)) for at in range(end + 1)]  # fmt: skip
    rows = verdicts_over_session(records)
    assert [row["part"] for row in rows] == list(range(1, 11))
    assert [sum(row[name] for name in ("passed", "failed", "untestable", "untested")) for row in rows] == [12] * 10
    first = [one.verdict.name if one.verdict else "" for one in records if one.moment.event < {"a": 10, "b": 2}[one.moment.tape]]  # fmt: skip
    assert rows[0]["passed"] == first.count("passed")
    assert rows[0]["failed"] == first.count("failed") + first.count("syntax")
    assert rows[0]["untested"] == first.count("infrastructure") + first.count("")
    judged = rows[0]["passed"] + rows[0]["failed"]
    assert rows[0]["share"]["value"] == (rows[0]["passed"] / judged if judged else None)
    assert rows[0]["share"]["n"] == judged


def test_keystrokes_saved_over_a_tape_end_at_the_figure_of_the_run():
    draw = random.Random(5)
    records = [
        record(at, tape=draw.choice("ab"), covered=tuple(range(at, at + draw.randrange(6))), keys=draw.randrange(1, 3))
        for at in draw.sample(range(400), 120)
    ]
    curves = saved_over_tape(records)
    assert sum(curve[-1][1] for curve in curves.values()) == keystrokes_saved(records, 400)["value"]
    for curve in curves.values():
        assert [event for event, _ in curve] == sorted(event for event, _ in curve)


def test_an_edit_is_saved_once():
    records = [
        record(1, covered=(1, 2, 3, 4)),
        record(2, covered=(2, 3, 4)),
        record(7, covered=(7, 8), keys=2),
        record(9, covered=(9, 10, 11)),
    ]
    assert saved_over_tape(records) == {"a": [(1, 3), (9, 5)]}


def test_a_repair_counts_once_an_answer_and_apart_where_it_was_undone():
    trail = (TrailStep("prose", "a", "b"), TrailStep("prose", "b", "c"), TrailStep("stop", "c", "", undone=True))
    records = [record(1, trail=trail), record(2, trail=trail[:1]), record(3)]
    assert changes_by_repair(records) == {"prose": {"changed": 2, "undone": 0}, "stop": {"changed": 0, "undone": 1}}


def test_a_moment_flows_through_the_stages_that_it_reaches():
    records = [
        record(1),
        record(2, "syntax", ending="rejected"),
        record(3, "untestable", ending="late"),
        record(4, None, ending="empty"),
        given_up(5, 10),
        Record(moment=record(6).moment, ending=Ending("gated", "mid-word")),
    ]
    links = flow(records)
    assert FlowLink(0, "moments", "asked", 5) in links
    assert FlowLink(0, "moments", "gated", 1) in links
    assert FlowLink(1, "asked", "answered", 4) in links
    assert FlowLink(1, "asked", "superseded", 1) in links
    assert {(link.source, link.target) for link in links if link.stage == 3} == {
        ("accepted", "passed"),
        ("rejected", "failed"),
        ("late", "untestable"),
        ("empty", "untested"),
    }


def test_what_flows_on_from_a_name_is_no_more_than_what_comes_into_it():
    draw = random.Random(6)
    endings = ["gated", "failed", "cancelled", "late", "shown", "accepted", "rejected"]
    records = [record_of(at, draw.choice(endings), draw.choice(["passed", "failed"])) for at in range(300)]
    links = flow(records)
    assert sum(link.count for link in links if link.stage == 0) == 300
    for link in links:
        if link.stage:
            into = sum(one.count for one in links if one.stage == link.stage - 1 and one.target == link.source)
            on = sum(one.count for one in links if one.stage == link.stage and one.source == link.source)
            assert on == into
