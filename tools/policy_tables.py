"""How often each policy asks in a recorded session, beside what the session's own assistant did: tables for the docs.

`python -m tools.policy_tables RECORDING PAGE` plays a workspace recording without a server, with each policy that depends on
time, and writes the tables into a Markdown page. Only the requests are compared. Every request is answered, either with a
text that nobody types or with the text that was written there later; the latencies are those of the tape.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from replay.importers.workspace_recording.reading import import_recording
from replay.numbers.intervals import share
from replay.play.instructions import Answer, Ask, Settled
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.records import SHOWN, Ending
from replay.tapes.timeline import Timeline
from syntax.text import cut

POLICIES = (
    *("recorded", "vscode", "vscode:moves=true,fresh=10000,line_cooldown=5000", "copilot", "copilot:hold=0"),
    *("copilot-nes", "continue", "tabby", "cody", "zed", "pause:300", "every"),
)
BY_ANSWERS = ("copilot-nes", "cody", "zed")
"""Policies whose requests depend on the answers."""
LIVE = "the live session"
Assistant = Literal["wrong", "right"]
_IN_TIME = {*SHOWN, "filtered", "empty"}
_SEEN = {"hardly seen", "does not extend what is shown"}


@dataclass(frozen=True, slots=True)
class Asking:
    """Counts of the moments of one session under one policy."""

    name: str
    requests: int
    """Requests that were sent: the sum of the next three."""
    cancelled: int
    in_time: int
    late: int
    gated: int | None = None
    """Moments without a request, because a gate of the policy was closed."""
    debounced: int | None = None
    """Moments without a request, because the next edit came within the debounce."""

    def row(self) -> str:
        """A row of the Markdown table; shares have their 95 % interval."""
        shares = [_percent(part, self.requests) for part in (self.cancelled, self.in_time, self.late)]
        counts = ["" if count is None else f"{count:,}" for count in (self.gated, self.debounced)]
        return f"| {self.name} | {self.requests:,} | {' | '.join([*shares, *counts])} |"


def played(timeline: Timeline, policy: str, assistant: Assistant = "wrong") -> Asking:
    """Play a session under a policy (judge mode, user `exact`, the tape's own latencies, seed 0)."""
    latency = latency_of("tape", 0, timeline.tape)
    steps = Player(timeline, policy_of(policy), user_of("exact"), latency).play()
    reply: Answer | None = None
    asked: set[str] = set()
    endings: Counter[str] = Counter()
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return _summed(policy, len(asked), endings)
        reply = None
        if isinstance(step, Ask):
            asked.add(step.moment.id)
            reply = ANSWERS[assistant](timeline, step)
        elif isinstance(step, Settled):
            endings[_kind(step.ending, was_asked=step.moment.id in asked)] += 1


def _kind(ending: Ending, *, was_asked: bool) -> str:
    if not was_asked or ending.name == "late":
        return ending.name
    return "in time" if ending.name in _IN_TIME or ending.reason in _SEEN else "cancelled"


def _summed(name: str, requests: int, endings: Counter[str]) -> Asking:
    parts = {part: endings[part.replace("_", " ")] for part in ("cancelled", "in_time", "late", "gated", "debounced")}
    return Asking(f"`{name}`", requests, **parts)


def _wrong(_: Timeline, ask: Ask) -> Answer:
    at = ask.moment.offset
    return Answer(0.0, text="\ufffdwrong\ufffd", start=at, end=at)


def _right(timeline: Timeline, ask: Ask) -> Answer:
    """The first line of the text that the tape ends with at this place."""
    moment = ask.moment
    left, right = timeline.carried(moment.path, moment.event, moment.offset, moment.offset)
    line = cut(timeline.final[moment.path], left, right).split("\n", 1)[0]
    return Answer(0.0, text=line, start=moment.offset, end=moment.offset)


ANSWERS: dict[Assistant, Callable[[Timeline, Ask], Answer]] = {"wrong": _wrong, "right": _right}


def lived(recording: Path) -> Asking:
    """The requests of the recorded session itself, counted in its log."""
    ends = [data for data in _fetches(recording) if data["kind"] == "end"]
    cancelled = sum(data.get("error") == "canceled" for data in ends)
    return Asking(LIVE, len(ends), cancelled, len(ends) - cancelled, 0)


def _fetches(recording: Path) -> Iterator[dict[str, Any]]:
    for entry in json.loads(recording.read_bytes())["log"]:
        data = entry.get("data")
        if isinstance(data, dict) and data.get("sourceId") == "InlineCompletions.fetch":
            yield data


def _percent(part: int, whole: int) -> str:
    found = share(part, whole)
    value, low, high = (100 * (found[name] or 0.0) for name in ("value", "low", "high"))
    return f"{value:.1f} % ({low:.1f}–{high:.1f})" if part else "0"  # noqa: RUF001 - the dash of a range


HEAD = """\
| policy | requests | cancelled | in time | late | gated | debounced |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def table(rows: Sequence[Asking]) -> str:
    """A Markdown table of sessions."""
    return "\n".join([HEAD, *(row.row() for row in rows)])


def tables(recording: Path) -> dict[str, str]:
    """The tables of a recording, by their names in the page."""
    timeline = Timeline(import_recording(recording).tape)
    every = [lived(recording), *(played(timeline, policy) for policy in POLICIES)]
    return {"policies": table(every), "right": table([played(timeline, policy, "right") for policy in BY_ANSWERS])}


def put(page: str, name: str, content: str) -> str:
    """A page with another text between `<!-- NAME -->` and `<!-- /NAME -->`.

    Raises:
        ValueError: the page has no such place.

    """
    begin, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"the page has no place between {begin.strip()!r} and {end.strip()!r}")
    return f"{before}{begin}{content}{end}{after}"


def main(recording: Path, page: Path) -> None:
    """Write the tables of a recording into a page."""
    text = page.read_text(encoding="utf-8")
    for name, content in tables(recording).items():
        text = put(text, name, content)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
