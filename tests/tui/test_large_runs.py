"""Runs of so many moments that a page is drawn before the figures are summed up."""

import pytest
from inspected import settle
from textual.app import App

from replay.numbers.metrics import pass_at_1
from replay.run.store import Store
from tools.many_moments import make
from tui.inspector.app import Inspector
from tui.inspector.model import RunView
from tui.inspector.widgets.header import SummaryHeader

MANY = 10_001


@pytest.fixture
def large(folder, tmp_path):
    make(folder, tmp_path / "large", MANY)
    return tmp_path / "large"


def test_figures_of_a_large_run_that_has_not_ended_are_summed_up_when_they_are_asked_for(large):
    view = RunView.open(large)
    with Store.open(large) as store:
        passed = pass_at_1(list(store.records()))
    assert (view.total, view.is_summed) == (MANY, False)
    assert sum(view.summary["endings"].values()) == MANY
    assert view.is_summed
    found = view.summary["metrics"]["pass_at_1"]
    assert [found[name] for name in ("value", "low", "high", "n")] == pytest.approx(
        [passed[name] for name in ("value", "low", "high", "n")]
    )
    view.close()


def test_a_small_run_is_summed_up_at_once(folder):
    view = RunView.open(folder)
    assert view.is_summed
    view.close()


async def test_the_figures_of_a_large_run_follow_the_first_page(large):
    app = Inspector(large)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(app, pilot)
        figures = app.query_one(SummaryHeader).render().plain
    assert f"moments {MANY:,}" in figures
    assert "tests passed" in figures
    assert "counting" not in figures


class HeaderApp(App[None]):
    def compose(self):
        yield SummaryHeader()


async def test_before_them_the_header_says_that_it_counts(large):
    view = RunView.open(large)
    app = HeaderApp()
    async with app.run_test(size=(80, 24)):
        header = app.query_one(SummaryHeader)
        header.show_waiting(view)
        assert header.render().plain.split()[-4:] == ["moments", f"{MANY:,}", "counting", "…"]
    assert not view.is_summed
    view.close()
