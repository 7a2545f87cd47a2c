"""The numbers by which edits of agents and formatters are recognised: `streams.toml`, with the source of each."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec


class AgentNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes edits the stream of an agent; times in ms. `streams.toml` says where each number comes from."""

    frame: float
    """Edits of one row follow each other within this time."""
    edits: int
    """So many edits in a row, each with text that no key writes."""
    key_frame: float
    """A key of a row counts if it follows within this time."""
    key_batch: float
    """A key of a row that follows sooner does not count."""
    keys: int
    """So many keys count as much as one longer edit."""
    rollover: int
    """A person presses so many keys within a frame of each other."""
    texts: int
    """A row has at least so many different texts."""
    edits_in_several: int
    """As `edits`, where several documents are written at once."""
    pause: float
    """The longest wait inside a stream."""


class FormatterNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes an edit a formatter's: white space alone changes, in at least so many `places`."""

    places: int


class Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of `streams.toml`."""

    agent: AgentNumbers
    formatter: FormatterNumbers


@cache
def numbers() -> Numbers:
    """The numbers that come with the project."""
    data = resources.files("replay.tapes.authors").joinpath("streams.toml").read_bytes()
    return msgspec.toml.decode(data, type=Numbers)
