import math
import statistics

import pytest

from replay.latency import LatencyError, latency_of


def draws(text, seed, n=20_000):
    latency = latency_of(text, seed)
    return [latency(1.0) for _ in range(n)]


def test_measured_is_what_was_measured():
    assert latency_of("measured", 0)(12.5) == 12.5


def test_fixed_does_not_care_what_was_measured():
    assert [latency_of("fixed:80", 0)(measured) for measured in (0.0, 1e6)] == [80.0, 80.0]


@pytest.mark.parametrize(("median", "sigma"), [(250.0, 0.6), (40.0, 0.1)])
def test_lognormal_draws_have_the_median_and_the_sigma_that_were_asked_for(median, sigma):
    logs = [math.log(value) for value in draws(f"lognormal:{median},{sigma}", 1)]
    of_the_mean = sigma / math.sqrt(len(logs))
    assert statistics.median(logs) == pytest.approx(math.log(median), abs=5 * of_the_mean)
    assert statistics.stdev(logs) == pytest.approx(sigma, rel=0.03)


def test_the_same_seed_gives_the_same_draws_and_another_seed_others():
    assert draws("lognormal:250,0.6", 7, 50) == draws("lognormal:250,0.6", 7, 50)
    assert draws("lognormal:250,0.6", 7, 50) != draws("lognormal:250,0.6", 8, 50)


def test_two_models_do_not_disturb_each_other():
    one, other = latency_of("lognormal:250,0.6", 7), latency_of("lognormal:250,0.6", 7)
    assert [value for _ in range(10) for value in (one(0), other(0))][::2] == draws("lognormal:250,0.6", 7, 10)


def test_without_spread_every_draw_is_the_median():
    assert draws("lognormal:250,0", 3, 5) == pytest.approx([250.0] * 5)


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "measured:", "measured:5", "measured:nan", "fixed", "fixed:", "fixed:soon", "fixed:-1"),
        *("fixed:1,2", "fixed:nan", "fixed:inf", "fixed:1e999", "lognormal", "lognormal:250", "lognormal:0,1"),
        *("lognormal:-5,1", "lognormal:250,-1", "lognormal:1,2,3", "lognormal:inf,1", "lognormal:250,inf", "80"),
    ],
)
def test_what_is_no_latency_is_refused_with_examples(text):
    with pytest.raises(LatencyError, match=r"is no latency: say measured, fixed:MS \(fixed:80\)"):
        latency_of(text, 0)
