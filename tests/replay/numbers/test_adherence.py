"""Figures of adherence, beside what is counted by hand and scipy's interval."""

import pytest
from msgspec import structs
from scipy.stats import binomtest

from replay.numbers.adherence import adherence_summary
from replay.records import Verdict
from tests.support.tapes import record_of

ROWS = [
    # a, b, verdict
    ("followed", "followed", "passed"),
    ("followed", "broken", "passed"),
    ("followed", "not concerned", "assertion"),
    ("broken", "not concerned", "passed"),
    ("not concerned", "not concerned", "passed"),
    ("unparsable", "unparsable", "syntax"),
    ("followed", "broken", "untestable"),
    ("broken", "broken", "infrastructure"),
]


def record(number, a, b, name, sample=0):
    found = record_of(number, "shown", name)
    verdict = Verdict(name=name, instructions={"a": a, "b": b})
    return structs.replace(
        found, moment=structs.replace(found.moment, hole=f"{number}", sample=sample), verdict=verdict
    )


@pytest.fixture
def summary():
    return adherence_summary([record(number, *row) for number, row in enumerate(ROWS)], ["a", "b"], "hole")


def test_adherence_is_the_share_that_follows_of_those_concerned_with_its_interval(summary):
    found = summary["by_id"]["a"]
    assert found["results"] == {"followed": 4, "broken": 2, "not concerned": 1, "unparsable": 1}
    wilson = binomtest(4, 6).proportion_ci(method="wilson")
    assert found["adherence"]["value"] == pytest.approx(4 / 6)
    assert (found["adherence"]["low"], found["adherence"]["high"]) == pytest.approx((wilson.low, wilson.high))


def test_what_follows_and_fails_is_counted_apart_and_what_nobody_could_test_is_not(summary):
    found = summary["by_id"]["a"]
    assert (found["follows_and_fails"], found["breaks_and_passes"]) == (1, 1)
    assert (found["follows_and_passes"]["value"], found["follows_and_passes"]["n"]) == (0.5, 4)


def test_all_together_follow_where_one_is_followed_and_none_broken(summary):
    assert summary["suggestions"] == 8
    assert summary["all"]["results"] == {"broken": 4, "followed": 2, "not concerned": 1, "unparsable": 1}
    assert summary["all"]["adherence"]["value"] == pytest.approx(2 / 6)


def test_several_answers_to_one_question_are_one_moment():
    rows = [
        record(0, "followed", "followed", "passed"),
        record(0, "broken", "followed", "passed", 1),
        record(1, "broken", "followed", "passed"),
    ]
    found = adherence_summary(rows, ["a"], "hole")["by_id"]["a"]["adherence"]
    assert (found["value"], found["n"]) == (0.25, 2)


def test_records_that_were_not_checked_do_not_count():
    unchecked = record_of(0, "shown", "passed")
    found = adherence_summary([unchecked], ["a"], "hole")
    assert (found["suggestions"], found["by_id"]["a"]["adherence"]["value"]) == (0, None)
