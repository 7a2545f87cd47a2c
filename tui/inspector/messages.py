"""The messages that the inspector's widgets post to the app."""

from __future__ import annotations

from textual.message import Message


class MomentChosen(Message):
    """The cursor of the list is on another moment, or the list has changed."""


class SortWanted(Message):
    """The user has clicked the title of a column."""

    def __init__(self, sort: str) -> None:
        super().__init__()
        self.sort = sort


class SearchChanged(Message):
    """The user has changed the text to search for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class SearchClosed(Message):
    """The user has left the search field: the focus returns to the list."""


class TapeWanted(Message):
    """A page says more once this tape has been read."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
