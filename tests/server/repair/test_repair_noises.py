"""Right answers with noise in them come back as they were, at ten times as many places in `make test-real`."""

import math
import random
from collections import Counter
from pathlib import Path

import pytest

from syntax.languages import LANGUAGES
from tests.support.scale import SCALE
from tools.repair_noises import NOISES, pairs, places, sources, table

pytestmark = pytest.mark.sampled
LEAST = 0.9
"""The share of a noise that is restored in a sample; the table of docs/repairs.md says how much it is in many."""
UNMENDED = {"a leading line end"}


@pytest.fixture(scope="module")
def sample():
    found = sources([Path(__file__).parent / "sources"])
    assert set(found) == set(LANGUAGES)
    rng = random.Random(SCALE)
    some = (place for name, texts in found.items() for place in places(LANGUAGES[name], texts[0], rng, SCALE))
    found, drawn = [], Counter()
    for place in some:
        made = [*pairs(place, rng, _least_drawn(place, drawn, rng))]
        drawn.update(pair.noise for pair in made if pair.decidable)
        found += made
    return found


def _least_drawn(place, drawn, rng):
    """Return nine noises that fit a place, of those that were drawn least, so that a noise that seldom fits is not missing."""
    fitting = [name for name in rng.sample([*NOISES], len(NOISES)) if NOISES[name](place, rng) is not None]
    return {name: NOISES[name] for name in sorted(fitting, key=drawn.__getitem__)[:9]}


def test_the_truth_alone_is_never_changed(sample):
    assert not [pair for pair in sample if pair.noise == "nothing" and not pair.restored]


def test_no_repair_breaks_a_document_that_parsed(sample):
    assert not [pair for pair in sample if pair.worse]


@pytest.mark.parametrize("noise", [name for name in NOISES if name not in UNMENDED])
def test_a_noise_is_taken_away(sample, noise):
    found = Counter(pair.restored for pair in sample if pair.noise == noise and pair.decidable)
    # one of a small sample may be missed, whatever its size
    missed = [pair for pair in sample if pair.noise == noise and pair.decidable and not pair.restored]
    assert len(missed) <= math.ceil((1 - LEAST) * found.total()), missed


def test_the_sample_has_all_noises_and_the_table_a_row_for_each(sample):
    decided = {pair.noise for pair in sample if pair.decidable}
    assert decided == set(NOISES)
    rows = table(sample).splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [*NOISES, "all"]
