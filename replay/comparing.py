"""How often each policy would have asked in a recorded session, beside what its own assistant did: a table for the docs.

`python -m replay.comparing RECORDING PAGE` plays a workspace recording without any server under every policy that follows
time, and puts the tables into a Markdown page. Only the asking is compared. The assistant answers every question, either
with a text that nobody types or with what came to stand there; `--latency tape` says when.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from replay.importers.workspace_recording import import_recording
from replay.instructions import Answer, Ask, Settled
from replay.latency import latency_of
from replay.metrics import share
from replay.player import Player
from replay.policies import policy_of
from replay.records import SHOWN, Ending
from replay.timeline import Timeline
from replay.users import user_of
from syntax.text import cut

POLICIES = (
    *("recorded", "vscode", "vscode:moves=true,fresh=10000,line_cooldown=5000", "copilot", "copilot:hold=0"),
    *("copilot-nes", "continue", "tabby", "cody", "zed", "pause:300", "every"),
)
BY_ANSWERS = ("copilot-nes", "cody", "zed")
"""Policies whose asking depends on what is answered."""
LIVE = "the live session"
Assistant = Literal["wrong", "right"]
_IN_TIME = {*SHOWN, "filtered", "empty"}
_SEEN = {"hardly seen", "does not extend what is shown"}


@dataclass(frozen=True, slots=True)
class Asking:
    """What became of the moments of one session: of `requests` that were sent, and of the others."""

    name: str
    requests: int
    cancelled: int
    in_time: int
    late: int
    gated: int | None = None
    debounced: int | None = None

    def row(self) -> str:
        """The line of a Markdown table, shares with their 95 % interval."""
        shares = [_percent(part, self.requests) for part in (self.cancelled, self.in_time, self.late)]
        counts = ["" if count is None else f"{count:,}" for count in (self.gated, self.debounced)]
        return f"| {self.name} | {self.requests:,} | {' | '.join([*shares, *counts])} |"


def played(timeline: Timeline, policy: str, assistant: Assistant = "wrong") -> Asking:
    """What becomes of a session under a policy (judge mode, user `exact`, the tape's own latencies, seed 0)."""
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
    """The first line of what was written at the place up to the end of the tape."""
    moment = ask.moment
    left, right = timeline.carried(moment.path, moment.event, moment.offset, moment.offset)
    line = cut(timeline.final[moment.path], left, right).split("\n", 1)[0]
    return Answer(0.0, text=line, start=moment.offset, end=moment.offset)


ANSWERS: dict[Assistant, Callable[[Timeline, Ask], Answer]] = {"wrong": _wrong, "right": _right}


def lived(recording: Path) -> Asking:
    """What became of the requests of a recorded session, counted in its log itself."""
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
    """The tables of a recording by the name under which a page holds them."""
    timeline = Timeline(import_recording(recording).tape)
    every = [lived(recording), *(played(timeline, policy) for policy in POLICIES)]
    return {"policies": table(every), "right": table([played(timeline, policy, "right") for policy in BY_ANSWERS])}


def put(page: str, name: str, content: str) -> str:
    """A page with what stands between `<!-- NAME -->` and `<!-- /NAME -->` replaced.

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
    """Put the tables of a recording into a page."""
    text = page.read_text(encoding="utf-8")
    for name, content in tables(recording).items():
        text = put(text, name, content)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
