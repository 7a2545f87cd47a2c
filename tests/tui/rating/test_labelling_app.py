import pytest
from textual.containers import VerticalScroll
from textual.widgets import Static

from corpora.calibration import LabelledCase, read_cases, write_cases
from corpora.usefulness import DIMENSIONS, GAP
from server.judging import Rubric
from tui.rating.labelling import LabellingApp
from tui.text_dialog import TextDialog

RUBRIC = Rubric("likeness", "Compare the text with the ground truth. 0 is nothing in common, 10 is the same.")
YES_OR_NO = Rubric("hallucination", "1 or 0.", high=1, whole=True)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_cases(
        tmp_path / "cases.jsonl",
        [
            LabelledCase(name=f"reverse-qa/app/{n}", truth=f"Title: mend {n}", response=f"Title: [b]it{n}[/b] \x1b[31m")
            for n in range(3)
        ],
    )
    return tmp_path / "cases.jsonl"


def labels(file):
    return [(case.label, case.rater) for case in read_cases(file)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_screen(snap_compare, file, size, theme):
    app = LabellingApp(file, RUBRIC, "ada")
    app.theme = theme
    assert snap_compare(app, terminal_size=size)


async def test_a_score_is_kept_at_once_and_the_next_case_is_shown(file):
    app = LabellingApp(file, RUBRIC, "ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("7")
        assert labels(file) == [(7, "ada"), (None, ""), (None, "")]
        assert app.shown.name.endswith("/1")
        await pilot.press("n", "t")
        assert labels(file)[2] == (10, "ada")
        assert app.shown.name.endswith("/1")


async def test_it_goes_on_where_it_was_left(file):
    write_cases(file, [LabelledCase(name="reverse-qa/app/0", truth="t", response="r", label=2, rater="bob")])
    app = LabellingApp(file, RUBRIC, "ada")
    async with app.run_test(size=(100, 30)):
        assert app.shown.name.endswith("/1")


async def test_a_score_off_the_scale_is_no_key(file):
    app = LabellingApp(file, YES_OR_NO, "ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("7", "t")
        assert labels(file)[0] == (None, "")
        await pilot.press("1")
        assert labels(file)[0] == (1, "ada")


async def test_hostile_text_is_shown_and_does_nothing(file):
    app = LabellingApp(file, RUBRIC, "ada")
    async with app.run_test(size=(100, 30)):
        shown = str(app.query_one("#response Static", Static).render())
    assert "[b]it0[/b]" in shown
    assert "\x1b" not in shown


async def test_the_keys_are_explained(file):
    app = LabellingApp(file, RUBRIC, "ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("question_mark")
        assert isinstance(app.screen, TextDialog)
        await pilot.press("7")
    assert labels(file)[0] == (None, "")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_of_a_suggestion_the_code_around_its_gap_is_shown(snap_compare, gapped, theme):
    app = LabellingApp(gapped, DIMENSIONS["helpfulness"], "ada")
    app.theme = theme
    assert snap_compare(app, terminal_size=(80, 24))


@pytest.fixture
def gapped(file):
    truth = "".join(f"line_{n} = {n}\n" for n in range(40)) + f"total = {GAP}\n" + "print(total)\n" * 20
    write_cases(file, [LabelledCase(name="reverse-qa/app/0", truth=truth, response="sum(everything)")])
    return file


async def test_a_gap_far_down_is_on_the_screen(gapped):
    app = LabellingApp(gapped, DIMENSIONS["relevance"], "ada")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        side = app.query_one("#truth", VerticalScroll)
        assert side.scroll_y <= 40 < side.scroll_y + side.size.height
        assert side.border_title == "code with a gap"
        await pilot.press("6")
        assert labels(gapped)[0] == (None, "")
        await pilot.press("5")
        assert labels(gapped)[0] == (5, "ada")
