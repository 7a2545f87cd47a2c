"""The person at the keyboard: what becomes of a suggestion that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from replay.errors import ReplayError
from replay.records import Ending, Moment
from replay.timeline import Timeline, typed_next

PATIENCE = 4
"""A place is watched until it has grown to this many times the suggestion, and 200 characters more."""


class UnknownUserError(ReplayError):
    """No user has this name."""


@dataclass(frozen=True, slots=True)
class Typing:
    """What was typed at the place of a suggestion: whether the suggestion came to stand there, and by which edits.

    `events` are all edits that touched the place, `by_hand` those of them that were keys of the person.
    """

    matched: bool
    events: tuple[int, ...]
    by_hand: tuple[int, ...] = ()


def typing_after(timeline: Timeline, moment: Moment, wanted: str) -> Typing:
    """Follow the tape until the text at the cursor begins with the wanted text, or has outgrown it.

    A character that was mistyped and corrected does not end the match: only the text as it came to stand counts.
    """
    events: list[int] = []
    for event, text in typed_next(timeline, moment.path, moment.event, moment.offset):
        events.append(event)
        if wanted and text.startswith(wanted):
            return Typing(matched=True, events=tuple(events), by_hand=tuple(filter(timeline.is_by_hand, events)))
        if len(text) > PATIENCE * len(wanted) + 200:
            break
    return Typing(matched=False, events=tuple(events))


User: TypeAlias = Callable[[Typing], Ending]
"""What the person does with a shown suggestion, given what was typed at its place on the tape."""


def exact(typing: Typing) -> Ending:
    """Accept what is, to the letter, what was typed next; reject the rest."""
    if typing.matched:
        return Ending("accepted")
    return Ending("rejected") if typing.events else Ending("shown")


def always(typing: Typing) -> Ending:
    """Accept everything."""
    return Ending("accepted")


USERS: Mapping[str, User] = {"exact": exact, "always": always}


def user_of(name: str) -> User:
    """The user of a name.

    Raises:
        UnknownUserError: there is none.

    """
    if name not in USERS:
        raise UnknownUserError(f"no user is called {name!r}: choose one of {', '.join(USERS)}")
    return USERS[name]
