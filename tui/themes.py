"""The themes of all screens: dark, light, the terminal's own colours, and high contrast. The chosen one is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import structs
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES, Theme

from tui.preferences import change_preferences, read_preferences
from tui.terminal_text import message

COLOURS = {
    "faint": ("foreground", 0.6),
    "heading": ("text-accent", 1.0),
    "row": ("primary", 0.5),
    "row-blurred": ("primary", 0.25),
    "ghost": ("primary", 0.35),
    "ghost-text": ("foreground", 1.0),
    "truth": ("success", 0.25),
    "truth-text": ("foreground", 1.0),
    "added": ("success", 0.3),
    "removed": ("error", 0.3),
}
"""What the screens colour beyond what every theme of Textual names: a colour of the theme, and how much of it. A theme may name another."""

_TERMINAL = {
    "faint": "ansi_bright_black",
    "heading": "ansi_cyan",
    "row": "ansi_blue",
    "row-blurred": "ansi_default",
    "ghost": "ansi_blue",
    "ghost-text": "ansi_bright_white",
    "truth": "ansi_green",
    "truth-text": "ansi_black",
    "added": "ansi_green",
    "removed": "ansi_red",
}
_CONTRAST = {
    "faint": "#d0d0d0",
    "heading": "#ffff00",
    "row": "#0050c8",
    "row-blurred": "#404040",
    "ghost": "#0050c8",
    "truth": "#006000",
    "added": "#006000",
    "removed": "#900000",
    "footer-key-foreground": "#ffff00",
}


def _named(name: str, of: str, **variables: str) -> Theme:
    found = BUILTIN_THEMES[of]
    values = {field: getattr(found, field) for field in found.__dataclass_fields__}
    return Theme(**{**values, "name": name, "variables": {**found.variables, **variables}})


THEMES: dict[str, Theme] = {
    "dark": _named("dark", "textual-dark"),
    "light": _named("light", "textual-light"),
    "terminal": _named("terminal", "ansi-dark", **_TERMINAL),
    "contrast": Theme(
        name="contrast",
        primary="#4da6ff",
        secondary="#00ffff",
        warning="#ffd700",
        error="#ff6b6b",
        success="#5cff5c",
        accent="#ffff00",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#202020",
        boost="#202020",
        dark=True,
        luminosity_spread=0.1,
        text_alpha=1.0,
        variables=_CONTRAST,
    ),
}
"""The themes by their names, in the order in which a key goes through them."""
MEANINGS = {
    "dark": "light text on a dark ground",
    "light": "dark text on a light ground",
    "terminal": "the terminal's own colours and ground",
    "contrast": "white and yellow on black, nothing faint",
}


def _share_of(colour: str, part: float) -> str:
    return colour if part == 1.0 else Color.parse(colour).with_alpha(part).hex


class ThemedApp(App[None]):
    """An app with these themes, and with the one that was chosen last."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("T", "next_theme", "Theme", show=False)]

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES.values():
            self.register_theme(theme)
        preferences, self._problem = read_preferences()
        self.theme = preferences.theme if preferences.theme in THEMES else "dark"

    def on_load(self) -> None:
        """Say why the preferences cannot be read."""
        self._complain(self._problem)

    def get_css_variables(self) -> dict[str, str]:
        """Return the colours of the theme, and those that it need not name."""
        found = super().get_css_variables()
        mixed = {name: _share_of(found[base], part) for name, (base, part) in COLOURS.items() if name not in found}
        return {**found, **mixed}

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield the commands of the palette: those of Textual, with a command for each theme."""
        yield from (command for command in super().get_system_commands(screen) if command.title != "Theme")
        for name, meaning in MEANINGS.items():
            yield SystemCommand(f"Theme: {name}", meaning, lambda name=name: self.choose_theme(name))

    def action_next_theme(self) -> None:
        """Go to the next theme."""
        names = list(THEMES)
        self.choose_theme(names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0])

    def choose_theme(self, name: str) -> None:
        """Use a theme, now and the next time."""
        self.theme = name
        self.notify(f"Theme: {name} ({MEANINGS[name]})", timeout=2)
        self._complain(change_preferences(lambda known: structs.replace(known, theme=name)))

    def _complain(self, problem: str) -> None:
        if problem:
            self.notify(message(problem), severity="warning", markup=False)
