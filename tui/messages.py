"""What the inspector's widgets tell the app."""

from __future__ import annotations

from textual.message import Message

from replay.records import Record
from tui.model import Filter


class MomentChosen(Message):
    """The cursor of the list stands on this moment; None when the list is empty."""

    def __init__(self, record: Record | None) -> None:
        super().__init__()
        self.record = record


class FilterChanged(Message):
    """The person wants to see these moments."""

    def __init__(self, wanted: Filter) -> None:
        super().__init__()
        self.wanted = wanted


class FilterLeft(Message):
    """The person is done with the filters and wants the list back."""
