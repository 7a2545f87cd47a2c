"""Intervals of clustered moments against matrices, brute force, scipy and statsmodels."""

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats
from statsmodels.stats.proportion import proportion_confint

from replay.numbers.intervals import (
    _degrees,
    clustered_mean,
    clustered_share,
    intra_cluster_correlation,
    quantile_interval,
    ratio_spread,
    share,
    spread_of,
    wilson,
)
from tests.support.scale import sampled
from tools.interval_coverage import coverage, difference_coverage, keys_coverage, ours, quantile_coverage, sizes
from tools.interval_coverage import wilson as wilsons

UNEQUAL = [[1, 1, 1, 1], [0, 0, 0, 0], [1, 0], [1, 1, 0], [0]]
EQUAL = [[1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 0], [1, 1, 0]]
Z = statistics.NormalDist().inv_cdf(0.975)


def members(clusters):
    return [(str(at), value) for at, own in enumerate(clusters) for value in own]


def by_matrices(clusters, correlation):
    """CR2 and its degrees of freedom for the mean, from the general formulas for least squares (Bell and McCaffrey 2002, §3 and §4).

    Each cluster's residuals are multiplied by the inverse root of its block of I - H. The quadratic form is taken in the moments.
    """
    y = np.array([value for own in clusters for value in own], float)
    n = len(y)
    residual = np.eye(n) - np.ones((n, n)) / n
    at = np.repeat(np.arange(len(clusters)), [len(own) for own in clusters])
    variance, form = 0.0, np.zeros((n, n))
    for cluster in range(len(clusters)):
        mine = at == cluster
        root = linalg.fractional_matrix_power(np.eye(mine.sum()) - np.ones((mine.sum(), mine.sum())) / n, -0.5).real
        weights = np.ones(mine.sum()) @ root @ residual[mine] / n
        variance += float(weights @ y) ** 2
        form += np.outer(weights, weights)
    working = np.where(at[:, None] == at[None, :], correlation, 0.0)
    np.fill_diagonal(working, 1.0)
    product = form @ working
    return variance, np.trace(product) ** 2 / np.trace(product @ product)


def exact_degrees(sizes, correlation):
    """tr(AV)² / tr(AVAV) with all entries of A = (I - 1w')' D (I - 1w') as fractions."""
    n, every = sum(sizes), range(len(sizes))
    w = [Fraction(size, n) for size in sizes]
    v = [Fraction(correlation) + (1 - Fraction(correlation)) / size for size in sizes]
    d = [weight**2 / (1 - weight) for weight in w]
    form = [[d[i] * (i == j) - w[i] * d[j] - d[i] * w[j] + sum(d) * w[i] * w[j] for j in every] for i in every]
    trace = sum(form[i][i] * v[i] for i in every)
    return float(trace**2 / sum(form[i][j] ** 2 * v[i] * v[j] for i in every for j in every))


@given(st.lists(st.integers(1, 100_000), min_size=2, max_size=6), st.floats(0, 1))
def test_degrees_of_freedom_are_those_of_fractions_however_unequal_the_clusters_are(sizes, correlation):
    n = sum(sizes)
    scales = [correlation + (1 - correlation) / size for size in sizes]
    assert _degrees([size / n for size in sizes], scales) == pytest.approx(exact_degrees(sizes, correlation), rel=1e-6)


@pytest.mark.parametrize("small", [1, 2])
def test_a_cluster_with_nearly_all_moments_has_an_interval(small):
    found = clustered_share([("large", float(at % 2)) for at in range(50_000)] + [("small", 1.0)] * small)
    assert 0 < found["low"] < found["value"] < found["high"] < 1


@pytest.mark.parametrize("clusters", [UNEQUAL, EQUAL, [[1] * 9 + [0], [0, 1], [1]], [[0.5, 0.2], [1.0], [0.3] * 4]])
def test_variance_and_degrees_of_freedom_are_those_of_the_general_formulas(clusters):
    found = spread_of(clusters)
    variance, degrees = by_matrices(clusters, intra_cluster_correlation(clusters))
    assert found.variance == pytest.approx(max(variance, found.single))
    assert found.degrees == pytest.approx(degrees)


def test_with_equal_clusters_the_variance_is_that_of_statsmodels():
    y, groups = [v for own in EQUAL for v in own], [at for at, own in enumerate(EQUAL) for _ in own]
    fitted = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)})
    found = spread_of(EQUAL)
    assert found.variance == pytest.approx(fitted.bse[0] ** 2)
    assert found.degrees == pytest.approx(len(EQUAL) - 1)
    assert found.t == pytest.approx(stats.t.ppf(0.975, len(EQUAL) - 1))


def test_the_variance_of_independent_moments_is_that_of_statsmodels():
    y = [v for own in UNEQUAL for v in own]
    assert spread_of(UNEQUAL).single == pytest.approx(sm.OLS(y, np.ones(len(y))).fit().bse[0] ** 2)


def test_the_intra_cluster_correlation_of_equal_clusters_is_that_of_an_analysis_of_variance():
    found = stats.f_oneway(*EQUAL).statistic  # the mean square between by the mean square within
    within = statistics.mean(statistics.variance(own) for own in EQUAL)
    between = found * within
    assert intra_cluster_correlation(EQUAL) == pytest.approx((between - within) / (between + 2 * within))
    assert intra_cluster_correlation([[1, 1], [0, 0], [1, 0]]) == pytest.approx(0.5)


def test_the_correlation_of_clusters_that_are_alike_inside_is_1_and_of_opposites_0():
    assert intra_cluster_correlation([[1, 1], [0, 0, 0]]) == 1.0
    assert intra_cluster_correlation([[1, 0], [1, 0]]) == 0.0


def test_the_ratio_of_the_docstring():
    found = ratio_spread([4, 0, 1], [4, 4, 2])
    assert found.variance == pytest.approx((0.2**2 / 0.6) + (0.2**2 / 0.6))
    assert found.degrees == pytest.approx(1.55, abs=0.005)
    assert ratio_spread([3], [4]) is None


def test_a_share_in_clusters_has_wilsons_interval_of_the_effective_number_with_students_t():
    found = clustered_share(members([[1] * 4, [0] * 4, [1, 0]]))
    assert (found["value"], found["n"], found["clusters"]) == (0.5, 10, 3)
    assert found["design_effect"] == pytest.approx((0.2**2 / 0.6 * 2) / (0.25 / 9)) == pytest.approx(4.8)
    spread = spread_of([[1] * 4, [0] * 4, [1, 0]])
    known = (1 - 1 / spread.degrees) / 4.8  # about so much of the variance is what independent moments would have
    degrees = 1 / (known / 9 + (1 - known) / spread.degrees)
    t, number = stats.t.ppf(0.975, degrees), 0.25 / spread.variance
    half = t / (1 + t**2 / number) * math.sqrt(0.25 / number + t**2 / (4 * number**2))
    assert (found["low"], found["high"]) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_where_each_cluster_has_one_moment_the_interval_is_wilsons(passes):
    found = clustered_share((str(at), float(one)) for at, one in enumerate(passes))
    low, high = proportion_confint(sum(passes), len(passes), method="wilson")
    assert (found["low"], found["high"]) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))
    assert (found["clusters"], found["design_effect"]) == (len(passes), 1.0)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=9))
def test_the_interval_holds_its_value_lies_in_0_to_1_and_does_not_depend_on_the_order(clusters):
    found = clustered_share(members(clusters))
    assert clustered_share(reversed(members(clusters))) == pytest.approx(found)
    assert found["value"] == pytest.approx(statistics.mean(value for own in clusters for value in own))
    if found["low"] is not None:
        assert -1e-12 <= found["low"] <= found["value"] <= found["high"] <= 1 + 1e-12


def test_moments_that_all_end_alike_count_as_their_clusters():
    found = clustered_share(members([[1, 1, 1, 1]] * 5))
    low, _ = wilson(1.0, 5, stats.t.ppf(0.975, 4))
    assert (found["low"], found["high"], found["design_effect"]) == (pytest.approx(low), 1.0, None)


def test_one_cluster_and_values_alike_in_between_have_no_interval():
    assert clustered_share(members([[1, 0, 1]])) == {
        "value": pytest.approx(2 / 3),
        "low": None,
        "high": None,
        "n": 3,
        "clusters": 1,
        "design_effect": None,
    }
    assert clustered_share(members([[0.5], [0.5]]))["low"] is None
    assert clustered_share([]) == share(0, 0)


@pytest.mark.parametrize(("value", "n"), [(0.7, 10), (1 / 3, 10), (0.1, 3), (2 / 3, 6), (1 - 0.1**3, 7)])
@pytest.mark.parametrize("size", [1, 2])
def test_values_that_are_alike_have_no_interval_whatever_rounding_says(value, n, size):
    found = clustered_share((str(at // size), value) for at in range(n))
    assert found == share(0, 0) | {"value": value, "n": n, "clusters": math.ceil(n / size)}


def test_shares_of_equal_worth_that_were_computed_in_two_ways_are_alike():
    found = clustered_share([("a", 0.3), ("b", 0.1 + 0.2), ("c", 0.3)])
    assert (found["value"], found["low"], found["high"]) == (pytest.approx(0.3), None, None)


@pytest.mark.parametrize("clusters", [[[0.1] * 3] * 2, [[0.7] * 10, [0.7] * 3], [[0.7] * 10, [0.1] * 3, [1 / 3] * 10]])
def test_clusters_that_are_alike_inside_have_the_correlation_1_whatever_rounding_says(clusters):
    assert intra_cluster_correlation(clusters) == 1.0


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.randoms())
def test_a_share_does_not_depend_on_the_order_in_its_last_digit(values, random):
    pairs = [(str(at % 5), value) for at, value in enumerate(values)]
    shuffled = random.sample(pairs, len(pairs))
    whole, again = clustered_share(pairs)["value"], clustered_share(shuffled)["value"]
    assert again == whole == pytest.approx(float(sum(map(Fraction, values)) / len(values)), rel=1e-14)


def test_tapes_that_all_save_the_same_share_show_no_variance():
    assert ratio_spread([81, 306, 450], [315, 1190, 1750]).variance == 0.0  # 9 of 35 each
    assert ratio_spread([225, 117, 207], [275, 143, 253]).variance == 0.0  # 9 of 11 each


def test_the_degrees_of_a_share_lie_between_those_of_its_clusters_and_of_its_moments():
    clusters = [[1, 1], [0, 0], [1, 0], [0, 1], [1, 1], [0, 0]] + [[at % 2] for at in range(30)]
    spread = spread_of(clusters)
    alone = spread_of([[1, 0]] * 10)
    assert stats.t.ppf(0.975, 41) < spread.share_t < spread.t
    assert alone.design_effect == 1.0
    assert alone.share_t == pytest.approx(stats.t.ppf(0.975, 1 / (8 / 9 / 19 + 1 / 9 / 9)))


def test_two_clusters_that_happen_to_agree_do_not_count_as_independent_moments():
    found = clustered_share(members([[1] * 25 + [0] * 25] * 2))
    other = clustered_share(members([[1] * 25 + [0] * 25, [1] * 26 + [0] * 24]))
    assert (found["low"], found["high"]) == (pytest.approx(0.106, abs=5e-4), pytest.approx(0.894, abs=5e-4))
    assert other["high"] - other["low"] == pytest.approx(found["high"] - found["low"], abs=0.02)


@pytest.mark.parametrize(
    ("size", "least"), [([50, 50], 97), ([90, 5, 5], 95), ([60, 20, 10, 10], 93), ([40] * 4, 88), ([20] * 5, 88)]
)
@pytest.mark.parametrize("correlation", [0.05, 0.4])
def test_intervals_of_few_clusters_are_wide_rather_than_wrong(size, least, correlation):
    held = [coverage(ours, size, correlation, truth, 150, seed=7) for truth in (0.1, 0.3, 0.5, 0.8)]
    assert statistics.mean(held) >= least


def test_clusters_that_are_more_alike_between_than_within_are_no_better_than_single_moments():
    found = clustered_share(members([[1, 0]] * 10))
    assert found["design_effect"] == 1.0


@pytest.mark.parametrize("n", [1, 2, 9, 30, 1633])
@pytest.mark.parametrize("quantile", [0.5, 0.75, 0.9, 0.95, 0.99])
def test_the_interval_of_a_quantile_of_single_values_is_that_of_scipy(n, quantile):
    low, high = quantile_interval([(str(at), float(at)) for at in range(n)], quantile)
    found = stats.quantile_test(range(n), p=quantile).confidence_interval(0.95)
    assert [low, high] == [None if np.isnan(end) else end for end in found]


def test_a_quantile_in_clusters_has_the_interval_of_as_many_values_as_they_are_worth():
    clusters = [[float(at)] * 20 for at in range(30)]
    low, high = quantile_interval(members(clusters), 0.5)
    alone = quantile_interval([(str(at), float(at)) for at in range(600)], 0.5)
    assert high - low > 3 * (alone[1] - alone[0]) / 20
    assert low < 14.5 < high
    assert quantile_interval(members([[1.0, 2.0, 3.0]]), 0.5) == (None, None)


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["hole", "function"])
@pytest.mark.parametrize(("policy", "correlation"), sampled([("blocks", 0.4), ("pause:300", 0.2), ("vscode", 0.6)]))
def test_intervals_hold_the_truth_as_often_as_they_say_with_the_sizes_of_the_demo(policy, correlation, kind):
    size = sizes()[policy][kind]
    held = [coverage(ours, size, correlation, truth, 250, seed=7) for truth in (0.1, 0.3, 0.5, 0.8)]
    assert 92.5 <= statistics.mean(held) <= 97.5  # 93 to 97, and half a point for chance


def test_wilsons_interval_does_not_hold_the_truth_in_clusters():
    assert coverage(wilsons, sizes()["vscode"]["hole"], 0.4, 0.5, 200) < 50


def test_intervals_of_differences_and_quantiles_hold_the_truth_too():
    size = sizes()["pause:300"]["hole"]
    assert 90 <= difference_coverage(size, 0.4, 0.3, 200) <= 99.5
    assert 90 <= quantile_coverage(size, 0.4, 0.5, 200) <= 99.5


@pytest.mark.parametrize("saving", [0.1, 0.3, 0.6])
def test_intervals_of_keys_saved_hold_the_truth_too(saving):
    assert 91 <= keys_coverage(47, saving, 1.0, 1000) <= 99.9


def test_the_mean_of_single_values_has_students_interval_as_scipy_computes_it():
    values = [1.0, 2.0, 3.0, 4.0]
    found = clustered_mean((str(number), value) for number, value in enumerate(values))
    low, high = stats.t.interval(0.95, 3, loc=2.5, scale=stats.sem(values))
    assert (found["value"], found["low"], found["high"]) == pytest.approx((2.5, low, high))


def test_the_mean_of_equal_clusters_has_the_interval_of_their_means():
    clusters = {"a": [1.0, 3.0], "b": [5.0, 6.0], "c": [2.0, 9.0], "d": [20.0, 18.0]}
    found = clustered_mean((name, value) for name, own in clusters.items() for value in own)
    means = [statistics.fmean(own) for own in clusters.values()]
    low, high = stats.t.interval(0.95, 3, loc=statistics.fmean(means), scale=stats.sem(means))
    assert (found["value"], found["low"], found["high"]) == pytest.approx((statistics.fmean(means), low, high))


def test_one_cluster_and_values_that_are_alike_have_a_mean_and_no_interval():
    assert clustered_mean([("a", 1.0), ("a", 3.0)])["value"] == 2
    assert clustered_mean([("a", 1.0), ("a", 3.0)])["low"] is None
    assert clustered_mean([("a", 2.0), ("b", 2.0)])["low"] is None
    assert clustered_mean([])["value"] is None
