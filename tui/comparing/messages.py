"""The messages that the list posts to the screen of two runs."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from tui.comparing.model import MomentPair


@dataclass
class PairChosen(Message):
    """The cursor of the list is on this pair; None if the list is empty."""

    pair: MomentPair | None


@dataclass
class OrderWanted(Message):
    """The title of a column was clicked: `sort` is one of `SORTS`."""

    sort: str
