import shlex
import subprocess
from typing import get_args

import pytest
from msgspec import structs
from textual.widgets import TabbedContent

from replay.records import Ending, Record, Untestable, Verdict
from replay.run.store import Store
from tests.support.hostile_texts import HOSTILE, NAMES, hostile_record, is_harmless
from tests.support.inspector_screen import (
    PAGES_AND_DIALOGS,
    SCREENS,
    change_verdicts,
    chosen,
    drawn,
    page,
    pressing,
    rows,
    settle,
    shown,
    themed,
    turning_to,
    words,
)
from tests.support.preloaded import preloaded_script
from tests.support.scale import sampled
from tests.support.screen_looks import in_one_look
from tests.support.waiting import notified, until_drawn
from tui.glossary import UNTESTABLE
from tui.inspector.app import Inspector
from tui.inspector.screens.filters import FilterDialog
from tui.inspector.screens.help import HelpScreen
from tui.inspector.widgets.detail import Detail, ScrollablePage
from tui.inspector.widgets.header import SummaryHeader
from tui.inspector.widgets.moment_list import MomentList
from tui.inspector.widgets.notice import Notice


async def test_the_list_holds_every_moment_and_j_and_k_move_in_it(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        assert shown(app) == ["shown", "gated", "accepted", "rejected", "filtered", "failed"]
        await pilot.press("j", "j")
        assert chosen(app) == "accepted"
        assert "accepted: the user accepted it\npassed: " in words(app, "#heading")
        await pilot.press("k", "down", "G")
        assert chosen(app) == "failed"
        await pilot.press("g", "up", "pagedown", "pageup")
        assert chosen(app) == "shown"


async def test_one_key_leads_from_the_start_to_why_one_failed(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("w")
        assert (chosen(app), app.query_one(Detail).page) == ("shown", "tests")
        await pilot.press("j", "w")
        assert (chosen(app), app.query_one(Detail).page) == ("rejected", "tests")
        assert "Failed: DID NOT RAISE" in page(app).split("Log of the test run")[0]


async def test_one_key_leads_from_an_untestable_moment_to_why(folder):
    change_verdicts(folder, Verdict(name="untestable", reason="undetected", message="the tests pass without this part"))
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j", "w")
        assert (chosen(app), app.query_one(Detail).page) == ("accepted", "hole")
        assert "Why this is untestable: the tests pass even when this part is missing." in page(app).replace("\n", " ")


async def test_where_nothing_failed_the_key_says_so(folder):
    with Store.open(folder) as store:
        for record in list(store.records()):
            store.put(Record(moment=record.moment, ending=Ending("accepted"), verdict=Verdict(name="passed")))
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        await pilot.press("w")
        await settle(app, pilot)
        assert await notified(pilot) == ["No failure and no untestable moment is shown."]


@pytest.mark.parametrize("reason", get_args(Untestable))
async def test_an_untestable_verdict_is_shown_with_its_whole_reason(folder, reason):
    change_verdicts(folder, Verdict(name="untestable", reason=reason))
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)):
        assert f" untestable({reason}) " in app.query_one(MomentList).render_line(1).text
        assert f"untestable({reason}): {UNTESTABLE[reason]}" in words(app, "#heading")


@pytest.mark.parametrize("width", [50, 80, 160])
async def test_no_figure_of_the_header_is_cut(folder, width):
    app = Inspector(folder)
    async with app.run_test(size=(width, 24)):
        header = app.query_one(SummaryHeader)
        text = " ".join(header.render_line(line).text for line in range(header.size.height))
    for figure in ("first-run", "not finished: stopped before its end", "moments 6", "1 of 3 testable, 33 % (6\N{EN DASH}79 %)", "untestable 1"):  # fmt: skip
        assert figure in text


async def test_numbers_turn_pages_and_tab_changes_the_pane(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        for key, name in zip("7654321", ("time", "prompt", "tests", "graft", "repairs", "hole", "suggestion"), strict=True):  # fmt: skip
            await pilot.press(key)
            assert app.query_one(TabbedContent).active == name
            assert page(app)
        await pilot.press("tab")
        assert isinstance(app.focused, ScrollablePage)
        await pilot.press("6")
        await pilot.pause()
        assert app.focused is app.query_one("#prompt ScrollablePage")
        await pilot.press("tab")
        assert app.focused is app.query_one(MomentList)


async def test_c_copies_what_the_page_shows_as_it_was(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j", "j")
        record = app._record()
        for key, text in (("1", record.suggestion.text), ("3", record.suggestion.raw), ("5", record.verdict.log), ("6", record.suggestion.prompt)):  # fmt: skip
            await pilot.press(key, "c")
            assert app.clipboard == text
        await pilot.press("k", "k", "6", "c")
        assert "There is nothing to copy." in await notified(pilot, "nothing to copy")


async def test_the_copied_command_repeats_one_moment_of_a_real_run(real_run, tmp_path):
    app = Inspector(real_run)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("e", "shift+tab", *"rejected", "enter", "enter", "escape", "C")
        wanted = app._record()
    program, *arguments = shlex.split(app.clipboard)
    assert program == "ghosttape"
    command = [preloaded_script(), *arguments, "--out", str(tmp_path / "again"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with Store.open(tmp_path / "again") as store:
        assert list(store.records()) == [wanted]


async def test_marks_and_notes_are_kept_in_the_run(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("m", "j", "M", *"why?", "enter")
        assert "✎ why?" in words(app, "#heading")
        assert [app.query_one(MomentList).render_line(line).text[1] for line in (1, 2, 3)] == ["★", "✎", " "]
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        assert [(row.mark, row.note) for row in rows(app)[:2]] == [(True, ""), (False, "why?")]
        await pilot.press("m", "j", "M", "ctrl+u", "enter", "k")
        assert [(row.mark, row.note) for row in rows(app)[:2]] == [(False, ""), (False, "")]


async def test_a_mark_or_a_note_that_cannot_be_kept_is_refused_with_the_reason(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        app._run.store.listing._db.execute("PRAGMA query_only = ON")
        await pilot.press("m", "M", *"why?", "enter")
        await until_drawn(pilot, lambda: len(app._notifications) == 2)
        said = await notified(pilot)
        assert said == ["the mark or the note is not kept: attempt to write a readonly database"] * 2
        assert [(row.mark, row.note) for row in rows(app)[:1]] == [(False, "")]


async def test_a_run_that_grows_is_read_again_by_itself_and_keeps_its_place(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j", "j", "5", "tab")
        with Store.continued(folder, {"provider": "gguf", "policy": "blocks"}) as store:
            moment = type(app._record().moment)(
                tape="a", event=0, path="a.py", language="python", offset=0, line=0, character=0, t=0
            )
            store.put(Record(moment=moment, ending=Ending("late")))
            app._look()
            await pilot.pause()
            assert (shown(app)[0], chosen(app), app._state) == ("late", "rejected", "still running")
        app._look()
        await pilot.pause()
        assert app._state == "stopped before its end"
        assert isinstance(app.focused, ScrollablePage)
        await pilot.press("r")
        assert len(shown(app)) == 7


async def test_a_folder_without_a_run_says_so_until_there_is_one(tmp_path):
    app = Inspector(tmp_path / "run")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "holds no run" in str(app.query_one(Notice).content)
        assert not app.query_one(MomentList).is_on_screen
        await pilot.press("f", "slash", "tab", "1", "j", "w", "F")
        with Store.create(tmp_path / "run", {}) as store:
            store.put_fact("summary", {"moments": 0, "left_out": [{"tape": "cart", "reason": "flaky"}]})
        app._look()
        assert "none of its moments has ended yet" in str(app.query_one(Notice).content)
        assert "Left out: cart: flaky" in str(app.query_one(Notice).content)


async def test_a_click_chooses_a_moment(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(MomentList, offset=(5, 3))
        assert chosen(app) == "accepted"
        await pilot.click("#--content-tab-tests")
        assert app.query_one(Detail).page == "tests"


async def test_every_screen_has_its_help(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("j", "k", "f", "question_mark")
        assert len(app.screen_stack) == 1
        assert len(shown(app)) == 6
        await pilot.press("F")
        await pilot.pause()
        assert isinstance(app.screen, FilterDialog)
        assert "choose or unchoose" in drawn(app)


async def test_every_key_has_its_line_in_the_help():
    from tui.inspector.key_bindings import KEYS

    named = " ".join(keys for _, group in KEYS for keys, _ in group).split()
    special = {"slash": "/", "ampersand": "&", "question_mark": "?", "tab,shift+tab": "tab"}
    for binding in Inspector.BINDINGS:
        key = special.get(binding.key, binding.key)
        assert key in named or (key.isdigit() and 1 <= int(key) <= 7), key
    assert "T" in named


async def test_a_long_list_follows_its_cursor_and_reads_only_pages_of_it(folder):
    with Store.open(folder) as store:
        record = next(store.records())
        copies = (structs.replace(record, moment=structs.replace(record.moment, tape="z", event=number, line=number)) for number in range(600))  # fmt: skip
        store.put_all(copies)
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        moments = app.query_one(MomentList)
        await pilot.press("G")
        assert ":600:3" in moments.render_line(moments.size.height - 1).text
        await pilot.press(*["pageup"] * 4, "g")
        assert "basket" in moments.render_line(1).text
        assert sum(map(len, app._run._pages.values())) <= 24 * 128


async def test_on_a_very_wide_screen_the_list_is_narrow_and_the_detail_wide(real_run):
    app = Inspector(real_run)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        assert app.query_one(MomentList).size.width <= 60
        assert app.query_one(Detail).size.width >= 135
        await pilot.press("slash", *"rejected", "enter", "2")
        await settle(app, pilot)
        assert "The finished document" in page(app)


@pytest.mark.sampled
@pytest.mark.parametrize("size", sampled([(80, 24), (200, 60)]))
async def test_hostile_text_is_harmless_on_every_screen(tmp_path, size):
    names = sampled(NAMES)
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(hostile_record(text[:5_000], event) for event, text in enumerate(names))
        store.listing.mark(1, note=HOSTILE[0])
        store.put_fact("summary", {"moments": len(names), "endings": {HOSTILE[0]: 3, "\x1b[2J": 1}})
    app = Inspector(tmp_path / "run")
    async with app.run_test(size=size) as pilot:
        for _ in range(1 + len(names) // (size[1] // 3)):
            assert is_harmless(drawn(app))
            await pilot.press("pagedown")
        await pilot.press("g")
        for key in "1234567":
            await pilot.press(key)
            await settle(app, pilot)
            assert is_harmless(drawn(app))
            await pilot.press("pagedown")
        for keys in (["F"], ["shift+tab", "x"], ["escape", "W", "\u202e", "enter", "o"], ["escape", "M"]):
            await pilot.press(*keys)
            assert is_harmless(drawn(app))


@in_one_look
@pytest.mark.parametrize("keys", SCREENS.values(), ids=SCREENS)
def test_screen(folder, snap_compare, size, keys, theme):
    assert snap_compare(themed(folder, theme), press=keys, terminal_size=size)


@in_one_look
@pytest.mark.parametrize("keys", PAGES_AND_DIALOGS.values(), ids=PAGES_AND_DIALOGS)
def test_page_or_dialog(folder, snap_compare, size, keys, theme):
    assert snap_compare(themed(folder, theme), run_before=pressing(keys), terminal_size=size)


@in_one_look
@pytest.mark.parametrize("name", ["suggestion", "hole", "graft", "time"])
def test_screen_of_a_real_run(real_run, snap_compare, size, name, theme):
    assert snap_compare(themed(real_run, theme), run_before=turning_to(name), terminal_size=size)


@pytest.mark.parametrize("theme", ["terminal", "contrast"])
def test_screen_in_other_themes(folder, snap_compare, theme):
    assert snap_compare(themed(folder, theme), press=["j", "j", "j"], terminal_size=(120, 40))
