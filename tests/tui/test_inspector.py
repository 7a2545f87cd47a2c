from typing import get_args

import pytest
from msgspec import structs
from textual.widgets import Input, Select, Static, TabbedContent

from replay.records import Ending, Record, Untestable, Verdict
from replay.run.store import Store
from tui.glossary import UNTESTABLE
from tui.inspector.app import Inspector
from tui.inspector.widgets.detail import Detail, ScrollablePage
from tui.inspector.widgets.header import SummaryHeader
from tui.inspector.widgets.moments import MomentList
from tui.inspector.widgets.notice import Notice

SIZES = [(80, 24), (160, 48)]


def shown(app):
    return [record.ending.name for record in app.query_one(MomentList)._records]


def chosen(app):
    return app.query_one(MomentList).chosen.ending.name


def words(app, selector):
    return str(app.query_one(selector, Static).content)


def change_verdicts(folder, verdict):
    with Store.open(folder) as store:
        for record in list(store.records()):
            store.put(structs.replace(record, verdict=verdict))


async def test_the_list_holds_every_moment_and_j_and_k_move_in_it(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        assert shown(app) == ["shown", "gated", "accepted", "rejected", "filtered", "failed"]
        await pilot.press("j", "j")
        assert chosen(app) == "accepted"
        assert "accepted: the user accepted it\npassed: " in words(app, "#heading")
        await pilot.press("k", "down", "G")
        assert chosen(app) == "failed"
        await pilot.press("g", "up")
        assert chosen(app) == "shown"


@pytest.mark.parametrize("reason", get_args(Untestable))
async def test_an_untestable_verdict_is_shown_with_its_whole_reason(folder, reason):
    change_verdicts(folder, Verdict(name="untestable", reason=reason))
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)):
        assert f" untestable({reason}) " in app.query_one(MomentList).render_line(1).text
        assert f"untestable({reason}): {UNTESTABLE[reason]}" in words(app, "#heading")


async def test_the_block_gives_way_to_an_untestable_verdict_only_where_there_is_no_room(folder):
    change_verdicts(folder, Verdict(name="untestable", reason="broken-baseline"))
    for width, there in ((80, False), (120, True)):
        app = Inspector(folder)
        async with app.run_test(size=(width, 24)):
            assert (" block " in app.query_one(MomentList).render_line(0).text) is there


@pytest.mark.parametrize("width", [50, 80, 160])
async def test_no_figure_of_the_header_is_cut(folder, width):
    app = Inspector(folder)
    async with app.run_test(size=(width, 24)):
        header = app.query_one(SummaryHeader)
        text = " ".join(header.render_line(line).text for line in range(header.size.height))
    for figure in ("first-run", "moments 6", "1 of 3 testable, 33 % (6\N{EN DASH}79 %)", "untestable 1", "filtered 1"):
        assert figure in text


async def test_the_heading_has_a_line_for_the_ending_and_one_for_the_verdict(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"jjjj")
        assert words(app, "#heading").split("\n")[1:] == [
            "filtered: a repair left nothing of the raw text (prose)",
            "untestable(undetected): the tests pass even when this part is missing",
        ]


async def test_f_shows_failures_only_and_all_again(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f")
        assert shown(app) == ["shown", "rejected", "failed"]
        assert words(app, "#shown") == "failures: 3 of 6"
        await pilot.press("f")
        assert len(shown(app)) == 6


async def test_a_search_narrows_the_list_and_keeps_the_moment(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j", "j", *"/sum(self", "enter")
        assert app.query_one(Input).value == "sum(self"
        assert shown(app) == ["rejected"]
        assert chosen(app) == "rejected"
        await pilot.press("j", "escape")
        assert len(shown(app)) == 6
        assert app.query_one(Input).value == ""


async def test_a_search_for_nothing_that_is_there_says_so(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"/qqqq", "enter")
        assert shown(app) == []
        assert "No moment matches the filters" in app.query_one(MomentList).render_line(1).text
        await pilot.press("j", "3", "escape")
        assert len(shown(app)) == 6


@pytest.mark.parametrize(
    ("key", "left"),
    [("e", ["accepted"]), ("v", ["gated", "failed"]), ("t", ["gated", "accepted", "rejected", "filtered", "failed"])],
)
async def test_a_choice_filters_by_ending_verdict_or_tape(folder, key, left):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key, "down", "enter")
        assert shown(app) == left
        await pilot.press("tab", "escape")
        assert len(shown(app)) == 6
        assert all(select.value is Select.NULL for select in app.query(Select))


async def test_numbers_turn_pages_and_tab_changes_the_pane(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        for key, name in zip("54321", ("tests", "prompt", "repairs", "truth", "suggestion"), strict=True):
            await pilot.press(key)
            assert app.query_one(TabbedContent).active == name
            assert str(app.query_one(f"#{name} Static", Static).content)
        await pilot.press("tab")
        assert isinstance(app.focused, ScrollablePage)
        await pilot.press("4")
        await pilot.pause()
        assert app.focused is app.query_one("#prompt ScrollablePage")
        await pilot.press("tab")
        assert app.focused is app.query_one(MomentList)


async def test_a_run_that_is_still_written_is_read_again_on_r(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j")
        first = app.query_one(MomentList).chosen
        with Store.open(folder) as store:
            moment = type(first.moment)(
                tape="a", event=0, path="a.py", language="python", offset=0, line=0, character=0, t=0
            )
            store.put(Record(moment=moment, ending=Ending("late")))
        await pilot.press("r")
        assert shown(app)[0] == "late"
        assert app.query_one(MomentList).chosen == first


async def test_a_folder_without_a_run_says_so_until_there_is_one(tmp_path):
    app = Inspector(tmp_path / "run")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "holds no run" in str(app.query_one(Notice).content)
        assert not app.query_one(MomentList).is_on_screen
        await pilot.press("f", "slash", "tab", "1", "j")
        with Store.create(tmp_path / "run", {}) as store:
            store.put_fact("summary", {"moments": 0, "left_out": [{"tape": "cart", "reason": "flaky"}]})
        await pilot.press("r")
        assert "none of its moments has ended yet" in str(app.query_one(Notice).content)
        assert "Left out: cart: flaky" in str(app.query_one(Notice).content)


async def test_a_click_chooses_a_moment(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(MomentList, offset=(5, 3))
        assert chosen(app) == "accepted"


async def test_a_long_list_follows_its_cursor(folder):
    with Store.open(folder) as store:
        for record in list(store.records()):
            for number in range(20):
                moment = type(record.moment)(
                    tape="z",
                    event=number,
                    path=record.moment.path,
                    language="",
                    offset=number,
                    line=number,
                    character=0,
                    t=0,
                )
                store.put(Record(moment=moment, ending=Ending("empty")))
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        moments = app.query_one(MomentList)
        await pilot.press("G")
        assert ":20:1" in moments.render_line(moments.size.height - 1).text
        await pilot.press("g")
        assert "basket" in moments.render_line(1).text
        assert app.query_one(Detail).size.width == 80


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    "keys",
    [["down"], ["down"] * 3, ["5"], ["down"] * 3 + ["3", "tab"], ["down"] * 3 + ["2"], ["f"], ["end", "up"]],
    ids=["none", "replaced", "hostile", "repairs", "truth", "failures", "untestable"],
)
def test_screen(folder, snap_compare, size, keys):
    assert snap_compare(Inspector(folder), press=keys, terminal_size=size)
