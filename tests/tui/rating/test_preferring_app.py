"""The screen on which two solutions are compared: its pictures, its keys, and what is kept."""

import pytest
from textual.widgets import Input, Static

from corpora.codealign.codebook import SolutionPair, read_preferences, showings
from tui.rating.preferring import PreferringApp
from tui.text_dialog import TextDialog

LOOP = """def count_vowels(text):
    vowels = "aeiou"
    count = 0
    for letter in text.lower():
        if letter in vowels:
            count = count + 1
    return count
"""
SHORT = 'def count_vowels(text):\n    """Count the vowels."""\n    return sum(letter in "aeiou" for letter in text.lower())\n'
REQUEST = "Write a function count_vowels that counts the vowels of a text.\nUpper case counts too."


def pair(number, first=LOOP, second=SHORT):
    return SolutionPair(name=f"{number}", problem=f"made/{number}", language="python", request=REQUEST, first=first, second=second, sources=("ada-model", "bob-model"))  # fmt: skip


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GHOSTTAPE_CONFIG", str(tmp_path / "config"))
    shown = showings([pair(number) for number in range(4)], "ada", 0, repeats=2)
    return lambda: PreferringApp(shown, tmp_path / "preferences.jsonl", "ada")


def kept(tmp_path):
    return read_preferences(tmp_path / "preferences.jsonl")


async def tell(pilot, text):
    pilot.app.query_one("#told", Input).value = text
    await pilot.press("enter")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_screen(snap_compare, app, size, theme):
    async def answered(pilot):
        pilot.app.query_one("#told", Input).cursor_blink = False
        await pilot.press("1")
        await tell(pilot, "Don't count by hand.")

    shown = app()
    shown.theme = theme
    assert snap_compare(shown, terminal_size=size, run_before=answered)


async def test_a_preference_is_kept_at_once_with_what_the_author_is_told(app, tmp_path):
    shown = app()
    async with shown.run_test(size=(100, 30)) as pilot:
        first = shown.shown
        await pilot.press("2")
        assert [(one.choice, one.asks) for one in kept(tmp_path)] == [(first.choice_of("right"), ())]
        await tell(pilot, "  Use a comprehension. ")
        await tell(pilot, "Shorter.")
        assert shown.shown is first
        await tell(pilot, "")
        assert shown.shown is shown.showings[1]
    (one,) = kept(tmp_path)
    assert (one.rater, one.pair, one.swapped) == ("ada", first.pair.name, first.swapped)
    assert one.asks == ("Use a comprehension.", "Shorter.")


async def test_keys_for_no_preference_no_reason_and_taking_back(app, tmp_path):
    shown = app()
    async with shown.run_test(size=(100, 30)) as pilot:
        await pilot.press("u")  # nothing is preferred yet
        assert not (tmp_path / "preferences.jsonl").exists()
        await pilot.press("0")
        assert shown.shown is shown.showings[1]
        await pilot.press("1", "escape", "u")
        assert shown.shown is shown.showings[2]
        await pilot.press("1")
        await tell(pilot, "a")
        await tell(pilot, "b")
        await pilot.press("escape", "x")
    assert [(one.choice == "none", one.unsure, one.asks) for one in kept(tmp_path)] == [
        (True, False, ()),
        (False, True, ()),
        (False, False, ("a",)),
    ]


async def test_other_words_for_the_other_author_take_the_place_of_the_first(app, tmp_path):
    shown = app()
    async with shown.run_test(size=(100, 30)) as pilot:
        await pilot.press("1")
        await tell(pilot, "a")
        await pilot.press("escape", "2")
    (one,) = kept(tmp_path)
    assert (one.choice, one.asks) == (shown.showings[0].choice_of("right"), ())


async def test_it_goes_on_where_it_was_left_and_ends_with_the_repeated_pairs_turned_round(app, tmp_path):
    async with app().run_test(size=(100, 30)) as pilot:
        await pilot.press("0", "0")
    shown = app()
    async with shown.run_test(size=(100, 30)) as pilot:
        assert shown.shown is shown.showings[2]
        await pilot.press("0", "0", "0", "0", "0")
    found = kept(tmp_path)
    assert [one.repeated for one in found].count(True) == 2
    turned = {(one.pair, one.repeated): one.swapped for one in found}
    assert all(turned[one.pair, True] != turned[one.pair, False] for one in found if one.repeated)


async def test_no_name_of_a_source_is_on_the_screen_and_hostile_text_does_nothing(tmp_path, app):
    hostile = "x = '[b]bold[/b] \x1b[31m'\n"
    shown = PreferringApp(showings([pair(0, hostile, hostile + "\n")], "bob", 0), tmp_path / "p.jsonl", "bob")
    async with shown.run_test(size=(100, 30)) as pilot:
        text = "\n".join(str(each.render()) for each in shown.query(Static))
        assert "model" not in text
        assert "[b]bold[/b]" in text
        assert "\x1b" not in text
        await pilot.press("r")
        assert isinstance(shown.screen, TextDialog)
        await pilot.press("1")
    assert not (tmp_path / "p.jsonl").exists()


async def test_an_answer_that_cannot_be_kept_is_said_and_not_taken(app, tmp_path):
    shown = app()
    (tmp_path / "preferences.jsonl").mkdir()
    async with shown.run_test(size=(100, 30)) as pilot:
        await pilot.press("0")
        assert shown.shown is shown.showings[0]
        assert "no answer yet" in str(shown.query_one("#said", Static).render())
