"""Paired differences against brute force and statsmodels; the published examples of single pairs are in test_effects.py."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

from replay.numbers.differences import holm, paired, paired_difference, sign_test
from replay.numbers.intervals import spread_of


@given(st.lists(st.integers(-6, 6), max_size=8))
def test_the_sign_test_counts_all_choices_of_signs(sums):
    choices = list(itertools.product([1, -1], repeat=len(sums)))
    far = [sum(map(int.__mul__, sums, signs)) for signs in choices]
    expected = sum(abs(one) >= abs(sum(sums)) for one in far) / len(choices)
    assert sign_test(sums) == pytest.approx(expected)


@pytest.mark.parametrize(("gained", "broken"), [(5, 0), (12, 3), (7, 7), (1, 9)])
def test_with_single_moments_it_is_mcnemars_exact_test(gained, broken):
    expected = mcnemar([[20, gained], [broken, 9]], exact=True).pvalue
    assert sign_test([1] * gained + [-1] * broken) == pytest.approx(expected)
    pairs = [(True, False)] * gained + [(False, True)] * broken + [(True, True)] * 20 + [(False, False)] * 9
    found = paired_difference((str(at), *pair) for at, pair in enumerate(pairs))
    assert found["p"] == pytest.approx(expected)
    assert found["net"] == paired(gained, broken, 20 + gained, 29 + gained + broken)["net"]
    assert (found["gained"], found["broken"], found["design_effect"]) == (gained, broken, 1.0)


def test_in_clusters_the_interval_is_that_of_the_mean_difference():
    clusters = [[(1, 0), (1, 0), (1, 1)], [(0, 1)], [(1, 0), (0, 0)], [(1, 1), (1, 0)]]
    pairs = [(str(at), bool(a), bool(b)) for at, own in enumerate(clusters) for a, b in own]
    found = paired_difference(pairs)
    spread = spread_of([[a - b for a, b in own] for own in clusters])
    half = stats.t.ppf(0.975, spread.degrees) * spread.variance**0.5
    assert found["net"] == {"value": pytest.approx(3 / 8), "low": pytest.approx(3 / 8 - half), "high": 1.0}
    assert found["p"] == pytest.approx(8 / 16)  # of the sums 2, -1, 1, 1: 5 and three times 3, and their opposites
    assert (found["n"], found["clusters"], found["gained"], found["broken"]) == (8, 4, 4, 1)


def test_runs_that_never_differ_are_not_sure_that_there_is_nothing():
    pairs = [(str(at // 3), True, True) for at in range(30)]
    found = paired_difference(pairs)
    assert found["p"] == 1.0
    assert found["net"]["low"] < 0 < found["net"]["high"]
    assert found["net"] == paired(0, 0, 10, 10)["net"]


@pytest.mark.parametrize(("first", "second", "sign"), [(True, False, 1), (False, True, -1)])
def test_runs_that_differ_everywhere_are_sure_that_they_do(first, second, sign):
    found = paired_difference((str(at // 2), first, second) for at in range(80))
    ends = confint_proportions_2indep(
        40, 40, 0, 40, method="newcomb"
    )  # Newcombe's, as nothing correlates where no share varies
    assert found["p"] == pytest.approx(2**-39)
    assert found["net"]["value"] == sign
    assert sorted(sign * found["net"][end] for end in ("low", "high")) == pytest.approx(ends)


def test_unequal_clusters_that_all_differ_count_as_the_equal_ones_they_are_worth():
    sizes = [6, 3, 2, 1]
    found = paired_difference((str(at), True, False) for at, size in enumerate(sizes) for _ in range(size))
    worth = round(sum(sizes) ** 2 / sum(size**2 for size in sizes))
    low, _ = confint_proportions_2indep(worth, worth, 0, worth, method="newcomb")
    assert found["net"] == {"value": 1.0, "low": pytest.approx(low), "high": 1.0}
    assert found["p"] == 2 / 2**4


def test_nothing_and_a_single_cluster_have_no_interval():
    assert paired_difference([])["net"] == {"value": None, "low": None, "high": None}
    assert paired_difference([("a", True, False), ("a", True, True)])["net"] == {
        "value": 0.5,
        "low": None,
        "high": None,
    }


@pytest.mark.parametrize("chances", [[0.01, 0.04, 0.03], [0.5], [0.9, 0.001, 0.02, 0.02, 1.0], [0.0, 0.3, 0.049]])
def test_holm_is_that_of_statsmodels(chances):
    assert holm(chances) == pytest.approx(list(multipletests(chances, method="holm")[1]))


def test_what_has_no_p_takes_no_part():
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]


def test_a_single_cluster_has_no_p():
    assert paired_difference([("a", True, False)] * 5)["p"] is None
    assert paired_difference([("a", True, False)])["p"] is None
    assert paired_difference([("a", True, False), ("b", True, False)])["p"] == pytest.approx(0.5)


def test_no_difference_reaches_beyond_100_points():
    # by hand: cluster means 1, 1, 1 and 0; Student's t of 3 degrees is 3.18, the standard error 0.25: 0.75 + 0.80 is cut at 1
    shares = [(cluster, int(cluster != "d"), 0) for cluster in "abcd" for _ in range(2)]
    found = paired_difference(shares)["net"]
    assert (found["value"], found["high"]) == (0.75, 1.0)
    assert found["low"] == pytest.approx(0.75 - 3.1824 * 0.25, abs=1e-3)
    turned = paired_difference([(cluster, one, other) for cluster, other, one in shares])["net"]
    assert turned["low"] == -1.0
