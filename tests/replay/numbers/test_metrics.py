"""The figures of a run against the same figures found by other means."""

import math
import random
import statistics

import numpy as np
import pytest
from msgspec import structs
from scipy import stats

from replay.numbers.figures import summary
from replay.numbers.intervals import clustered_share, ratio_spread, share
from replay.numbers.metrics import (
    acceptance,
    driven,
    keystrokes_saved,
    latency_ms,
    pass_at_1,
    pass_at_each_k,
    pass_by_hole,
    pass_by_length,
    passed_in_time,
    share_testable,
    shares,
    silence,
    unmeasured,
)
from replay.records import Effort, Missed, NextEdit, Suggestion, Verdict
from tests.support.tapes import record_of

Z = statistics.NormalDist().inv_cdf(0.975)


def wilson(successes, n):
    """The closed formula (Wilson 1927) with the 97.5 % point of the normal distribution."""
    p = successes / n
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return middle - half, middle + half


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (27, 64), (999, 1000)])
def test_a_share_has_the_wilson_interval(successes, n):
    figures = share(successes, n)
    low, high = wilson(successes, n)
    assert (figures["value"], figures["n"]) == (successes / n, n)
    assert figures["low"] == pytest.approx(low, abs=1e-9)
    assert figures["high"] == pytest.approx(high, abs=1e-9)


def test_a_share_of_nothing_has_no_value():
    expected = {"value": None, "low": None, "high": None, "n": 0, "clusters": 0, "design_effect": None}
    assert share(0, 0) == expected


def placed(record, hole="", function="", **fields):
    return structs.replace(record, moment=structs.replace(record.moment, hole=hole, function=function, **fields))


def bare(found):
    """pass@1 without the share that is testable."""
    return {name: value for name, value in found.items() if name != "testable"}


def saved(records, typed):
    found = keystrokes_saved(records, typed)
    return {name: found[name] for name in ("value", "of")}


JUDGED = [
    record_of(1, "accepted", "passed"),
    record_of(2, "rejected", "failed"),
    record_of(3, "empty", "failed"),
    record_of(4, "filtered", "syntax", reason="prose"),
    record_of(5, "late", "passed"),
    record_of(6, "shown", "timeout"),
]
NOT_JUDGED = [
    record_of(7, "rejected", "untestable"),
    record_of(8, "accepted", "infrastructure"),
    record_of(9, "failed", latency=0.0, reason="no answer"),
    record_of(10, "superseded"),
    record_of(11, "cancelled"),
    record_of(12, "debounced", latency=None),
    record_of(13, "gated", latency=None, reason="agent"),
]


def test_pass_at_1_counts_every_answer_that_was_asked_for_also_the_empty_the_filtered_and_the_late():
    assert bare(pass_at_1(JUDGED)) == share(2, 6)


@pytest.mark.parametrize("record", NOT_JUDGED, ids=lambda record: record.ending.name)
def test_pass_at_1_leaves_out_what_says_nothing_about_the_model(record):
    assert bare(pass_at_1([*JUDGED, record])) == share(2, 6)


def test_pass_at_1_of_nothing_testable_has_no_value():
    assert pass_at_1(NOT_JUDGED)["value"] is None


def in_time(records):
    found = passed_in_time(records)
    return tuple(found[name] for name in ("value", "n", "too_late", "unanswered"))


def test_what_passed_but_came_late_is_not_passed_in_time():
    assert in_time(JUDGED) == (1 / 6, 6, 1, 0)


def given_up(event, ending, verdict, *, suggestion=True, failed=""):
    """A request that was given up, and what was found out of its answer (no verdict: nothing)."""
    text = Suggestion(text="x", start=0, end=0, latency=0.0) if suggestion else None
    missed = Missed(suggestion=text, failed=failed, verdict=verdict and Verdict(name=verdict))
    return structs.replace(record_of(event, ending, latency=None), missed=missed)


def test_what_passed_in_time_is_a_share_of_what_was_given_up_too():
    """By hand: of 4 passed and 6 other verdicts one passed in time; two verdicts say nothing; three requests have no answer."""
    missed = [
        given_up(20, "superseded", "passed"),
        given_up(21, "cancelled", "passed"),
        given_up(22, "superseded", "failed"),
        given_up(23, "superseded", "syntax"),
        given_up(24, "superseded", "untestable"),
        given_up(25, "cancelled", "infrastructure"),
        given_up(26, "superseded", None, suggestion=False, failed="no answer"),
        record_of(27, "superseded", latency=None),
        record_of(28, "failed", latency=None, reason="no answer"),
        record_of(29, "debounced", latency=None),
        record_of(30, "gated", latency=None),
    ]
    assert in_time(JUDGED + missed) == (1 / 10, 10, 3, 3)
    assert pass_at_1(JUDGED + missed) | {"testable": None} == pass_at_1(JUDGED) | {"testable": None}


def test_silence_is_of_the_answered_moments_after_which_nothing_follows():
    def asked(at, ending, kind):
        record = record_of(at, ending)
        return structs.replace(record, moment=structs.replace(record.moment, next_edit=NextEdit(kind=kind)))

    records = [
        asked(0, "empty", "silence"),
        asked(1, "shown", "silence"),
        asked(2, "empty", "silence"),
        asked(3, "failed", "silence"),
        asked(4, "empty", "jump"),
        record_of(5, "empty"),
    ]
    found = silence(records)
    assert (found["value"], found["n"]) == (2 / 3, 3)
    assert silence(records[3:]) == {}


def test_acceptance_is_of_what_was_shown_whole_or_in_part():
    shown = [record_of(at, name) for at, name in enumerate(["accepted", "part", "typed-through", "rejected", "shown"])]
    unseen = [record_of(at, name) for at, name in enumerate(["late", "empty", "filtered", "failed", "gated"], 10)]
    assert acceptance(shown + unseen) == share(2, 5)


@pytest.mark.parametrize("n", [2, 3, 10, 1001])
def test_latency_quantiles_are_the_inclusive_ones(n):
    draw = random.Random(n)
    values = [draw.expovariate(1 / 200) for _ in range(n)]
    figures = latency_ms(record_of(at, "shown", latency=value) for at, value in enumerate(values))
    expected = statistics.quantiles(values, n=100, method="inclusive")
    for point in (50, 75, 90, 95, 99):
        assert figures[f"p{point}"] == pytest.approx(expected[point - 1])
    assert figures["n"] == n


def test_the_interval_of_the_median_is_that_of_order_statistics():
    figures = latency_ms(record_of(at, "shown", latency=float(at)) for at in range(1, 11))
    outside = 2 * sum(math.comb(10, k) for k in range(2)) / 2**10
    assert outside < 0.05 < 2 * sum(math.comb(10, k) for k in range(3)) / 2**10
    assert (figures["p50_low"], figures["p50_high"]) == (2.0, 9.0)


def test_one_latency_has_a_median_but_no_interval():
    figures = latency_ms([record_of(1, "shown", latency=5.0)])
    assert (figures["p50"], figures["p50_low"], figures["p50_high"]) == (5.0, None, None)


def test_failed_requests_and_moments_that_were_never_asked_have_no_latency():
    assert latency_ms([record_of(1, "failed", latency=1.0), record_of(2, "gated", latency=None)]) == {"n": 0}


def test_what_was_superseded_still_took_its_time():
    assert latency_ms([record_of(1, "superseded", latency=7.0)])["p50"] == 7.0


def test_an_accepted_suggestion_saves_its_edits_less_the_key_that_accepts():
    assert saved([record_of(1, "accepted", covered=[1, 2, 3, 4])], typed=10) == {"value": 3, "of": 10}


def test_a_stretch_that_two_suggestions_would_have_written_is_saved_once():
    records = [
        record_of(1, "accepted", covered=[1, 2, 3, 4]),
        record_of(3, "accepted", covered=[3, 4, 5, 6]),
        record_of(5, "accepted", covered=[5, 6]),
    ]
    assert keystrokes_saved(records, typed=6)["value"] == (4 - 1) + (2 - 1)


def test_which_of_two_overlapping_suggestions_counts_does_not_hang_on_the_order_of_the_records():
    records = [record_of(3, "accepted", covered=[3, 4, 5]), record_of(1, "accepted", covered=[1, 2, 3])]
    assert keystrokes_saved(records, 5) == keystrokes_saved(records[::-1], 5)
    assert saved(records, 5) == {"value": 2, "of": 5}


def test_edits_of_the_same_number_on_two_tapes_are_two_edits():
    records = [record_of(1, "accepted", covered=[1, 2], tape=tape) for tape in ("one", "two")]
    assert keystrokes_saved(records, 4)["value"] == 2


def test_a_summary_adds_up_over_its_tapes():
    records = [*JUDGED, *NOT_JUDGED, record_of(1, "accepted", "passed", tape="other", covered=[1, 2])]
    figures = summary(records, {"small": 30, "other": 5})
    assert figures["moments"] == 14 == sum(figures["endings"].values())
    assert figures["metrics"]["keystrokes_saved"]["value"] == 1
    assert figures["metrics"]["keystrokes_saved"]["of"] == 35
    assert bare(figures["tapes"]["small"]["metrics"]["pass_at_1"]) == share(2, 6)
    assert bare(figures["tapes"]["other"]["metrics"]["pass_at_1"]) == share(1, 1)
    assert bare(figures["metrics"]["pass_at_1"]) == share(3, 7)
    assert figures["reasons"] == {"filtered(prose)": 1, "failed(no answer)": 1, "gated(agent)": 1}
    assert figures["untestable"] == {"": 1}
    assert "untestable" not in figures["verdicts"]


def test_a_tape_without_moments_is_in_the_summary():
    assert summary([], {"quiet": 3})["tapes"]["quiet"]["moments"] == 0


@pytest.mark.parametrize("n", [1, 2, 5, 6, 30, 1633])
def test_intervals_are_those_of_scipy_to_the_last_bit(n):
    for successes in {0, 1, n // 3, n}:
        wilson = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
        assert (share(successes, n)["low"], share(successes, n)["high"]) == (wilson.low, wilson.high)
    median = stats.quantile_test(range(n), p=0.5).confidence_interval(0.95)
    found = latency_ms(record_of(at, "shown", latency=float(at)) for at in range(n))
    assert [None if np.isnan(end) else end for end in median] == [found["p50_low"], found["p50_high"]]


HOLES = ["a.py:40", "a.py:40", "a.py:60", "b.py:40", ""]


def in_holes(*passed):
    """Records with so many moments passed and failed in each hole."""
    found, event = [], 0
    for hole, (good, bad) in zip(HOLES, passed, strict=False):
        for name in ["passed"] * good + ["failed"] * bad:
            event += 1
            found.append(placed(record_of(event, "shown", name), hole, f"{hole[:4]}:1" if hole else ""))
    return found


def test_moments_whose_holes_end_at_one_place_are_a_cluster_and_those_without_a_hole_stand_alone():
    found = pass_at_1(in_holes((2, 0), (0, 1), (1, 1), (0, 2), (1, 1)))
    expected = clustered_share([*zip("aaabbcc", [1, 1, 0, 1, 0, 0, 0], strict=True), ("d", 1), ("e", 0)])
    assert bare(found) == expected
    assert (found["n"], found["clusters"]) == (9, 5)


@pytest.mark.parametrize(("by", "clusters"), [("hole", 4), ("function", 3), ("program", 3), ("tape", 2)])
def test_the_clusters_are_those_that_are_chosen(by, clusters):
    records = in_holes((2, 0), (0, 1), (1, 1))
    records += [placed(record_of(50, "shown", "passed"), "a.py:40", "a.py:1", tape="other")]
    alone = record_of(60, "shown", "failed")
    records += [placed(alone, path="x.py"), placed(alone, path="x.py", sample=1)]
    assert pass_at_1(records, by)["clusters"] == clusters
    assert summary(records, {"small": 9}, by=by)["cluster_by"] == by


def test_by_hole_each_hole_counts_once():
    records = in_holes((9, 0), (0, 0), (0, 1))
    assert pass_at_1(records)["value"] == 0.9
    assert pass_by_hole(records) == share(1, 2)


def test_pass_at_1_never_stands_without_the_share_that_is_testable():
    assert pass_at_1([*JUDGED, *NOT_JUDGED])["testable"] == share_testable([*JUDGED, *NOT_JUDGED]) == share(6, 7)


def samples(event, names, truth="x", hole=""):
    """The answers to one question, with these verdicts."""
    records = [record_of(event, "shown", name) for name in names]
    return [placed(record, hole, truth=truth, sample=number) for number, record in enumerate(records)]


def test_several_answers_to_one_question_are_one_moment_in_every_share():
    """Eight answers, six of which pass, to four questions: one of them is right five times."""
    records = [
        *samples(1, ["passed"] * 5, hole="a.py:9"),
        *samples(2, ["failed", "passed"], hole="a.py:9"),
        *samples(3, ["untestable", "failed"], truth="x" * 6, hole="a.py:20"),
        *samples(4, ["untestable", "untestable", "infrastructure"], hole="a.py:30"),
    ]
    found = pass_at_1(records, "program")
    assert (found["value"], found["n"]) == (pytest.approx((1 + 1 / 2 + 0) / 3), 3)
    assert found["testable"]["value"] == pytest.approx(3 / 4)
    assert bare(found) == pass_at_each_k(records, 2, "program")["1"]
    lengths = {name: (figure["value"], figure["n"]) for name, figure in pass_by_length(records).items() if figure["n"]}
    assert lengths == {"1-5": (0.75, 2), "6-20": (0.0, 1)}
    by_hole = pass_by_hole(records)
    assert (by_hole["value"], by_hole["n"]) == (pytest.approx((0.75 + 0) / 2), 2)
    untestable = shares(records)["untestable"][""]
    assert (untestable["value"], untestable["n"]) == (pytest.approx((0 + 0 + 1 / 2 + 1) / 4), 4)


def test_by_length_of_truth_white_space_at_its_ends_aside():
    lengths = {1: "1-5", 5: "1-5", 6: "6-20", 20: "6-20", 21: "21-80", 80: "21-80", 81: "over 80"}
    records = [placed(record_of(size, "shown", "passed"), truth=f"\n  {'x' * size} \n") for size in lengths]
    found = pass_by_length([*records, placed(record_of(99, "shown", "failed"), truth="xxxx")])
    assert found == {"1-5": share(2, 3), "6-20": share(2, 2), "21-80": share(2, 2), "over 80": share(1, 1)}


def test_each_ending_and_each_reason_of_untestable_has_its_share():
    records = [
        record_of(1, "shown", "passed"),
        *(placed(record_of(at, "accepted", "untestable"), "a.py:1-9") for at in (2, 3)),
        record_of(4, "shown", "infrastructure"),
        record_of(5, "gated"),
    ]
    found = shares(records)
    assert found["endings"]["shown"]["value"] == 2 / 5
    assert found["endings"]["accepted"] == clustered_share([("a", 0), ("b", 1), ("b", 1), ("c", 0), ("d", 0)])
    assert found["untestable"] == {"": clustered_share([("a", 0), ("b", 1), ("b", 1)])}


def test_keystrokes_saved_have_the_interval_of_a_sum_over_clusters():
    records = [
        record_of(at, "accepted", covered=range(10 * at, 10 * at + keys)) for at, keys in enumerate([4, 1, 7, 2])
    ]
    found = keystrokes_saved(records, 50)
    assert (found["value"], found["share"], found["clusters"]) == (10, 0.2, 4)
    draws = [3, 0, 6, 1]
    error = statistics.stdev(draws) * math.sqrt(4) / sum(draws)
    reach = math.exp(stats.t.ppf(0.975, 100 / 46 - 1) * error)
    assert (found["low"], found["high"]) == (pytest.approx(0.2 / reach), 1.0)
    longer = keystrokes_saved(records, 50_000)
    assert longer["high"] == pytest.approx(10 * reach / 50_000)


def test_what_saves_nothing_has_no_interval():
    assert keystrokes_saved([record_of(at, "rejected") for at in range(9)], 50)["high"] is None


def test_in_drive_mode_the_tapes_are_the_clusters():
    efforts = [Effort(tape=100, typed=60), Effort(tape=300, typed=100), Effort(tape=200, typed=150), Effort(accepts=1)]
    found = driven(efforts)
    spread = ratio_spread([40, 200, 50], [100, 300, 200])
    half = stats.t.ppf(0.975, spread.degrees) * spread.variance**0.5
    assert (found["value"], found["of"], found["clusters"], found["cluster_by"]) == (289, 600, 3, "tape")
    assert found["low"] == pytest.approx(290 / 600 - half)
    assert found["high"] == 1.0
    assert driven(efforts[:1])["low"] is None


def test_what_was_not_measured_has_no_quantile_and_no_interval():
    found = latency_ms(record_of(at, "shown", latency=float(at)) for at in range(30))
    assert {name for name, value in unmeasured(found).items() if value is None} == found.keys() - {"n", "clusters"}
