"""What the tape says became of the requests of its own assistant, for a policy that asks the same requests again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from replay.tapes.tape import Ghost, Tape


@dataclass(frozen=True, slots=True)
class RequestFate:
    """How a request left the editor of the tape, and the index of the event that tells it.

    Up to that event the editor waited: moves of the cursor, another focus and further requests did not end the request then.
    """

    event: int
    name: Literal["answered", "cancelled"]


def fates(tape: Tape) -> dict[int, RequestFate]:
    """Request → its fate. A request has none if the tape does not tell its end (tapes of recorders before this was written down)."""
    told: dict[int, RequestFate] = {}
    for index, event in enumerate(tape.events):
        if isinstance(event, Ghost) and event.phase in {"shown", "empty", "cancelled"}:
            told.setdefault(
                event.request, RequestFate(index, "cancelled" if event.phase == "cancelled" else "answered")
            )
    return told
