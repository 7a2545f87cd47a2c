"""The figures of Codev-Bench by sub-case and type of block, against means, intervals and counts computed by other means."""

from __future__ import annotations

from statistics import fmean

import pytest
from scipy import stats

from corpora.codev.block_scores import block_figures
from corpora.outcomes import TaskOutcome
from corpora.tasks import Task
from replay.records import Ending, Record, Suggestion, Verdict
from tests.support.codev_tasks import PYTHON, task

ANSWERED = [
    ("found += price", "found += price", "passed", 10.0),
    ("found += price", "found += price\n            found = 2", "assertion", 30.0),
    ("return x", "", "assertion", 20.0),
    ("if price > 1:\n            found += price", "found = 1\n    return found", "untestable", 40.0),
]
"""Truth, answer, verdict, latency (ms)."""


def asked() -> list[tuple[Task, Record]]:
    """A task for each answer, each in a function of its own, the last of another type and sub-case."""
    found = []
    for number, (truth, answer, name, latency) in enumerate(ANSWERED):
        more = {"category": "IF", "scenario": "inner"} if "if" in truth else {"scenario": "full"}
        one = task(PYTHON, truth, name=f"n{number}", path=f"{number}/a.py", function=f"a.py:{number}", **more)
        offered = Suggestion(text=answer, start=0, end=0, latency=latency)
        reason = "undetected" if name == "untestable" else ""
        verdict = Verdict(name=name, reason=reason)  # type: ignore[arg-type]
        record = Record(moment=one.moment(), ending=Ending("shown"), suggestion=offered, verdict=verdict)
        found.append((one, record))
    return found


def rows() -> dict[tuple[str, str], dict]:
    tasks, records = zip(*asked(), strict=True)
    outcomes = [TaskOutcome(one, ((0, record.verdict),)) for one, record in asked() if record.verdict]
    found = block_figures(tasks, records, outcomes, "function")
    return {(row["scenario"], row["type"]): row for row in found}


def test_there_is_a_row_for_each_sub_case_and_type_and_for_all() -> None:
    assert [(*place, row["tasks"], row["testable"], row["passed"]) for place, row in rows().items()] == [
        ("full", "STATEMENT", 3, 3, 1),
        ("full", "all", 3, 3, 1),
        ("inner", "IF", 1, 0, 0),
        ("inner", "all", 1, 0, 0),
        ("all", "STATEMENT", 3, 3, 1),
        ("all", "IF", 1, 0, 0),
        ("all", "all", 4, 3, 1),
    ]


def test_pass_at_1_is_over_testable_tasks_with_wilsons_interval() -> None:
    known = stats.binomtest(1, 3).proportion_ci(method="wilson")
    found = rows()["all", "all"]["pass_at_1"]
    assert (found["value"], found["low"], found["high"]) == pytest.approx((1 / 3, known.low, known.high))


def test_lines_and_latency_are_means_with_students_interval() -> None:
    row = rows()["full", "all"]
    latencies = [latency for *_, latency in ANSWERED[:3]]
    low, high = stats.t.interval(0.95, 2, loc=fmean(latencies), scale=stats.sem(latencies))
    found = row["latency_ms"]["mean"]
    assert (found["value"], found["low"], found["high"]) == pytest.approx((20.0, low, high))
    assert row["lines"]["published"]["value"] == pytest.approx(fmean([1, 2, 1]))
    assert row["lines"]["answers"]["value"] == pytest.approx(fmean([1, 2, 0]))
    assert row["lines"]["truths"]["value"] == 1


def test_similarity_is_over_all_answers_also_untestable_ones() -> None:
    similarity = rows()["all", "all"]["similarity"]
    assert similarity["published"]["n"] == similarity["paper"]["n"] == 4
    # of `found += price` and the same with `\n            found = 2`: 14 of (14 + 36) / 2 characters, 4 of 7 tokens
    two = rows()["full", "all"]["similarity"]
    assert two["published"]["value"] == pytest.approx(fmean([1, 0.56, 0]))
    assert two["paper"]["value"] == pytest.approx(fmean([1, 4 / 7, 0]))


def test_with_extra_rules_a_pass_must_keep_them_too() -> None:
    tasks, records = zip(*asked(), strict=True)
    outcomes = [TaskOutcome(one, ((0, record.verdict),)) for one, record in asked() if record.verdict]
    known = stats.binomtest(1, 3).proportion_ci(method="wilson")
    for rules, value in [(("indent", "one-line"), 1 / 3), (("empty",), 0.0), ((), None)]:
        row = block_figures(tasks, records, outcomes, "function", rules)[-1]  # type: ignore[arg-type]
        assert ("by_rules" in row) == bool(rules)
        assert row.get("by_rules", {}).get("value") == (None if value is None else pytest.approx(value))
    found = block_figures(tasks, records, outcomes, "function", ("indent",))[-1]["by_rules"]
    assert (found["n"], found["low"], found["high"]) == pytest.approx((3, known.low, known.high))


def test_errors_are_counted_of_answers_that_failed_alone() -> None:
    errors = rows()["all", "all"]["errors"]
    assert errors["failed"] == 2
    assert {name: one["answers"] for name, one in errors["by"].items()} == {"stops-late": 1, "stops-early": 1}
    known = stats.binomtest(1, 2).proportion_ci(method="wilson")
    assert errors["by"]["stops-late"]["share"]["low"] == pytest.approx(known.low)
