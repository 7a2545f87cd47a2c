"""Two texts side by side, that scroll together."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static


class Side(VerticalScroll, can_focus=True):
    """One of the two texts. When it is scrolled, its partner goes to the same line."""

    partner: Side | None = None
    _is_led = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Take the partner along."""
        super().watch_scroll_y(old_value, new_value)
        if self.partner is not None and not self._is_led:
            self.partner.follow(new_value)

    def follow(self, y: float) -> None:
        """Go to a line, as far as this text has it, and do not take the partner along: the longer text can be read to its end."""
        self._is_led = True
        self.scroll_to(y=y, animate=False, immediate=True)
        self._is_led = False


class Sides(Horizontal):
    """A page with one text of each run, each under its own title."""

    def compose(self) -> ComposeResult:
        """Lay out the two sides."""
        for _ in range(2):
            with Vertical(classes="half"):
                yield Static("", classes="title", markup=False)
                with Side():
                    yield Static("", classes="text", markup=False)

    def on_mount(self) -> None:
        """Tie the sides together."""
        left, right = self.query(Side)
        left.partner, right.partner = right, left

    def show(self, titles: tuple[Content, Content], texts: tuple[Content, Content]) -> None:
        """Show two texts from their beginning."""
        for title, text, half in zip(titles, texts, self.query(".half"), strict=True):
            half.query_one(".title", Static).update(title)
            half.query_one(".text", Static).update(text)
            half.query_one(Side).scroll_home(animate=False)
