"""How categories go together: Spearman's rho by its textbook formula."""

import pytest
from scipy.stats import pearsonr, rankdata, spearmanr

from corpora.audits.relations import relations, similarity_relations
from replay.numbers.agreement import pearson


def summary(provider, **shares):
    cells = [
        {"category": category, "language": language, "share": {"value": value}}
        for category, values in shares.items()
        for language, value in zip(("python", "java"), values, strict=True)
    ]
    return {"provider": provider, "cells": cells}


def test_the_correlation_is_one_less_six_times_the_squared_differences_of_ranks():
    a, b = [0.1, 0.5, 0.3, 0.9, 0.7, 0.2], [0.2, 0.4, 0.9, 0.8, 0.1, 0.3]
    summaries = [summary(str(i), a=a[2 * i : 2 * i + 2], b=b[2 * i : 2 * i + 2]) for i in range(3)]
    [found] = relations(summaries)
    squares = ((rankdata(a) - rankdata(b)) ** 2).sum()
    assert found.correlation == pytest.approx(1 - 6 * squares / (6 * 35))
    assert (found.one, found.other, found.n) == ("a", "b", 6)


def test_cells_without_a_share_are_left_out_and_a_constant_has_no_correlation():
    [found] = relations([summary("m", a=[0.1, None], b=[0.2, 0.4]), summary("n", a=[0.1, 0.1], b=[0.5, 0.6])])
    assert (found.n, found.correlation, found.p_value) == (3, None, None)
    [found] = relations([summary("m", a=[0.1, 0.2], b=[0.3, 0.5])])
    assert (found.n, found.correlation, found.p_value) == (2, None, None), "two points always lie on a line"


def model(passed, similar, **categories):
    """The summary of one model's run."""

    def row(share, edit):
        return {"share": {"value": share}, "similarity": {"edit_similarity": {"value": edit}}}

    rows = [{"category": name, **row(*pair)} for name, pair in categories.items()]
    return {**row(passed, similar), "categories": rows}


def test_passing_and_similarity_go_together_over_models_as_scipy_says():
    passed, similar = [0.1, 0.5, 0.35, 0.9, 0.7, 0.2], [0.3, 0.42, 0.65, 0.8, 0.6, 0.1]
    [whole] = similarity_relations([model(*pair) for pair in zip(passed, similar, strict=True)])
    expected = pearsonr(passed, similar)
    limits = expected.confidence_interval(0.95)
    assert (whole.category, whole.models) == ("", 6)
    assert whole.pearson["value"] == pytest.approx(expected.statistic)
    assert (whole.pearson["low"], whole.pearson["high"]) == pytest.approx((limits.low, limits.high))
    assert whole.spearman["value"] == pytest.approx(spearmanr(passed, similar).statistic)
    assert whole.spearman["low"] < whole.pearson["value"] < whole.spearman["high"]


def test_each_category_is_related_alone_and_models_without_a_figure_are_left_out():
    runs = [model(0.1, 0.2, a=(0.1, 0.3)), model(0.2, 0.4, a=(None, 0.3)), model(0.4, 0.1, a=(0.5, 0.9), b=(0.1, 0.1))]
    found = {each.category: (each.models, each.pearson["value"]) for each in similarity_relations(runs)}
    assert found["a"] == (2, pytest.approx(1.0))
    assert found["b"] == (1, None)
    assert found[""][0] == 3


def test_the_correlation_of_the_example():
    found = pearson([1, 2, 3], [1, 2, 4])
    assert found["value"] == pytest.approx(0.982, abs=5e-4)
    assert found["low"] is None, "three pairs have no interval"
