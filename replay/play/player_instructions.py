"""What the player asks its shell to do, and what it is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from replay.records import DocumentChange, Ending, Moment, Suggestion, TrailStep
from server.request_counts import Finish
from syntax.text import Change

ItemFate: TypeAlias = Literal["shown", "accepted", "part"]
ChangeCause: TypeAlias = Literal["tape", "accept", "delete", "mend"]
"""Why a document changes: as recorded, by accepting, because accepted text was wrong, or to be as recorded again."""


@dataclass(frozen=True, slots=True)
class DidOpen:
    """Open a document in the server."""

    path: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class DidChange:
    """Change a document: changes against `before`. `keys` is what the change costs the person."""

    path: str
    version: int
    before: str
    changes: tuple[Change, ...]
    cause: ChangeCause = "tape"
    keys: int = 0


@dataclass(frozen=True, slots=True)
class DidSave:
    """Save a document."""

    path: str


@dataclass(frozen=True, slots=True)
class DidClose:
    """Close a document."""

    path: str


@dataclass(frozen=True, slots=True)
class VerifyCheckpoint:
    """Compare the server's document with a checkpoint."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A moment as it stands on the tape: the same as in the editor, but in drive mode where the document is ahead.

    `before` and `after` are the whole recorded document around it.
    """

    moment: Moment
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask for an inline completion. `before` and `after` are the whole document around the cursor.

    After `patience` ms the editor will give the request up. `will_cancel`: its answer is known to come later than that, so it
    is worth waiting for only if the server has it already.
    """

    moment: Moment
    before: str
    after: str
    spot: Spot | None = None
    patience: float = math.inf
    will_cancel: bool = False
    evidence: tuple[str, ...] = ()
    """The paths of open documents that our server shows the model whole."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Where an edit is asked for: path → text of the documents that are open."""


@dataclass(frozen=True, slots=True)
class Try:
    """Find out whether a suggestion passes the tests, before the person decides: answered with True or False."""

    moment: Moment
    spot: Spot | None
    suggestion: Suggestion
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MomentEnded:
    """A moment has ended. `covered` are the edit events that an accepted suggestion made needless, `keys` what accepting took."""

    moment: Moment
    before: str
    after: str
    ending: Ending
    suggestion: Suggestion | None = None
    covered: tuple[int, ...] = ()
    spot: Spot | None = None
    keys: int = 1
    texts: Mapping[str, str] = field(default_factory=dict)
    """As of its `Ask`."""


@dataclass(frozen=True, slots=True)
class SendFeedback:
    """Tell the server what became of an item of its: shown, accepted, or accepted up to a UTF-16 offset of its text (`reached`)."""

    item: Mapping[str, Any]
    fate: ItemFate
    reached: int = 0


Instruction: TypeAlias = (
    DidOpen | DidChange | DidSave | DidClose | VerifyCheckpoint | Ask | Try | MomentEnded | SendFeedback
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said. `measured` is wall time in ms; `failed`, `filtered` name the reason why there is no text.

    `by_record`: `measured` is not wall time: it is what a record of answers says, or 0 for what the server had in its cache.
    `given_up`: the editor cancelled the request before the answer came. `item` is what the server gave, as it came, if it has a
    command, by which a server knows it again. `first_token` is the ms to the first of its pieces; that, its tokens and its `finish` are those of `replay.records.Suggestion`.
    """

    measured: float
    text: str = ""
    start: int = 0
    end: int = 0
    failed: str = ""
    filtered: str = ""
    raw: str = ""
    prompt: str = ""
    provider: str = ""
    cache: str = "none"
    trail: tuple[TrailStep, ...] = ()
    confidence: float | None = None
    given_up: bool = False
    by_record: bool = False
    item: Mapping[str, Any] | None = None
    first_token: float | None = None
    prompt_tokens: int | None = None
    tokens: int | None = None
    finish: Finish | None = None
    changes: tuple[DocumentChange, ...] = ()
    """Those of an edit suggestion; `text` shows them to a person then."""
