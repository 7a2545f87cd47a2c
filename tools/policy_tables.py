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

from replay.importers.workspace_recording.recording_import import import_recording
from replay.judge.grafts import named
from replay.numbers.clusters import cluster_of
from replay.numbers.intervals import clustered_share
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
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
AssistantKind = Literal["wrong", "right"]
_IN_TIME = {*SHOWN, "filtered", "empty"}
_KINDS = ("cancelled", "in time", "late")
_SEEN = {"hardly seen", "does not extend what is shown"}


@dataclass(frozen=True, slots=True)
class Asking:
    """Counts of the moments of one session under one policy."""

    name: str
    asked: Sequence[tuple[str, str]]
    """Each request that was sent: the hole that it belongs to (as the id of a cluster), and `cancelled`, `in time` or `late`."""
    gated: int | None = None
    """Moments without a request, because a gate of the policy was closed."""
    debounced: int | None = None
    """Moments without a request, because the next edit came within the debounce."""

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return len(self.asked)

    def count(self, kind: str) -> int:
        """How many requests came to an end of a kind."""
        return sum(end == kind for _, end in self.asked)

    def row(self) -> str:
        """A row of the Markdown table; shares have their 95 % interval, clustered by hole, where the holes are known."""
        shares = [self._percent(kind) for kind in _KINDS]
        counts = ["" if count is None else f"{count:,}" for count in (self.gated, self.debounced)]
        return f"| {self.name} | {self.requests:,} | {' | '.join([*shares, *counts])} |"

    def _percent(self, kind: str) -> str:
        found = clustered_share((hole, float(end == kind)) for hole, end in self.asked)
        if not found["value"]:
            return "0"
        value, low, high = (None if found[name] is None else 100 * found[name] for name in ("value", "low", "high"))
        return f"{value:.1f} %" if low is None else f"{value:.1f} % ({low:.1f}–{high:.1f})"  # noqa: RUF001 - the dash of a range


def played(timeline: Timeline, policy: str, assistant: AssistantKind = "wrong") -> Asking:
    """Play a session under a policy (judge mode, user `exact`, the tape's own latencies, seed 0)."""
    latency = latency_of("tape", 0, timeline.tape)
    steps = Player(timeline, policy_of(policy), user_of("exact"), latency).play()
    reply: Answer | None = None
    asked: set[str] = set()
    ends: list[tuple[str, str]] = []
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return _summed(policy, ends)
        reply = None
        if isinstance(step, Ask):
            asked.add(step.moment.id)
            reply = ANSWERS[assistant](timeline, step)
        elif isinstance(step, MomentEnded):
            ends.append((_cluster(timeline, step), _kind(step.ending, was_asked=step.moment.id in asked)))


def _kind(ending: Ending, *, was_asked: bool) -> str:
    if not was_asked or ending.name == "late":
        return ending.name
    return "in time" if ending.name in _IN_TIME or ending.reason in _SEEN else "cancelled"


def _cluster(timeline: Timeline, ended: MomentEnded) -> str:
    spot = ended.spot
    moment = ended.moment if spot is None else named(timeline, spot.moment, spot.before, spot.after)
    return cluster_of(moment)


def _summed(name: str, ends: Sequence[tuple[str, str]]) -> Asking:
    counts = Counter(kind for _, kind in ends)
    asked = tuple(end for end in ends if end[1] in _KINDS)
    return Asking(f"`{name}`", asked, counts["gated"], counts["debounced"])


def _wrong(_: Timeline, ask: Ask) -> Answer:
    at = ask.moment.offset
    return Answer(0.0, text="\ufffdwrong\ufffd", start=at, end=at)


def _right(timeline: Timeline, ask: Ask) -> Answer:
    """The first line of the text that the tape ends with at this place."""
    moment = ask.moment
    left, right = timeline.carried(moment.path, moment.event, moment.offset, moment.offset)
    line = cut(timeline.final[moment.path], left, right).split("\n", 1)[0]
    return Answer(0.0, text=line, start=moment.offset, end=moment.offset)


ANSWERS: dict[AssistantKind, Callable[[Timeline, Ask], Answer]] = {"wrong": _wrong, "right": _right}


def lived(recording: Path) -> Asking:
    """The requests of the recorded session itself, counted in its log. Their holes are not known: they are one cluster, which has no interval."""
    ends = [data for data in _fetches(recording) if data["kind"] == "end"]
    return Asking(LIVE, [("", "cancelled" if data.get("error") == "canceled" else "in time") for data in ends])


def _fetches(recording: Path) -> Iterator[dict[str, Any]]:
    for entry in json.loads(recording.read_bytes())["log"]:
        data = entry.get("data")
        if isinstance(data, dict) and data.get("sourceId") == "InlineCompletions.fetch":
            yield data


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
