"""A real run of two tapes, as the live screen meets it: whole, or as it was in its middle."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from replay.run.events import Answered, Ended, Judged, Pulse, RunBegan, RunEnded, RunEvent
from replay.run.live.live_reader import birth_of
from replay.run.live.live_stream import FILE
from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.tape import read, write
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

BODY = "return x + 1"
CART = '''"""A shopping cart."""


def following(x):
    return x + 1


def total(prices, discount):
    """The price of all, less the discount."""
    if discount > 1:
        raise ValueError("a discount is at most 1")
    return sum(prices) * (1 - discount)
'''
QUERY = """export function parse(text) {
    const pairs = text.split("&");
    return pairs.map((pair) => pair.split("="));
}
"""
OPTIONS = {"settings": {"provider": {"name": "fixed", "text": BODY}}, "latency": "fixed:80", "sandbox": "none"}


def tapes(folder):
    """Two tapes in a folder, with tests that a text in a file passes."""
    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' cart.py && grep -q 'sum(prices)' cart.py")
    cart = Typist("cart.py", "python", tests=tests, name="cart").type(CART).select(40).tape()
    tests = ProjectTests(toolchain="none", command="grep -q 'pairs.map' query.js")
    query = Typist("query.js", "javascript", tests=tests, name="query").type(QUERY).tape()
    for tape in (cart, query):
        write(tape, folder / f"{tape.header.id}.tape.jsonl")
    return [read(folder / f"{name}.tape.jsonl") for name in ("cart", "query")]


@dataclass(frozen=True)
class RealRun:
    """The folder of a run that was played to its end, and what was heard of it."""

    folder: Path
    heard: tuple[RunEvent, ...]


@pytest.fixture(scope="session")
def real_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    heard = []
    asyncio.run(run(tapes(folder), folder / "run", options_of(**OPTIONS), heard, cache=folder / "cache"))
    return RealRun(folder / "run", tuple(heard))


def written(folder):
    """The events in a run's live file."""
    return [msgspec.json.decode(line, type=RunEvent) for line in (folder / FILE).read_bytes().splitlines()]


class Scene:
    """A run's live file as another process writes it, piece by piece: by this test, whose process lives."""

    def __init__(self, folder, events):
        self.folder, self._events, self._done = folder, timed(events), 0
        folder.mkdir(exist_ok=True)

    def until(self, kind, number=1, where=lambda _: True):
        """Write up to and with the so many-th event of a kind from here."""
        found = [isinstance(event, kind) and where(event) for event in self._events]
        rest = [index for index in range(self._done, len(self._events)) if found[index]]
        return self.go(rest[number - 1] + 1)

    def go(self, to=None):
        """Write up to an event, by its index; by default all."""
        to = len(self._events) if to is None else to
        self.say(*self._events[self._done : to])
        self._done = to
        return self

    def say(self, *events):
        """Write these events too."""
        with (self.folder / FILE).open("ab") as file:
            file.writelines(msgspec.json.encode(event) + b"\n" for event in events)


def timed(events):
    """Events at times that are the same in each run of the tests; the process that writes them is this one."""
    return [retold(event, 1000.0 + 0.25 * number) for number, event in enumerate(events, 1)]


def retold(event, at):
    """An event at a time of ours, with durations that do not depend on the machine."""
    match event:
        case RunBegan():
            return msgspec.structs.replace(event, at=at, process=os.getpid(), birth=birth_of(os.getpid()))
        case Pulse() | RunEnded():
            return msgspec.structs.replace(event, at=at)
        case Answered():
            return msgspec.structs.replace(event, latency=80.0)
        case Judged(record=record):
            verdict = msgspec.structs.replace(record.verdict, wall_ms=120.0)
            return Judged(msgspec.structs.replace(record, verdict=verdict))
    return event


def ordered(heard):
    """What was heard, with the verdicts just behind what they judge: tests end in another order each time."""
    verdicts = {event.record.moment.id: event for event in heard if isinstance(event, Judged)}
    for event in heard:
        if isinstance(event, Judged) or type(event).__name__ == "StateRunChanged":
            continue
        yield event
        if isinstance(event, Ended) and event.record.moment.id in verdicts:
            yield Pulse(0.0)
            yield verdicts[event.record.moment.id]
            yield Pulse(0.0)


@pytest.fixture
def scene(real_run, tmp_path):
    """The real run, to be written piece by piece; without notes on the machine, which are other ones each time."""
    from replay.run.events import Note, RunBegan
    from replay.run.live.live_stream import shortened

    began = next(event for event in real_run.heard if isinstance(event, RunBegan))
    kept = [
        event
        for event in ordered(real_run.heard)
        if not (isinstance(event, Note) and event.source not in began.sources)
    ]
    return Scene(tmp_path / "live-run", [shortened(event) for event in kept])


@pytest.fixture
def beside(scene, monkeypatch):
    """Work in the folder of runs, so that no picture names a folder of this machine."""
    monkeypatch.chdir(scene.folder.parent)
