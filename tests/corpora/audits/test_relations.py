"""How categories go together: Spearman's rho by its textbook formula."""

import pytest
from scipy.stats import rankdata

from corpora.audits.relations import relations


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
