"""The screen of two real runs: what it shows, and each of its keys."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from textual.widgets import Static
from typer.testing import CliRunner

from replay.run.store import Store
from tests.support.comparison_screen import COMPARISON_KEYS, compared, drawing
from tests.support.screen_looks import in_one_look
from tests.support.waiting import until_drawn
from tui.cli.app import app as cli
from tui.comparing.app import ComparisonApp
from tui.comparing.widgets.pair_list import PairList
from tui.comparing.widgets.sides import Side
from tui.inspector.app import Inspector
from tui.text_dialog import TextDialog

HOSTILE = "\x1b]52;c;eA==\x07[bold red]x[/]\u202e\u200b\r\x9b31m"
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202e\u200b]")


@pytest.fixture
def app(two_runs):
    return ComparisonApp(compared(two_runs))


def words(app, selector):
    return str(app.screen_stack[0].query_one(selector, Static).content)


def page(app, name, side):
    return str(list(app.query_one(name).query(Static).filter(".text"))[side].content)


def listed(app):
    return [(pair.change, pair.first.moment.line + 1) for pair in app.query_one(PairList)._pairs]


def lines(app):
    moments = app.query_one(PairList)
    return [moments.render_line(y).text.split() for y in range(moments.size.height)]


async def test_what_changed_stands_first_with_the_difference_and_its_sentence_on_top(app):
    async with app.run_test(size=(120, 40)):
        top = words(app, "#headline").split("\n")
        assert top[0].split("   ") == ["A one  1 of 7 pass, 14 %", "B other  2 of 7 pass, 29 %"]
        net = compared_difference(app)["net"]
        ends = f"(95 %: {100 * net['low']:+.1f} to {100 * net['high']:+.1f})"
        assert top[1].startswith(f"B less A +14.3 points {ends}, p ")
        assert top[1].endswith("; 7 pairs in 4 holes")
        assert top[2] == "too few to tell: the interval is wider than the 5 points that are asked about"
        assert listed(app)[:3] == [("lost", 5), ("gained", 9), ("gained", 10)]
        assert lines(app)[1] == ["-", "shop/cart.py:5:5", "function/full", "passed", "failed"]


def compared_difference(app):
    return app._runs.found["difference"]


async def test_both_suggestions_and_both_logs_stand_side_by_side(app):
    async with app.run_test(size=(120, 40)) as pilot:
        assert "return x + 1" in page(app, "#suggestions", 0)
        assert "return sum(prices)" in page(app, "#suggestions", 1)
        assert words(app, "#place") == "- lost: A passes, B does not  shop/cart.py:5:5  function/full  cart"
        await pilot.press("2")
        assert app.query_one("#tests").display
        assert "FAILED: cart.py has no return x + 1" not in page(app, "#tests", 0)
        assert "failed: tests fail with it in place" in page(app, "#tests", 1)
        assert "FAILED: cart.py has no return x + 1" in page(app, "#tests", 1)
        await pilot.press("3")
        text = words(app, "#difference > Static")
        assert "- return x + 1\n+ return sum(prices)" in text
        assert not app.query_one("#tests").display
        await pilot.press("1")
        assert app.query_one("#suggestions").display


async def test_a_tall_screen_shows_suggestions_and_tests_at_once(app):
    async with app.run_test(size=(120, 60)) as pilot:
        assert app.query_one("#suggestions").display
        assert app.query_one("#tests").display
        await pilot.press("3")
        assert [app.query_one(f"#{name}").display for name in ("suggestions", "tests", "difference")] == [0, 0, 1]


@pytest.mark.parametrize(
    ("key", "change", "count"),
    [("plus", "gained", 2), ("minus", "lost", 1), ("equals_sign", "same", 4), ("u", "untested", 3), ("a", None, 10)],
)
async def test_a_key_shows_one_kind_of_change(app, key, change, count):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        assert len(listed(app)) == count
        assert change is None or {found for found, _ in listed(app)} == {change}


async def test_f_goes_through_the_filters(app):
    async with app.run_test(size=(80, 24)) as pilot:
        seen = []
        for _ in range(5):
            await pilot.press("f")
            seen.append(len(listed(app)))
        assert seen == [1, 2, 4, 3, 10]


async def test_the_cursor_stays_on_its_moment(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j")
        kept = app.query_one(PairList).chosen
        for key in ("plus", "s", "S", "a"):
            await pilot.press(key)
            assert app.query_one(PairList).chosen is kept


async def test_a_kind_that_no_moment_has_is_said(two_runs):
    app = ComparisonApp(compared((two_runs[0], two_runs[0])))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("plus")
        assert lines(app)[1] == ["No", "moment", "is", "of", "this", "kind."]
        assert words(app, "#place") == "No moment is shown. a shows all."
        assert page(app, "#tests", 0) == ""
        await pilot.press("j", "G", "1", "2", "3", "a")
        assert len(listed(app)) == 10


async def test_s_sorts_by_the_next_column_and_a_click_on_a_title_by_that_one(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("s")
        assert [line for _, line in listed(app)][:4] == [2, 3, 1, 5]
        await pilot.press("S")
        assert [line for _, line in listed(app)][:2] == [17, 16]
        assert "by moment ▼" in words(app, "#filters")
        await pilot.click(PairList, offset=(76, 0))
        assert "by B ▲" in words(app, "#filters")
        assert [change for change, _ in listed(app)][:3] == ["lost", "same", "same"]
        await pilot.click(PairList, offset=(0, 0))
        assert "by change ▲" in words(app, "#filters")


async def test_the_mouse_chooses_moments_filters_and_pages(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(PairList, offset=(10, 3))
        assert app.query_one(PairList).cursor == 2
        at = words(app, "#filters").index("+ gained")
        await pilot.click("#filters", offset=(at + 3, 0))
        assert {change for change, _ in listed(app)} == {"gained"}
        await pilot.click("#tabs", offset=(words(app, "#tabs").index("Tests") + 2, 0))
        assert app.query_one("#tests").display


async def test_the_longer_of_two_logs_can_be_read_to_its_end(two_runs):
    def longer(record):
        many = "\n".join(map(str, range(200 if record.ending.name == "rejected" else 30)))
        return structs.replace(record, verdict=record.verdict and structs.replace(record.verdict, log=many))

    app = ComparisonApp(compared(two_runs, longer))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "tab")
        short, long = app.query_one("#tests").query(Side)
        app.set_focus(long)
        await pilot.press("end")
        await until_drawn(pilot, lambda: long.scroll_y == long.max_scroll_y)
        assert short.scroll_y == short.max_scroll_y < long.scroll_y


async def test_tab_goes_to_the_page_whose_sides_scroll_together(two_runs):
    def longer(record):
        if record.verdict is None:
            return record
        return structs.replace(record, verdict=structs.replace(record.verdict, log="\n".join(map(str, range(200)))))

    app = ComparisonApp(compared(two_runs, longer))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "tab")
        left, right = app.query_one("#tests").query(Side)
        assert left.has_focus
        await pilot.press(*["down"] * 5)
        await until_drawn(pilot, lambda: left.scroll_y == right.scroll_y == 5)
        await pilot.press("3")
        await pilot.pause()
        assert app.query_one("#difference").has_focus
        await pilot.press("tab")
        assert app.query_one(PairList).has_focus
        await pilot.press("j", "2")
        await pilot.pause()
        assert left.scroll_y == right.scroll_y == 0


@pytest.mark.parametrize(
    ("key", "text"), [("i", "What to know of these runs"), ("question_mark", "only lost: A passes")]
)
async def test_a_dialog_opens_over_the_screen_whose_keys_then_rest(app, key, text):
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(key)
        assert isinstance(app.screen, TextDialog)
        assert text in str(app.screen.query_one(Static).content)
        await pilot.press("plus", "s")
        await pilot.press("escape")
        assert len(app.screen_stack) == 1
        assert listed(app)[0] == ("lost", 5)


async def test_the_groups_have_the_numbers_of_the_comparison(two_runs):
    app = ComparisonApp(compared(two_runs))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("i")
        text = str(app.screen.query_one(Static).content)
        assert app._runs.found["notes"][0] in text
        assert app._runs.found["breakdowns"]
        rows = {line[:20].strip(): line[20:].split() for line in text.split("\n")}
        for one in app._runs.found["breakdowns"]:
            pairs, points, *_ = rows[f"{one['by']} {one['group']}"]
            assert (pairs, points) == (str(one["n"]), f"{100 * one['net']['value']:+.1f}")


async def test_slash_searches_both_runs_and_n_goes_through_the_matches(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"AT MOST 1", "enter")
        moments = app.query_one(PairList)
        first = moments.chosen
        assert "at most 1" in first.first.moment.truth + first.first.verdict.log
        assert app.query_one("#search").display
        assert "match" in words(app, "#filters")
        seen = [moments.cursor]
        for key in ("n", "n", "N", "N"):
            await pilot.press(key)
            seen.append(moments.cursor)
        assert seen[0] == seen[4]
        assert seen[1] == seen[3]
        assert len({*seen[:3]}) == 3
        await pilot.press("ampersand")
        assert 0 < len(listed(app)) < 10
        assert 'with "AT MOST 1"' in words(app, "#filters")
        await pilot.press("escape")
        assert len(listed(app)) == 10
        assert not app.query_one("#search").display


async def test_a_search_that_finds_nothing_says_so(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"nowhere", "enter", "n")
        assert "no match" in words(app, "#filters")


async def test_c_copies_what_the_page_has_and_of_one_side_where_the_focus_is_there(app):
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("c")
        assert app.clipboard == "A one:\nreturn x + 1\n\nB other:\nreturn sum(prices)"
        await pilot.press("tab", "c")
        assert app.clipboard == "return x + 1"
        app.set_focus(list(app.query("#suggestions Side"))[1])
        await pilot.press("c")
        assert app.clipboard == "return sum(prices)"
        await pilot.press("3", "c")
        assert "--- a/shop/cart.py\n+++ b/shop/cart.py\n" in app.clipboard
        assert "-return x + 1\n" in app.clipboard
        await pilot.press("2")
        app.set_focus(list(app.query("#tests Side"))[1])
        await pilot.press("c")
        assert "FAILED: cart.py has no return x + 1" in app.clipboard


async def test_big_c_copies_the_commands_that_repeat_the_moment(two_runs):
    runs = compared(two_runs)
    configs = tuple(Store.open(folder).config for folder in two_runs)
    app = ComparisonApp(replace(runs, configs=configs, origins=({"cart": "a.tape.jsonl"}, {"cart": "b.tape.jsonl"})))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("C")
        moment = app.query_one(PairList).chosen.first.moment.id
        first, second = app.clipboard.split("\n")
        assert shlex.split(first)[:3] == ["ghosttape", "replay", "a.tape.jsonl"]
        assert shlex.split(second)[:3] == ["ghosttape", "replay", "b.tape.jsonl"]
        assert all(f"--moment {moment}" in command for command in (first, second))
        assert ("return x + 1" in first, "return sum(prices)" in second) == (True, True)


@pytest.mark.parametrize(("key", "side"), [("A", 0), ("B", 1)])
async def test_a_and_b_leave_for_the_moment_in_the_inspector_and_come_back_to_it(two_runs, key, side):
    app = ComparisonApp(compared(two_runs))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("plus", "j", "2")
        moment = app.query_one(PairList).chosen.first.moment.id
        await pilot.press(key)
    assert app.inspected == (side, moment)
    inspector = Inspector(two_runs[side], moment)
    async with inspector.run_test(size=(120, 40)):
        assert inspector._record().moment.id == moment
    again = ComparisonApp(compared(two_runs), app.place)
    async with again.run_test(size=(120, 40)):
        assert again.query_one(PairList).chosen.first.moment.id == moment
        assert {change for change, _ in listed(again)} == {"gained"}
        assert again.query_one("#tests").display
        assert again.inspected is None


async def test_q_closes_the_screen(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    assert app._exit


async def test_hostile_text_is_shown_and_harmless(two_runs):
    def hostile(record):
        moment = structs.replace(record.moment, path=HOSTILE, tape=HOSTILE, kind=HOSTILE, before=HOSTILE, after=HOSTILE)
        suggestion = record.suggestion and structs.replace(record.suggestion, text=HOSTILE, raw=HOSTILE)
        verdict = record.verdict and structs.replace(record.verdict, message=HOSTILE, log=HOSTILE)
        return structs.replace(record, moment=moment, suggestion=suggestion, verdict=verdict)

    app = ComparisonApp(compared(two_runs, hostile))
    async with app.run_test(size=(120, 60)) as pilot:
        for keys in ((), ("2",), ("3",), ("i",)):
            await pilot.press(*keys)
            await pilot.pause()
            drawn = [strip.text for strip in app.screen._compositor.render_strips(app.size)]
            assert not [line for line in drawn if CONTROLS.search(line)]
            assert any("[bold red]x[/]" in line for line in drawn)


@in_one_look
@pytest.mark.parametrize("scenery", COMPARISON_KEYS)
def test_comparison_screen(app, snap_compare, scenery, size, theme):
    assert snap_compare(app, terminal_size=size, run_before=drawing(app, scenery, theme))


def test_the_command_needs_a_terminal_and_knows_its_words(two_runs):
    one, other = map(str, two_runs)
    done = CliRunner().invoke(cli, ["compare", one, other, "--tui"])
    assert done.exit_code == 2
    assert "--tui needs a terminal" in done.stderr
    done = CliRunner().invoke(cli, ["compare", one, other, "--tui", "--json"])
    assert done.exit_code == 2
    assert "exclude each other" in done.stderr
    done = CliRunner().invoke(cli, ["compare", one, str(Path(other) / "none"), "--tui"])
    assert done.exit_code == 2
