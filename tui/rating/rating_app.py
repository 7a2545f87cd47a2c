"""What all screens of rating share: one thing after the other, an answer that is kept at once, and nothing of what others said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding
from textual.content import Content

from tui.text_dialog import TextDialog
from tui.themes import ThemedApp

T = TypeVar("T")
STEPS = (Binding("n", "go(1)", "Next", key_display="n p"), Binding("p", "go(-1)", "Before", show=False))
ENDS = (Binding("question_mark", "keys", "Help", key_display="?"), Binding("q", "quit", "Quit"))


class RatingApp(ThemedApp, Generic[T]):
    """Shows the items that wait for an answer to one person."""

    HELP: ClassVar[str]
    """The text behind `?`."""
    ANSWER: ClassVar[str]
    """What a person gives here, at the beginning of a sentence: The score."""

    def __init__(self, items: Sequence[T]) -> None:
        super().__init__()
        self._items = items
        self._at = next((at for at, item in enumerate(items) if not self.is_answered(item)), 0)

    @property
    def shown(self) -> T:
        """What is on the screen."""
        return self._items[self._at]

    def is_answered(self, item: T) -> bool:
        """Whether this person has answered."""
        raise NotImplementedError

    def show_item(self) -> None:
        """Put what is shown, and what this person said of it, on the screen."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show the first item without an answer."""
        self.show_item()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the action is possible: under a dialog none of the screen's is."""
        own = any(f"action_{action}" in vars(each) for each in type(self).mro() if issubclass(each, RatingApp))
        return len(self.screen_stack) == 1 or not own

    def action_go(self, step: int) -> None:
        """Show the item so many further on."""
        self._at = (self._at + step) % len(self._items)
        self.show_item()

    def go_on(self) -> bool:
        """Show the next item without an answer, and return whether there is one."""
        order = [*range(self._at + 1, len(self._items)), *range(self._at)]
        following = next((at for at in order if not self.is_answered(self._items[at])), None)
        self.action_go(0 if following is None else following - self._at)
        return following is not None

    def is_kept(self, keep: Callable[[], None]) -> bool:
        """Keep an answer; where that fails, say so and return False."""
        try:
            keep()
        except OSError as error:
            self.notify(f"{self.ANSWER} cannot be kept: {error.strerror}", severity="error", markup=False)
            return False
        return True

    def action_keys(self) -> None:
        """Explain the keys."""
        self.push_screen(TextDialog(Content(self.HELP)))
