"""A suggestion as the person sees it."""

from __future__ import annotations

from dataclasses import dataclass

from replay.play.users.recorded_requests import RecordedDecision
from replay.tapes.lasting_text import Followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A suggestion as the person sees it, and what the tape knows of it.

    `text` is what accepting it adds at the cursor: what stands left and right of it already is taken off. `before` and
    `after` are the document around the cursor when it is shown. `latency` is in ms from the question until it was shown,
    `idle` in ms since the last edit of any document. `followed` says how much of the text came to stand there on the
    tape. `then` is what the tape's own person decided here (`replay.play.users.decisions`). `confidence` is the mean
    log-probability (natural) of a token, where the provider tells it. `passes` says whether its graft passes the
    project's tests, for users that need to know. `draw` in [0, 1) belongs to this moment and the seed alone.
    """

    text: str
    before: str
    after: str
    language: str
    latency: float
    idle: float
    followed: Followed
    then: RecordedDecision | None = None
    confidence: float | None = None
    passes: bool | None = None
    draw: float = 0.0
