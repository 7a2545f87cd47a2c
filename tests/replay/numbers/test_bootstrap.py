import itertools

import numpy as np
import pytest
from scipy import stats

from replay.numbers.bootstrap import bootstrapped_mean


def test_the_interval_is_that_of_scipy_up_to_chance():
    draw = np.random.default_rng(3)
    for n in (8, 60, 300):
        values = draw.integers(0, 11, n).astype(float)
        found = bootstrapped_mean(list(values), seed=1)
        other = stats.bootstrap((values,), np.mean, n_resamples=10_000, method="percentile", rng=2).confidence_interval
        wide = other.high - other.low
        assert found["value"] == pytest.approx(values.mean())
        assert (found["low"], found["high"]) == pytest.approx((other.low, other.high), abs=0.05 * wide)


def test_of_three_values_it_is_that_of_all_27_resamples():
    values = [1.0, 2.0, 6.0]
    means = np.array([np.mean(drawn) for drawn in itertools.product(values, repeat=3)])
    found = bootstrapped_mean(values)
    assert (found["low"], found["high"]) == pytest.approx(
        tuple(np.percentile(means, (2.5, 97.5), method="inverted_cdf"))
    )


def test_a_seed_repeats_it_and_another_does_not():
    values = [float(n * n % 11) for n in range(40)]
    assert bootstrapped_mean(values, seed=4) == bootstrapped_mean(values, seed=4) != bootstrapped_mean(values, seed=5)


def test_what_shows_no_spread_has_no_interval():
    assert bootstrapped_mean([])["value"] is None
    assert [bootstrapped_mean(values)["low"] for values in ([3.0], [3.0, 3.0])] == [None, None]
    assert bootstrapped_mean([3.0, 3.0])["value"] == 3
