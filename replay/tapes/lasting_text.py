"""What came to stand at a place of a tape: how much of a suggestion the person wrote there in the end, and by which edits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from replay.tapes.timeline import Timeline, typed_next
from syntax.text import common_prefix

PATIENCE = 4
"""A place is watched until it has grown to this many times the suggestion, and 200 characters more."""


@dataclass(frozen=True)
class Followed:
    """How the beginning of a wanted text came to stand at a place.

    `steps` are (event, length) in which more of it stood there than ever before, lengths in characters (indices into the
    wanted text). `touched` are all edit events at the place, as far as it was watched.
    """

    wanted: str
    steps: tuple[tuple[int, int], ...]
    touched: tuple[int, ...]

    @cached_property
    def stood(self) -> int:
        """The length of the longest beginning of the wanted text that came to stand there."""
        return self.steps[-1][1] if self.steps else 0

    @property
    def whole(self) -> bool:
        """Whether all of it came to stand there."""
        return bool(self.wanted) and self.stood == len(self.wanted)

    def reached(self, characters: int) -> int | None:
        """The event after which that many of its characters stood there first; None if they never did."""
        return next((event for event, length in self.steps if length >= characters), None)

    def until(self, characters: int) -> tuple[int, ...]:
        """The events at the place up to that one: those that writing so many characters at once makes needless."""
        last = self.reached(characters)
        return () if last is None else tuple(event for event in self.touched if event <= last)


def follow(timeline: Timeline, path: str, event: int, offset: int, wanted: str, *, begun: str = "") -> Followed:
    """Follow a place, from just before an event on, until the wanted text stands there or the place has outgrown it.

    A character that was mistyped and corrected does not end the match: only the text as it came to stand counts.
    `offset` is in UTF-16 code units of the document as it was recorded; `begun` is what stands there already, from it on.
    """
    standing = common_prefix(begun, wanted)
    steps: list[tuple[int, int]] = [(event - 1, standing)] if standing else []
    touched: list[int] = []
    if standing == len(wanted):
        return Followed(wanted, tuple(steps), ())
    for at, text in typed_next(timeline, path, event, offset, begun=begun):
        touched.append(at)
        length = common_prefix(text, wanted)
        if length > (steps[-1][1] if steps else 0):
            steps.append((at, length))
        if length == len(wanted) or len(text) > PATIENCE * len(wanted) + 200:
            break
    return Followed(wanted, tuple(steps), tuple(touched))
