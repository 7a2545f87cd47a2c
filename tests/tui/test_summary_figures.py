"""The figures of a summary as words: what is declared in `FIGURES` has its row, in its unit."""

import pytest

from replay.numbers.figures import FIGURES, FigureKind
from tui import summary_figures


@pytest.mark.parametrize(
    ("unit", "figure", "words"),
    [
        ("share", {"value": 0.39, "low": 0.24, "high": 0.56}, "39 % (24\N{EN DASH}56 %)"),
        ("keys", {"value": 1.2, "low": 0.9, "high": 1.5}, "1.20 (0.90 to 1.50)"),
        ("ms", {"value": 1204.0, "low": 1100.0, "high": 1300.0}, "1,204 ms (1,100 ms to 1,300 ms)"),
        ("ms", {"value": 1204.0, "low": None, "high": None}, "1,204 ms"),
        ("count", {"value": 12000}, "12,000"),
        ("keys", {"value": None}, ""),
    ],
)
def test_a_declared_figure_of_any_unit_has_a_row_with_its_interval(monkeypatch, unit, figure, words):
    kind = FigureKind(name="reach", title="reach of a jump", meaning="", unit=unit)
    monkeypatch.setattr(summary_figures, "FIGURES", (*FIGURES, kind))
    summary = {"metrics": {"reach": figure}}
    (row,) = (row for row in summary_figures.figure_rows([summary]) if row.title == "reach of a jump")
    assert row.words(summary) == words


def test_what_other_rows_have_in_them_has_no_row_of_its_own():
    titles = [row.title for row in summary_figures.figure_rows([{}])]
    assert len(titles) == len(set(titles))
    assert not {"latency p50", "mean latency"} & {*titles}
