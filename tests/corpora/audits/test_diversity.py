"""The mean cosine of TF-IDF vectors, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from sklearn.feature_extraction.text import TfidfVectorizer

from corpora.audits.audit import mean_cosine

TEXTS = some.lists(some.text(some.sampled_from("abXé_ 1.\n"), max_size=15), min_size=2, max_size=6)


@given(TEXTS)
def test_it_is_that_of_scikit_learn(texts):
    try:
        vectors = TfidfVectorizer().fit_transform(texts).toarray()
    except ValueError:  # no text has a word
        assert mean_cosine(texts) == 0
        return
    n = len(texts)
    assert mean_cosine(texts) == pytest.approx((vectors @ vectors.T)[~np.eye(n, dtype=bool)].mean(), abs=1e-12)


def test_the_worked_example_and_too_few():
    assert mean_cosine(["aa bb", "aa cc"]) == pytest.approx(1 / (1 + (1 + np.log(3 / 2)) ** 2))
    assert mean_cosine(["aa bb", "aa cc"]) == pytest.approx(0.336, abs=5e-4)
    assert mean_cosine(["aa"]) is None
