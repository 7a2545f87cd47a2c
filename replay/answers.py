"""The oracle's answers: what really stands at each moment of a tape, written for the server's `oracle` provider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from replay.grafts import hole_of
from replay.instructions import Answer, Ask
from replay.latency import latency_of
from replay.player import Player
from replay.policies import Policy
from replay.timeline import Timeline
from replay.users import exact
from server.providers.recorded import answer_key


def write_oracle(timeline: Timeline, policy: Policy, path: Path) -> None:
    """Append one JSON line (`key`, `text`) for each moment at which the policy asks and something was written."""
    with path.open("ab") as file:
        for ask in asks(timeline, policy):
            hole = hole_of(timeline, ask.moment, ask.before, ask.after)
            if not isinstance(hole, str):
                row = {"key": answer_key(ask.before, ask.after, ask.moment.stop), "text": hole.truth}
                file.write(msgspec.json.encode(row) + b"\n")


def asks(timeline: Timeline, policy: Policy) -> Iterator[Ask]:
    """Every request of a tape under a policy. In judge mode they do not depend on the answers, so nobody is asked."""
    steps = Player(timeline, policy, exact, latency_of("fixed:0", 0)).play()
    reply: Answer | None = None
    try:
        while True:
            step = steps.send(reply)
            reply = Answer(0.0) if isinstance(step, Ask) else None
            if isinstance(step, Ask):
                yield step
    except StopIteration:
        return
