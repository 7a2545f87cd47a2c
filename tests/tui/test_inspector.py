import pytest
from textual.widgets import Input, Select, Static, TabbedContent

from replay.records import Ending, Record
from replay.store import Store
from tui.app import Inspector
from tui.widgets.detail import Detail, Page
from tui.widgets.moments import MomentList
from tui.widgets.notice import Notice

SIZES = [(80, 24), (160, 48)]


def shown(app):
    return [record.ending.name for record in app.query_one(MomentList)._records]


def chosen(app):
    return app.query_one(MomentList).chosen.ending.name


def words(app, selector):
    return str(app.query_one(selector, Static).content)


async def test_the_list_holds_every_moment_and_j_and_k_move_in_it(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        assert shown(app) == ["shown", "gated", "accepted", "rejected", "filtered", "failed"]
        await pilot.press("j", "j")
        assert chosen(app) == "accepted"
        assert "accepted: the user took it; passed" in words(app, "#heading")
        await pilot.press("k", "down", "G")
        assert chosen(app) == "failed"
        await pilot.press("g", "up")
        assert chosen(app) == "shown"


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
        assert "No moment is like this" in app.query_one(MomentList).render_line(1).text
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
        assert isinstance(app.focused, Page)
        await pilot.press("4")
        await pilot.pause()
        assert app.focused is app.query_one("#prompt Page")
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
        assert "no moment of it has ended yet" in str(app.query_one(Notice).content)
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
    [["down"], ["down"] * 3, ["5"], ["down"] * 3 + ["3", "tab"], ["down"] * 3 + ["2"], ["f"]],
    ids=["none", "replaced", "hostile", "repairs", "truth", "failures"],
)
def test_screen(folder, snap_compare, size, keys):
    assert snap_compare(Inspector(folder), press=keys, terminal_size=size)
