"""The messages that the inspector's widgets post to the app."""

from __future__ import annotations

from textual.message import Message

from replay.records import Record
from tui.inspector.model import MomentFilter


class MomentChosen(Message):
    """The cursor of the list is on this moment; None if the list is empty."""

    def __init__(self, record: Record | None) -> None:
        super().__init__()
        self.record = record


class FilterChanged(Message):
    """The user has changed which moments to show."""

    def __init__(self, wanted: MomentFilter) -> None:
        super().__init__()
        self.wanted = wanted


class FilterClosed(Message):
    """The user has left the search field: the focus returns to the list."""
