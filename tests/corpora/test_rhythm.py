"""Gaps between keys follow the measured quantiles."""

import random

import pytest

from corpora.typing.typist import measured_rhythm

RHYTHM = measured_rhythm()


@pytest.mark.parametrize(
    ("share", "gap"),
    [(0.05, 22), (0.10, 44), (0.25, 70), (0.50, 110), (0.75, 180), (0.90, 428), (0.95, 1034), (0.99, 5663)],
)
def test_a_measured_quantile_is_given_back(share, gap):
    assert RHYTHM.gap(share) == gap


@pytest.mark.parametrize(("share", "gap"), [(0.0, 22), (1.0, 5663), (0.375, 90), (0.97, 1034 + (5663 - 1034) / 2)])
def test_between_quantiles_it_is_linear_and_beyond_them_their_own(share, gap):
    assert RHYTHM.gap(share) == pytest.approx(gap)


def test_drawn_gaps_have_the_measured_quantiles():
    chance = random.Random(1)
    gaps = sorted(RHYTHM.draw(chance, "key") for _ in range(20_000))
    for share, gap in RHYTHM.measured.gaps[1:-1]:
        assert gaps[round(share * len(gaps))] == pytest.approx(gap, rel=0.2)


@pytest.mark.parametrize(("pace", "least"), [("line", 326), ("jump", 1034)])
def test_lines_and_jumps_are_begun_more_slowly(pace, least):
    chance = random.Random(2)
    assert min(RHYTHM.draw(chance, pace) for _ in range(500)) >= least


def test_the_numbers_name_their_source():
    assert "EditSourceTracker.test1" in RHYTHM.measured.source
