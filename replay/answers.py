"""The oracle's answers: what really stands at each moment of a tape, told to the server's `oracle` provider in a file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from replay.grafts import hole_of
from replay.instructions import Ask
from replay.timeline import Timeline
from server.providers.recorded import answer_key


class Oracle:
    """Knows how a tape ends, and writes down the answer to each question just before it is asked."""

    def __init__(self, timeline: Timeline, path: Path) -> None:
        self.timeline, self.path = timeline, path
        path.touch()

    def tell(self, ask: Ask) -> None:
        """Append one JSON line (`key`, `text`) if something was written at the moment that the question is about."""
        if ask.spot is None:
            return
        hole = hole_of(self.timeline, ask.spot.moment, ask.spot.before, ask.spot.after)
        if not isinstance(hole, str):
            row = {"key": answer_key(ask.before, ask.after, ask.moment.stop), "text": hole.truth}
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(row) + b"\n")
