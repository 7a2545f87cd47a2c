"""Runs of so many moments that a page is drawn before the figures are summed up."""

import sqlite3
from contextlib import closing

import pytest
from textual.app import App

from replay.numbers.metrics import pass_at_1
from replay.run.store import Store
from tests.support.inspector_screen import drawn, settle
from tests.support.waiting import until_drawn
from tools.many_moments import make
from tui.errors import RunReadError
from tui.inspector.app import Inspector
from tui.inspector.model import RunView
from tui.inspector.widgets.header import SummaryHeader
from tui.inspector.widgets.moment_list import MomentList

MANY = 1_001


@pytest.fixture
def large(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("tui.inspector.model._FEW", MANY - 1)
    make(folder, tmp_path / "large", MANY)
    return tmp_path / "large"


async def summed_up(app, pilot):
    """Wait for the figures, and give the words of the header."""
    header = app.query_one(SummaryHeader)
    await until_drawn(pilot, lambda: header.has_figures)
    await settle(app, pilot)
    return header.render().plain


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


def without_functions(folder):
    with closing(sqlite3.connect(folder / "run.sqlite")) as database:
        database.execute("DROP TABLE functions")


def test_a_database_that_breaks_before_the_figures_are_summed_up_is_named(large):
    view = RunView.open(large)
    without_functions(large)
    with pytest.raises(RunReadError, match=r"run\.sqlite cannot be read: no such table"):
        _ = view.summary
    view.close()


async def test_the_inspector_goes_on_where_the_figures_cannot_be_summed_up(large, monkeypatch):
    def opened(folder, open_=RunView.open):
        view = open_(folder)
        without_functions(large)
        return view

    monkeypatch.setattr(RunView, "open", opened)
    app = Inspector(large)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until_drawn(pilot, lambda: "cannot be read" in drawn(app))
        assert "counting …" in app.query_one(SummaryHeader).render().plain
        await pilot.press("j")
        await until_drawn(pilot, lambda: app.query(MomentList))
        assert app.query_one(MomentList).cursor == 1


async def test_a_large_run_that_grows_keeps_its_figures_until_the_new_ones_are_there(large):
    app = Inspector(large)
    async with app.run_test(size=(120, 40)) as pilot:
        seen = [await summed_up(app, pilot)]
        app.action_reload()
        seen.append(app.query_one(SummaryHeader).render().plain)
        seen.append(await summed_up(app, pilot))
    assert "tests passed" in seen[0]
    assert seen[0] == seen[1] == seen[2]


def test_a_small_run_is_summed_up_at_once(folder):
    view = RunView.open(folder)
    assert view.is_summed
    view.close()


async def test_the_figures_of_a_large_run_follow_the_first_page(large):
    app = Inspector(large)
    async with app.run_test(size=(120, 40)) as pilot:
        figures = await summed_up(app, pilot)
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
