"""Several answers to one question are one moment in a comparison, against numpy, scipy and statsmodels."""

from fractions import Fraction

import numpy as np
import pytest
from msgspec import structs
from scipy import stats

from replay.numbers.comparison import ComparedRun, compare, words
from replay.numbers.differences import paired_difference
from tests.support.tapes import record_of

SAMPLES, PAIRS = 5, 1_000
MOST = int(stats.binom.ppf(0.995, PAIRS, 0.05))


def run(name, passed):
    """A run of which each row is a moment, with an answer a column; each moment is alone in its hole."""
    records = []
    for at, answers in enumerate(passed):
        for sample, one in enumerate(answers):
            record = record_of(at, "shown", "passed" if one else "failed")
            records.append(structs.replace(record, moment=structs.replace(record.moment, sample=sample)))
    return ComparedRun(name, {"samples": len(passed[0])}, records)


def test_moments_are_counted_and_not_answers_and_the_interval_is_that_of_their_means():
    rng = np.random.default_rng(1)
    first, second = rng.random((60, SAMPLES)) < 0.4, rng.random((60, SAMPLES)) < 0.5
    found = compare(run("one", first), run("two", second), "hole", 0.05)
    difference = found["difference"]
    expected = stats.ttest_rel(second.mean(axis=1), first.mean(axis=1)).confidence_interval()
    assert (difference["n"], difference["clusters"], found["moments"], found["shared"]) == (60, 60, [60, 60], 60)
    assert [difference["net"][end] for end in ("low", "high")] == pytest.approx([expected.low, expected.high])
    assert found["passed"] == pytest.approx([first.mean(axis=1).sum(), second.mean(axis=1).sum()])
    assert "over 60 moments in 60 holes" in difference["sentence"]


def test_p_is_that_of_all_choices_of_signs_of_the_means():
    rng = np.random.default_rng(2)
    first, second = rng.random((12, SAMPLES)) < 0.3, rng.random((12, SAMPLES)) < 0.6
    means = (second.sum(axis=1) - first.sum(axis=1)).astype(float)
    expected = stats.permutation_test((means,), np.sum, permutation_type="samples", n_resamples=np.inf)
    found = compare(run("one", first), run("two", second), "hole", 0.05)["difference"]
    assert found["p"] == pytest.approx(expected.pvalue)


def test_an_answer_that_could_not_be_tested_leaves_its_moment_the_others():
    first, second = run("one", [[1, 0, 1]]), run("two", [[1, 1, 0]])
    lost = structs.replace(second.records[2], verdict=structs.replace(second.records[2].verdict, name="infrastructure"))
    found = compare(first, ComparedRun("two", {}, [*second.records[:2], lost]), "hole", 0.05)
    assert found["difference"]["net"]["value"] == pytest.approx(1 - 2 / 3)
    assert [one["passed"] for one in found["changed"][0]["answers"]] == [2, 2]


def test_of_equal_models_with_five_samples_each_at_most_5_of_100_pairs_are_called_different():
    rng = np.random.default_rng(18)
    shares = rng.beta(2, 3, (PAIRS, 60))
    first, second = (rng.binomial(SAMPLES, shares).tolist() for _ in range(2))
    different = 0
    for one, other in zip(first, second, strict=True):
        both = zip(one, other, strict=True)
        told = paired_difference(
            (str(at // 2), Fraction(b, SAMPLES), Fraction(a, SAMPLES)) for at, (a, b) in enumerate(both)
        )
        different += words(told["net"], told["p"], 0.05) in {"more", "fewer"}
    assert 0 < different <= MOST
