"""The quantile of Student's t against scipy's and a printed table."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from replay.numbers.intervals import student_quantile


@pytest.mark.parametrize(
    ("degrees", "printed"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_it_is_that_of_printed_tables(degrees, printed):
    assert round(student_quantile(0.975, degrees), 3) == printed


@given(st.floats(0, 7), st.sampled_from([0.9, 0.95, 0.975, 0.995]))
def test_it_is_scipys_to_eight_digits(logarithm, probability):
    degrees = 10**logarithm
    assert student_quantile(probability, degrees) == pytest.approx(float(stdtrit(degrees, probability)), rel=1e-8)


def test_a_little_less_than_one_degree_by_rounding_is_one():
    assert math.isclose(student_quantile(0.975, 1 - 1e-12), student_quantile(0.975, 1), rel_tol=1e-9)
