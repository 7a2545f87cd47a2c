"""How alike texts are: against scikit-learn, a plain dynamic programme, and DevBench's published figures."""

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from replay.numbers.similarity import edit_similarity, first_line, likeness, similarity, token_cosine

TEXTS = some.text(some.sampled_from("aAbß_1 \n\t.;(é\N{GREEK SMALL LETTER FINAL SIGMA}"), max_size=12)


def by_scikit(one, other):
    """As DevBench's `calculate_cosine_similarity` does it, without its last resort, which no text reaches."""
    if one == other:
        return 1.0
    if not one or not other:
        return 0.0
    try:
        counts = CountVectorizer(analyzer="word", token_pattern=r"\b\w+\b").fit_transform([one, other])
    except ValueError:
        counts = CountVectorizer(analyzer="char", ngram_range=(1, 3)).fit_transform([one, other])
    return cosine_similarity(counts)[0, 1]


@given(TEXTS, TEXTS)
@example("a b", "b c")
@example("} );", "});")
@example("( \n\n )", "(  )")
def test_the_cosine_is_that_of_scikit_learn(one, other):
    assert token_cosine(one, other) == pytest.approx(by_scikit(one, other), abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [("a b", "b c", 0.5), ("a b", "a a", 2**-0.5), ("X = y", "x.Y", 1), ("", "a", 0), ("", "", 1)],
)
def test_cosines_by_hand(one, other, cosine):
    assert token_cosine(one, other) == pytest.approx(cosine)


@pytest.mark.parametrize(("text", "line"), [("\n\n  x = 1 \ny", "x = 1"), ("", ""), (" \n", ""), ("a\r\nb", "a")])
def test_the_first_line(text, line):
    assert first_line(text) == line


@given(TEXTS, TEXTS)
def test_the_edit_similarity_is_that_of_a_plain_dynamic_programme(one, other):
    one, other = one.strip(), other.strip()

    @cache
    def distance(i, j):
        if not i or not j:
            return i + j
        changed = distance(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(changed, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    longest = max(len(one), len(other))
    expected = 1 - distance(len(one), len(other)) / longest if longest else 1
    assert edit_similarity(f" {one}\n", other) == pytest.approx(expected)


def test_the_two_definitions_by_hand():
    found = similarity([("1", likeness(["return a\nstop", "go b"], "return a\nend")), ("2", likeness([""], "x"))])
    assert found["code"]["matches"] == 1
    assert found["code"]["first_line"]["value"] == 1 / 2
    assert found["code"]["cosine"]["value"] == pytest.approx((1 + 0) / 2 / 2)
    assert found["paper"]["first_line"]["value"] == pytest.approx((1 / 2 + 0) / 2)
    assert found["paper"]["cosine"]["value"] == pytest.approx((2 / 3 + 0) / 2 / 2)
    assert (found["exact"]["value"], found["lines"]) == (0, {"answers": (1.5 + 0) / 2, "truths": 1.5})
    assert found["code"]["first_line"]["n"] == 2


def test_of_no_answers_nothing_is_told():
    found = similarity([])
    assert (found["code"]["cosine"]["value"], found["code"]["matches"], found["lines"]["answers"]) == (None, 0, None)
