"""What is printed: a rich console that reads no markup in texts, and lets nothing through that a terminal obeys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from tui.terminal_text import sanitize


class SafeConsole(Console):
    """A console for text of unknown origin. Only its own colours and its own cursor movements reach the terminal.

    Who lays text out in columns sanitizes it first, as signs are wider than what they stand for; this is the last line of defence.
    """

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        super().__init__(stderr=stderr, **{"markup": False, "emoji": False, "highlight": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """Sanitize a string before rich drops some of its control characters."""
        return super().render_str(sanitize(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, and sanitize every text."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=sanitize(segment.text))
