"""The themes, and what is remembered of them."""

import pytest
from textual.app import ComposeResult
from textual.color import Color
from textual.widgets import Static

from tests.support.waiting import notified
from tui.preferences import (
    Preferences,
    SavedFilter,
    change_preferences,
    preferences_file,
    read_preferences,
    write_preferences,
)
from tui.themes import COLOURS, MEANINGS, THEMES, ThemedApp


class Screen(ThemedApp):
    def compose(self) -> ComposeResult:
        yield Static("text")


async def test_a_key_goes_through_the_themes_and_the_next_app_has_the_last():
    seen = []
    async with Screen().run_test() as pilot:
        for _ in THEMES:
            await pilot.press("T")
            seen.append(pilot.app.theme)
        await pilot.press("T")
    assert seen == ["light", "terminal", "contrast", "dark"]
    async with Screen().run_test() as pilot:
        assert pilot.app.theme == "light"


async def test_the_palette_has_a_command_for_each_theme():
    async with Screen().run_test() as pilot:
        commands = {command.title: command for command in pilot.app.get_system_commands(pilot.app.screen)}
        assert "Theme" not in commands
        commands["Theme: contrast"].callback()
        await pilot.pause()
        assert pilot.app.theme == "contrast"
    assert read_preferences() == (Preferences(theme="contrast"), "")


@pytest.mark.parametrize("name", THEMES)
async def test_every_theme_has_all_colours_and_a_meaning(name):
    async with Screen().run_test() as pilot:
        pilot.app.theme = name
        assert name in MEANINGS
        assert set(COLOURS) <= set(pilot.app.get_css_variables())


def contrast(first, second):
    """The contrast ratio of WCAG 2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)."""

    def luminance(colour):
        parts = [part / 255 for part in Color.parse(colour).rgb]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_high_contrast_is_high():
    theme = THEMES["contrast"]
    for name in ("foreground", "primary", "secondary", "warning", "error", "success", "accent"):
        assert contrast(getattr(theme, name), theme.background) >= 7, name
    for name in ("row", "row-blurred", "ghost", "truth", "added", "removed"):
        assert contrast(theme.foreground, theme.variables[name]) >= 7, name


async def test_preferences_that_cannot_be_read_are_named_and_not_in_the_way():
    preferences_file().parent.mkdir()
    preferences_file().write_text("theme = [")
    async with Screen().run_test() as pilot:
        assert pilot.app.theme == "dark"
        assert "screen.toml cannot be read" in (await notified(pilot))[0]


async def test_preferences_that_cannot_be_read_are_not_written_over():
    preferences_file().parent.mkdir()
    preferences_file().write_text("theme = [")
    problem = change_preferences(lambda known: Preferences(theme="light", filters=known.filters))
    assert "screen.toml cannot be read" in problem
    assert "nothing is saved until it is mended or removed" in problem
    assert preferences_file().read_text() == "theme = ["
    preferences_file().unlink()
    assert change_preferences(lambda _: Preferences(theme="light")) == ""
    assert read_preferences() == (Preferences(theme="light"), "")


def test_a_theme_keeps_the_saved_filters():
    kept = Preferences(theme="light", filters={"slow ones": SavedFilter(facets={"ending": ["late"]}, sort="ms")})
    assert write_preferences(kept) == ""
    assert read_preferences() == (kept, "")


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GHOSTTAPE_CONFIG", str(tmp_path / "file" / "config"))
    assert "cannot be written" in write_preferences(Preferences())
