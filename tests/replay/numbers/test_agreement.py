"""Cohen's kappa, against statsmodels and by hand."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some
from statsmodels.stats.inter_rater import cohens_kappa as by_statsmodels

from replay.numbers.agreement import cohens_kappa

LABELS = some.sampled_from("abc")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # its z-value, and roots of a rounded 0
@given(some.lists(some.tuples(LABELS, LABELS), min_size=2, max_size=40))
def test_it_is_that_of_statsmodels(pairs):
    table = [[pairs.count((one, other)) for other in "abc"] for one in "abc"]
    assume(len({label for pair in pairs for label in pair}) > 1)
    expected, found = by_statsmodels(table), cohens_kappa(pairs)
    assert found["value"] == pytest.approx(expected.kappa)
    if expected.var_kappa < 1e-12:  # an error of 0 says nothing of how sure it is
        assert found["low"] is None
        return
    assert found["low"] == pytest.approx(max(-1, expected.kappa_low), abs=1e-9)
    assert found["high"] == pytest.approx(min(1, expected.kappa_upp), abs=1e-9)


def test_the_worked_example_and_what_tells_nothing():
    pairs = [("y", "y")] * 4 + [("n", "n")] * 4 + [("y", "n"), ("n", "y")]
    assert cohens_kappa(pairs)["value"] == pytest.approx(0.6)
    assert cohens_kappa([("y", "y")] * 5)["value"] is None
    assert cohens_kappa([])["value"] is None
    assert cohens_kappa([("y", "n")])["low"] is None
    assert (cohens_kappa([("y", "y"), ("n", "n")])["value"], cohens_kappa([("y", "y"), ("n", "n")])["low"]) == (
        1.0,
        None,
    )
