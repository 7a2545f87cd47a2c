"""Which moments the inspector shows, and in which order: failures, searches, filters, sorting."""

import pytest
from textual.widgets import Input, OptionList

from tests.support.inspector_screen import chosen, rows, shown, words
from tests.support.waiting import notified
from tui.inspector.app import Inspector
from tui.inspector.widgets.moment_list import MomentList
from tui.preferences import preferences_file, read_preferences


async def test_f_shows_failures_only_and_all_again(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f")
        assert shown(app) == ["shown", "rejected", "failed"]
        assert words(app, "#shown") == "3 of 6"
        assert words(app, "#selected") == "failures"
        await pilot.press("f")
        assert len(shown(app)) == 6


async def test_a_search_goes_to_its_matches_and_n_goes_on(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"cart.py", "enter")
        assert len(shown(app)) == 6
        assert (chosen(app), words(app, "#shown")) == ("gated", "4 match  6 of 6")
        await pilot.press("n")
        assert chosen(app) == "accepted"
        await pilot.press("N", "N")
        assert chosen(app) == "filtered"
        await pilot.press("ampersand")
        assert shown(app) == ["gated", "accepted", "rejected", "filtered"]
        assert chosen(app) == "filtered"
        await pilot.press("ampersand")
        assert len(shown(app)) == 6


async def test_a_search_for_nothing_that_is_there_says_so(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"qqqq", "enter")
        assert words(app, "#shown") == "no match  6 of 6"
        await pilot.press("ampersand")
        assert shown(app) == []
        assert "No moment matches the filters" in app.query_one(MomentList).render_line(1).text
        await pilot.press("j", "3", "w", "c", "m", "M", "escape")
        assert len(shown(app)) == 6
        assert app.query_one(Input).value == ""


@pytest.mark.parametrize(
    ("key", "value", "left"),
    [("e", "accepted", ["accepted"]), ("v", "not tested", ["gated", "failed"]), ("t", "basket", ["shown"]), ("F", "typescript", ["shown"])],
)  # fmt: skip
async def test_a_filter_shows_the_moments_that_have_its_value(folder, key, value, left):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        dialog = app.screen
        facet, _ = dialog._offered[dialog.query_one(OptionList).highlighted]
        assert facet == {"e": "ending", "v": "verdict", "t": "tape", "F": "ending"}[key]
        await pilot.press("shift+tab", *value, "enter", "enter", "escape")
        assert shown(app) == left
        assert value in words(app, "#selected")
        await pilot.press("escape")
        assert len(shown(app)) == 6


async def test_several_values_of_one_filter_add_up_and_all_can_be_cleared(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("e", "enter", "down", "enter", "escape")
        assert len(shown(app)) == 2
        await pilot.press("e", "ctrl+u", "escape")
        assert len(shown(app)) == 6


async def test_a_saved_filter_is_used_again_in_another_session_until_it_is_removed(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o")
        assert "No filter is saved yet" in (await notified(pilot))[0]
        await pilot.press("f", "s", "s", "S", "W", *"bad ones", "enter")
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o", "enter")
        assert words(app, "#selected") == "failures, by moment ▼"
        assert shown(app) == ["shown", "failed", "rejected"]
        await pilot.press("o", "x")
    assert read_preferences()[0].filters == {}


async def test_a_filter_is_not_saved_over_preferences_that_cannot_be_read(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        preferences_file().parent.mkdir()
        preferences_file().write_text("filters = {")
        for keys in (["f", "W", *"bad ones", "enter"], ["o"]):
            app.clear_notifications()
            await pilot.press(*keys)
            await pilot.pause()
            assert "screen.toml cannot be read" in (await notified(pilot))[0]
    assert preferences_file().read_text() == "filters = {"


async def test_s_sorts_by_each_column_and_a_click_on_a_title_by_that(folder):
    app = Inspector(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("s", "s", "s", "s")
        assert shown(app) == sorted(shown(app))
        titles = app.query_one(MomentList).render_line(0).text
        assert "ending▲" in titles
        await pilot.click(MomentList, offset=(titles.index(" ms"), 0))
        assert [row.latency for row in rows(app)] == [88.0, 143.2, 143.2, 1_204.0, None, None]
        await pilot.click(MomentList, offset=(titles.index(" ms"), 0))
        assert [row.latency for row in rows(app)] == [1_204.0, 143.2, 143.2, 88.0, None, None]
        assert "ms▼" in app.query_one(MomentList).render_line(0).text
